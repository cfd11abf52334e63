/* SPDX-License-Identifier: BSD-3-Clause */
/* test_requests.c - marks that are made together, left by hooks, or wait for a disk */
#include "tests/unit/recorder_node.h"

#include <signal.h>

/* In their order; a job that ends and begins again has two. */
TEST(requests_share_one_group)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	struct request q[] = {
		{ .what = REQUEST_BEGIN, .text = STR("8 user=ann") },
		{ .what = REQUEST_END, .text = STR("7") },
		{ .what = REQUEST_MARK, .text = STR("begin 9") },
		{ .what = REQUEST_MARK, .text = STR("half") },
		{ .what = REQUEST_END, .text = STR("9") },
		{ .what = REQUEST_BEGIN, .text = STR("7") },
	};
	assert_int_equal(recorder_requests(n.r, q, 5), 0);
	assert_last(&n, "7,8,9 %begin 8 source=hook user=ann %end 7 source=hook %half "
		    "%end 9 source=hook");
	assert_int_equal(q[2].result, -EINVAL);
	assert_int_equal(q[4].result, -ENOENT);
	assert_int_equal(groups(&n), 2);
	buf_free(&q[1].summary);
	buf_free(&q[4].summary);
	q[1].text = STR("8");
	q[5].text = STR("8");
	assert_int_equal(recorder_requests(n.r, q + 1, 5), 0);
	assert_last(&n, "8 %begin 8 source=hook");
	assert_int_equal(groups(&n), 4);
	buf_free(&q[1].summary);
	buf_free(&q[4].summary);
}

TEST(what_hooks_left_is_marked_in_the_order_of_its_time)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	leave(&n, 1000500000, REQUEST_END, "7");
	leave(&n, 1000250000, REQUEST_BEGIN, "7 user=ann");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_last(&n, "7 %begin 7 source=hook user=ann at=1000.25 %end 7 source=hook at=1000.5");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
	assert_int_equal(groups(&n), 1);
}

/* A hook gave up and left its request, and so did the agent that it had asked. */
TEST(a_request_that_was_left_twice_is_marked_once)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	leave(&n, 1000500000, REQUEST_END, "7 request=1000500000.12");
	leave(&n, 1000600000, REQUEST_MARK, "half request=1000600000.13");
	leave(&n, 1001700000, REQUEST_END, "7 request=1000500000.12");
	leave(&n, 1001750000, REQUEST_MARK, "half request=1000600000.13");
	leave(&n, 1001800000, REQUEST_END, "8");
	leave(&n, 1001900000, REQUEST_END, "8 request=1001900000.14");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 6);
	assert_last(&n, "7,8 %end 7 source=hook request=1000500000.12 at=1000.5 "
		    "%half request=1000600000.13 %end 8 source=hook at=1001.8");
	assert_int_equal(n.r->jobs.n, 0);
}

/* A process was killed after it made the marks: jobs are not saved, requests not removed. */
TEST(a_request_that_is_in_the_archive_is_marked_once)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7 request=1000100000.11")), 0);
	assert_int_equal(recorder_begin(n.r, STR("9")), 0);
	tree_get(&n.tree, "run/jobs", &n.text);
	struct buf jobs CLEANUP(buf_free) = { 0 };
	buf_add(&jobs, buf_str(&n.text));
	for (int i = 0; i < 2; i++) {
		tree_put(&n.tree, "run/jobs", buf_str(&jobs));
		leave(&n, 1000500000, REQUEST_END, "7 request=1000500000.12");
		leave(&n, 1000600000, REQUEST_MARK, "half request=1000600000.13");
		assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
		assert_last(&n, i == 0 ? "7,9 %end 7 source=hook request=1000500000.12 at=1000.5 "
			    "%half request=1000600000.13" : "9");
		assert_int_equal(n.r->jobs.n, 1);
	}
	/* The state file is lost, and a file was begun since. */
	assert_int_equal(recorder_rotate(n.r), 0);
	assert_int_equal(unlinkat(n.tree.fd, "run/jobs", 0), 0);
	n.r->jobs.n = 0;
	leave(&n, 1000100000, REQUEST_BEGIN, "7 request=1000100000.11");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
	assert_last(&n, "7");
	assert_int_equal(recorder_end(n.r, STR("7 request=1001100000.11")), 0);
	assert_last(&n, "7 %end 7 source=hook request=1001100000.11");
}

/* The job is marked once, also where its hook ran again in between. */
TEST(what_cannot_be_written_stays_left)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	leave(&n, 1000500000, REQUEST_BEGIN, "7");
	int fd = hold_lock(&n);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), -ETIMEDOUT);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_MARK), 1);
	close(fd);
	leave(&n, 1000600000, REQUEST_BEGIN, "7");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_last(&n, "7 %begin 7 source=hook at=1000.5");
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_MARK), 0);
}

/* RUNTIME-DIR/marks/lock, held by a hook until it is closed; its job is in the state file. */
static void hold_jobs(struct node *n, struct spool *s)
{
	assert_int_equal(spool_open(s, n->config.runtime_dir), 0);
	assert_int_equal(spool_lock(s, 0), 0);
	tree_put(&n->tree, "run/jobs", STR("5 1000.000000 hook\n"));
}

/* However long it has the lock, nobody replaces what a hook says of the jobs. */
TEST(an_agent_without_the_lock_of_the_jobs_leaves_what_is_asked_for)
{
	struct node n CLEANUP(node_free);
	struct spool hook CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	const struct job_group g = { .id = "9", .is_new = true };
	struct request q[] = {
		{ .what = REQUEST_BEGIN, .text = STR("7 user=ann") },
		{ .what = REQUEST_END, .text = STR("6") },
		{ .what = REQUEST_BEGIN, .text = STR("a,b") },
	};
	node_open(&n, true);
	assert_int_equal(recorder_begin(n.r, STR("6")), 0);
	hold_jobs(&n, &hook);
	n.r->waited = true;	/* the second of waiting is over */
	assert_int_equal(recorder_requests(n.r, q, 3), 0);
	assert_int_equal(q[0].result, REQUEST_LEFT);
	assert_int_equal(q[1].result, REQUEST_LEFT);
	assert_int_equal(q[2].result, -EINVAL);
	buf_free(&q[1].summary);
	assert_int_equal(recorder_groups(n.r, &g, 1), -ETIMEDOUT);
	assert_int_equal(recorder_release(n.r, STR("6")), -ETIMEDOUT);
	assert_int_equal(recorder_acquire(n.r, STR("")), -ETIMEDOUT);
	assert_int_equal(recorder_job_file(n.r), -ETIMEDOUT);
	assert_last(&n, "6 %begin 6 source=hook");
	tree_get(&n.tree, "run/jobs", &n.text);
	assert_text(buf_str(&n.text), STR("5 1000.000000 hook\n"));

	spool_unlock(&hook);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_last(&n, "5,7,6 %begin 7 source=hook user=ann %end 6 source=hook");
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	assert_last(&n, "5,7,9 %begin 9 source=cgroup");
}

TEST(what_no_hook_leaves_is_removed)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	leave(&n, 1, REQUEST_BEGIN, "a,b");
	tree_put(&n.tree, "run/marks/5.1.1.mark", STR("reboot now"));
	tree_put(&n.tree, "run/marks/x.mark", STR("begin 8"));
	tree_put(&n.tree, "run/marks/6.1.1.mark", STR("begin 8"));
	assert_int_equal(fchmodat(n.tree.fd, "run/marks/6.1.1.mark", 0666, 0), 0);
	assert_int_equal(symlinkat("../../job", n.tree.fd, "run/marks/7.1.1.mark"), 0);
	tree_put(&n.tree, "job", STR("begin 9"));
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);	/* neither asks for anything */
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_MARK), 0);
	assert_int_equal(n.r->jobs.n, 0);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/current", F_OK, 0), -1);
}

/* Other files there would become files of the archive. */
TEST(what_no_agent_leaves_is_removed)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	leave(&n, 1000500000, REQUEST_BEGIN, "7");
	tree_put(&n.tree, "run/marks/5.1.1.groups", STR(""));
	tree_put(&n.tree, "run/marks/6.1.1.groups", STR("\n"));
	tree_put(&n.tree, "run/marks/7.1.1.groups", STR("\n5 8\nnodometer - 1 2 1\n"));
	tree_put(&n.tree, "run/marks/8.1.1.groups",
		 STR("\n$hpcperfstats 1.0.2\n\n5 8\nnodometer - 1 2 1"));
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 0);
	assert_last(&n, "7 %begin 7 source=hook at=1000.5");
	assert_int_equal(groups(&n), 1);
}

/* All that was acknowledged outlives an agent that is killed while its groups wait. */
TEST(marks_that_wait_are_found_by_the_next_agent)
{
	struct node n CLEANUP(node_free);
	char error[768];
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_true(n.r->out.to.full);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 1);
	free(n.r->out.to.unwritten.part[0].left);
	n.r->out.to.unwritten.n = 0;	/* killed */
	recorder_close(n.r);
	close(fd);
	assert_int_equal(recorder_open(n.r, &n.config, NULL, error, sizeof(error)), 0);
	n.r->out.to.keep = true;
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 0);
	assert_last(&n, "7 %begin 7 source=hook");
}

/* A node of 8,000 CPUs: the row of each has seven large numbers. */
static void grow(struct node *n)
{
	struct buf stat CLEANUP(buf_free) = { 0 };
	for (int i = 0; i < 8000; i++) {
		buf_addf(&stat, "cpu%d", i);
		for (int k = 0; k < 7; k++)
			buf_add(&stat, STR(" 1234567890123456789"));
		buf_add_char(&stat, '\n');
	}
	tree_put(&n->tree, "root/proc/stat", buf_str(&stat));
}

TEST(of_a_group_that_is_too_large_to_wait_its_marks_do)
{
	struct node n CLEANUP(node_free);
	struct unwritten *p;
	node_open(&n, true);
	grow(&n);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7 user=ann")), 0);
	p = &n.r->out.to.unwritten;
	assert_true(n.r->out.group.n > UNWRITTEN_BYTES_MAX);
	assert_true(n.r->out.to.full);
	assert_int_equal(p->n, 1);
	assert_int_equal(p->lost, 1);		/* the sample */
	assert_int_equal(n.r->out.to.marks_lost, 0);
	assert_true(p->text.n < 4096);
	buf_add_char(&p->text, '\0');
	assert_non_null(strstr(p->text.p, "\n%begin 7 source=hook user=ann\nnodometer - "));
	assert_null(strstr(p->text.p, "\ncpu "));
	p->text.n--;
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 1);

	close(fd);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_false(n.r->out.to.full);
	assert_int_equal(p->n, 0);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 0);
	assert_last(&n, "7");
}

/* However long the disk of the machine that runs this takes. */
static void settle(struct recorder *r)
{
	for (int i = 0; i < 6000 && r->out.to.full; i++) {
		usleep(10000);
		recorder_settle(r);
	}
	assert_false(r->out.to.full);
	assert_int_equal(r->out.to.unwritten.n, 0);
}

/* The writer is stopped in place of a disk that hangs. */
TEST(a_writer_that_hangs_stops_nobody)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	n.r->out.to.apart = true;
	assert_int_equal(recorder_sample(n.r, 0), 0);
	settle(n.r);
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGSTOP), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_true(n.r->out.to.full);
	assert_int_equal(n.r->out.to.unwritten.held, 1);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 1);
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGCONT), 0);
	settle(n.r);
	assert_int_equal(spool_count(n.config.runtime_dir, SPOOL_GROUPS), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	settle(n.r);
	assert_last(&n, "7 %end 7 source=hook");
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGKILL), 0);
	assert_int_equal(recorder_begin(n.r, STR("8")), 0);
	settle(n.r);
	assert_last(&n, "8 %begin 8 source=hook");
}

/* An agent at a short interval: the next sample sees to what became of the last. */
static void node_open_ahead(struct node *n)
{
	node_open(n, true);
	n->r->out.to.apart = n->r->out.to.ahead = true;
	assert_int_equal(recorder_sample(n->r, 0), 0);
	settle(n->r);
}

static bool has_sent(const struct node *n)
{
	return n->r->out.to.sent.group.n > 0;
}

TEST(a_sample_on_its_way_arrives_before_a_mark)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(has_sent(&n));
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	settle(n.r);
	assert_false(has_sent(&n));
	assert_int_equal(groups(&n), 3);
	assert_last(&n, "7 %begin 7 source=hook");
	assert_int_equal(recorder_sample(n.r, 0), 0);
	recorder_settle(n.r);
	settle(n.r);
	assert_last(&n, "7");
}

/* Begun again by somebody else meanwhile: the file gets a header. */
TEST(a_sample_on_its_way_gets_the_header_that_it_needs)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	assert_int_equal(unlinkat(n.tree.fd, "archive/n1/current", 0), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(has_sent(&n));
	recorder_settle(n.r);
	settle(n.r);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	recorder_settle(n.r);
	settle(n.r);
	assert_int_equal(groups(&n), 2);
}

TEST(a_sample_whose_writer_hangs_or_dies_is_not_lost)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGSTOP), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(has_sent(&n));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(n.r->out.to.full);
	assert_int_equal(n.r->out.to.unwritten.held, 1);
	assert_int_equal(n.r->out.to.unwritten.n, 2);
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGCONT), 0);
	settle(n.r);

	assert_int_equal(recorder_sample(n.r, 0), 0);	/* the file of what waited was begun */
	settle(n.r);
	size_t before = groups(&n);
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGSTOP), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(has_sent(&n));
	assert_int_equal(kill(n.r->out.to.writer.pid, SIGKILL), 0);
	recorder_settle(n.r);
	settle(n.r);
	assert_int_equal(groups(&n), before + 1);
}

int main(void)
{
	RUN(cmocka_unit_test(requests_share_one_group),
	    cmocka_unit_test(what_hooks_left_is_marked_in_the_order_of_its_time),
	    cmocka_unit_test(a_request_that_was_left_twice_is_marked_once),
	    cmocka_unit_test(a_request_that_is_in_the_archive_is_marked_once),
	    cmocka_unit_test(what_cannot_be_written_stays_left),
	    cmocka_unit_test(an_agent_without_the_lock_of_the_jobs_leaves_what_is_asked_for),
	    cmocka_unit_test(what_no_hook_leaves_is_removed),
	    cmocka_unit_test(what_no_agent_leaves_is_removed),
	    cmocka_unit_test(marks_that_wait_are_found_by_the_next_agent),
	    cmocka_unit_test(of_a_group_that_is_too_large_to_wait_its_marks_do),
	    cmocka_unit_test(a_writer_that_hangs_stops_nobody),
	    cmocka_unit_test(a_sample_on_its_way_arrives_before_a_mark),
	    cmocka_unit_test(a_sample_on_its_way_gets_the_header_that_it_needs),
	    cmocka_unit_test(a_sample_whose_writer_hangs_or_dies_is_not_lost));
}
