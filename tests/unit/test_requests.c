/* SPDX-License-Identifier: BSD-3-Clause */
/* test_requests.c - write marks that come together, were left by hooks, or wait for a disk */
#include "tests/unit/heard.h"
#include "tests/unit/recorder_node.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "base/names.h"

#define HEADER "$hpcperfstats 1.0.2\n$agent nodometer " PACKAGE_VERSION "\n" \
	"!nodometer cpu bytes rows errors stalls\n"

static pid_t at_the_disk;	/* waitpid() reports that this process runs, as if a disk hung */

pid_t waitpid(pid_t pid, int *status, int options)
{
	return pid == at_the_disk ? 0 : (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

/* The record group has marks in the order of requests. A job that is requeued has two marks. */
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

TEST(requests_that_hooks_left_are_marked_in_order_of_time)
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

/* A hook that timed out, and the agent that it had asked, both left the request in the spool. */
TEST(a_request_that_was_left_twice_gives_one_mark)
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

/* Both marks of a requeued job, its end and its next begin, have the identity of one request. */
TEST(requests_of_another_kind_or_job_are_not_the_same)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	leave(&n, 1000500000, REQUEST_BEGIN, "7 request=1000500000.12");
	leave(&n, 1000600000, REQUEST_BEGIN, "8 request=1000500000.12");
	leave(&n, 1000700000, REQUEST_MARK, "half request=1000500000.12");
	leave(&n, 1000800000, REQUEST_END, "7 request=1000500000.12");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 4);
	assert_last(&n, "7,8 %begin 7 source=hook request=1000500000.12 at=1000.5 "
		    "%begin 8 source=hook request=1000500000.12 at=1000.6 "
		    "%half request=1000500000.12 "
		    "%end 7 source=hook request=1000500000.12 at=1000.8");
}

/* A process wrote the marks, and was killed before it saved the jobs and removed the requests. */
TEST(a_request_that_is_in_the_archive_gives_no_second_mark)
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
	/* The state file is lost, and a new raw file was started since. */
	assert_int_equal(recorder_rotate(n.r), 0);
	assert_int_equal(unlinkat(n.tree.fd, "run/jobs", 0), 0);
	n.r->jobs.n = 0;
	leave(&n, 1000100000, REQUEST_BEGIN, "7 request=1000100000.11");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
	assert_last(&n, "7");
	assert_int_equal(recorder_end(n.r, STR("7 request=1001100000.11")), 0);
	assert_last(&n, "7 %end 7 source=hook request=1001100000.11");
}

/* The job is marked once even if its hook ran again before the first request was written. */
TEST(a_request_that_cannot_be_written_stays_in_the_spool)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	leave(&n, 1000500000, REQUEST_BEGIN, "7");
	int fd = hold_lock(&n);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), -ETIMEDOUT);
	assert_int_equal(spool_count(n.config.runtime_dir), 1);
	close(fd);
	leave(&n, 1000600000, REQUEST_BEGIN, "7");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_last(&n, "7 %begin 7 source=hook at=1000.5");
	assert_int_equal(spool_count(n.config.runtime_dir), 0);
}

/* After an outage of days there are more requests than one listing returns. */
TEST(oldest_of_many_requests_are_read_first_and_all_are_counted)
{
	enum { MANY = NAMES_MAX + 500 };
	struct node n CLEANUP(node_free);
	struct spooled *all;
	size_t found;
	node_open(&n, false);
	assert_int_equal(spool_open(&n.r->spool, n.config.runtime_dir), 0);
	for (int i = 1; i <= MANY; i++) {
		char name[SPOOL_NAME_SIZE];
		/* the numbers 1 to MANY, each once, in mixed order */
		int at = i * 3 % (MANY + 1);
		snprintf(name, sizeof(name), "%019d.1.1" SPOOL_MARK, at);
		assert_int_equal(spool_leave_named(&n.r->spool, name, STR("mark x")), 0);
	}
	assert_int_equal(spool_count(n.config.runtime_dir), MANY);
	assert_int_equal(spool_read(&n.r->spool, &all, &found), 0);
	assert_int_equal(found, SPOOL_READ_MAX);
	for (size_t i = 0; i < found; i++)
		assert_int_equal(all[i].usec, i + 1);
	spooled_free(all, found);
}

TEST(reports_what_it_removes_from_the_spool)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	char error[768];
	node_open(&n, false);
	recorder_close(n.r);
	assert_int_equal(recorder_open(n.r, &n.config, &listener, error, sizeof(error)), 0);
	/* the message is repeated after the spool is reopened */
	for (unsigned i = 1; i <= 2; i++) {
		tree_put(&n.tree, "run/marks/soon.mark", STR("begin 7"));
		assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
		assert_lines(&heard, i, 0, "marks/soon.mark was not written by");
		spool_close(&n.r->spool);
	}
}

TEST(gives_no_name_twice_when_the_spool_is_opened_again)
{
	struct node n CLEANUP(node_free);
	struct spool s CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	char first[SPOOL_NAME_SIZE], second[SPOOL_NAME_SIZE];
	node_open(&n, false);
	assert_int_equal(spool_open(&s, n.config.runtime_dir), 0);
	spool_name(&s, 1000500000, first);
	spool_close(&s);
	assert_int_equal(spool_open(&s, n.config.runtime_dir), 0);
	spool_name(&s, 1000500000, second);
	assert_string_not_equal(first, second);
}

/*
 * Hold RUNTIME-DIR/marks/lock as a hook does, until the spool is closed. The hook's job is in the
 * state file.
 */
static void hold_jobs(struct node *n, struct spool *s)
{
	assert_int_equal(spool_open(s, n->config.runtime_dir), 0);
	assert_int_equal(spool_lock(s, 0), 0);
	tree_put(&n->tree, "run/jobs", STR("5 1000.000000 hook\n"));
}

/* The agent must not replace a hook's file of jobs, however long the hook holds the lock. */
TEST(an_agent_without_the_jobs_lock_leaves_requests_in_the_spool)
{
	struct node n CLEANUP(node_free);
	struct spool hook CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	const struct job_cgroup g = { .id = "9", .is_new = true };
	struct request q[] = {
		{ .what = REQUEST_BEGIN, .text = STR("7 user=ann") },
		{ .what = REQUEST_END, .text = STR("6") },
		{ .what = REQUEST_BEGIN, .text = STR("a,b") },
	};
	node_open(&n, true);
	assert_int_equal(recorder_begin(n.r, STR("6")), 0);
	hold_jobs(&n, &hook);
	n.r->lock_timed_out = true;	/* the first wait of 1 s has timed out */
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

/* node to which flock() gives the lock just after a hook has saved its job */
static const struct node *locked_late;

int flock(int fd, int operation)
{
	if (locked_late)
		tree_put(&locked_late->tree, "run/jobs", STR("5 1000.000000 hook\n"));
	locked_late = NULL;
	return (int)syscall(SYS_flock, fd, operation);
}

/* The job list is read again under the lock, or this request would overwrite the hook's change. */
TEST(job_that_was_saved_before_the_lock_is_kept)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(recorder_begin(n.r, STR("6")), 0);
	locked_late = &n;
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_null(locked_late);
	assert_last(&n, "5,7 %begin 7 source=hook");
	tree_get(&n.tree, "run/jobs", &n.text);
	assert_true(str_starts(buf_str(&n.text), STR("5 1000 hook\n7 ")));
}

TEST(files_that_no_hook_leaves_are_removed)
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
	/* begin "a,b" and "reboot now" are no valid requests */
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_int_equal(spool_count(n.config.runtime_dir), 0);
	assert_int_equal(n.r->jobs.n, 0);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/current", F_OK, 0), -1);
}

/* Write the file in which a killed agent leaves its waiting record groups. */
static void put_waiting(struct node *n, const char *text)
{
	struct buf file CLEANUP(buf_free) = { 0 };
	uint32_t used[2] = { (uint32_t)strlen(text) };
	buf_add(&file, (struct str){ "groups1", 8 });
	buf_add(&file, (struct str){ (const char *)used, sizeof(used) });
	buf_add(&file, str_of(text));
	tree_put(&n->tree, "run/marks/groups", buf_str(&file));
}

/* Give a mark in the spool, or its folder (""), another owner. */
static void give(const struct node *n, const char *name, uid_t uid)
{
	char path[64];
	snprintf(path, sizeof(path), "run/marks/%s", name);
	assert_int_equal(fchownat(n->tree.fd, path, uid, (gid_t)-1, 0), 0);
}

/* Only root and the owner of the folder are trusted. */
TEST(marks_of_another_owner_are_not_made)
{
	struct node n CLEANUP(node_free);
	struct stat st;
	if (geteuid() != 0)
		skip();
	node_open(&n, false);
	tree_put(&n.tree, "run/marks/5.1.1.mark", STR("begin 5"));
	tree_put(&n.tree, "run/marks/6.1.1.mark", STR("begin 6"));
	tree_put(&n.tree, "run/marks/7.1.1.mark", STR("begin 7"));
	give(&n, "", 1000);
	give(&n, "6.1.1.mark", 1000);
	give(&n, "7.1.1.mark", 1001);
	assert_int_equal(fchownat(n.tree.fd, "run", 1000, (gid_t)-1, 0), 0);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 2);
	assert_last(&n, "5,6 %begin 5 source=hook at=0.000005 "
		    "%begin 6 source=hook at=0.000006");
	assert_int_equal(fstatat(n.tree.fd, "run/marks/7.1.1.mark", &st, 0), -1);
}

/* An agent that starts would write these record groups into the archive. */
TEST(waiting_groups_of_another_owner_are_not_opened)
{
	struct node n CLEANUP(node_free);
	struct spool s CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	if (geteuid() != 0)
		skip();
	node_open(&n, false);
	assert_int_equal(spool_open(&s, n.config.runtime_dir), 0);
	put_waiting(&n, "\n" HEADER "\n5 -\nnodometer - 1 2 1 0 0\n");
	give(&n, "groups", 1001);
	assert_int_equal(spool_open_groups(&s, false), -EPERM);
	give(&n, "groups", 0);
	int fd CLEANUP(close_fd) = spool_open_groups(&s, false);
	assert_true(fd >= 0);
}

/*
 * End agent and writer as SIGKILL does: nothing is written, and the file of waiting record groups
 * stays unchanged.
 */
static void kill_agent(struct node *n)
{
	struct buf file CLEANUP(buf_free) = { 0 };
	tree_get(&n->tree, "run/marks/groups", &file);
	assert_true(file.n > 0);
	n->r->to.unwritten.n = 0;
	recorder_close(n->r);
	tree_put(&n->tree, "run/marks/groups", buf_str(&file));
}

static size_t all_groups(struct node *n)	/* the number of record groups in all files */
{
	struct names names CLEANUP(names_free) = { 0 };
	int fd CLEANUP(close_fd) = openat(n->tree.fd, "archive/n1", O_RDONLY | O_DIRECTORY);
	size_t found = 0;
	assert_int_equal(names_read(&names, fd, "", NAMES_OF_ALL), 0);
	for (size_t i = 0; i < names.n; i++) {
		char path[300];
		struct str line;
		if (names.name[i][0] > '9')
			continue;	/* "current" and "lock" are no raw files */
		snprintf(path, sizeof(path), "archive/n1/%s", names.name[i]);
		tree_get(&n->tree, path, &n->text);
		for (struct str text = buf_str(&n->text); str_take_line(&text, &line); )
			found += line.n == 0;
	}
	return found;
}

/* Any other text in the file of waiting record groups would become a file of the archive. */
TEST(groups_that_no_agent_leaves_are_not_written)
{
	static const char *const texts[] = {
		"", "\n", "\n5 8\nnodometer - 1 2 1 0 0\n", "\n" HEADER,
		"\n" HEADER "\n5 8\nnodometer - 1 2 1 0 0",
		HEADER "\n5 8\nnodometer - 1 2 1 0 0\n",
		"\n" HEADER "\nx 8\nnodometer - 1 2 1 0 0\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct node n CLEANUP(node_free);
		node_open(&n, false);
		leave(&n, 1000500000, REQUEST_BEGIN, "7");
		put_waiting(&n, texts[i]);
		assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
		assert_last(&n, "7 %begin 7 source=hook at=1000.5");
		assert_int_equal(groups(&n), 1);
	}
}

/* A hook that finds no agent first writes the record groups that a killed agent left. */
TEST(groups_of_a_killed_agent_are_written_once)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	put_waiting(&n, "\n" HEADER "\n5 -\nnodometer - 1 2 1 0 0\n\n6 -\nnodometer - 1 2 1 0 0\n");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
	assert_file(&n.tree, "archive/n1/5",
		    STR(HEADER "\n5 -\nnodometer - 1 2 1 0 0\n\n6 -\nnodometer - 1 2 1 0 0\n"));
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);

	/* The previous process wrote two record groups, and was killed before it noted that. */
	put_waiting(&n, "\n" HEADER "\n5 -\nnodometer - 1 2 1 0 0\n\n6 -\nnodometer - 1 2 1 0 0\n"
		    "\n7 -\nnodometer - 1 2 1 0 0\n");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
	assert_last(&n, "-");
	assert_int_equal(groups(&n), 3);
	put_waiting(&n, "\n" HEADER "\n6 -\nnodometer - 1 2 1 0 0\n\n7 -\nnodometer - 1 2 1 0 0\n");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 0);
	assert_int_equal(all_groups(&n), 3);
}

/* Acknowledged marks must outlive an agent that is killed while record groups wait in memory. */
TEST(marks_that_wait_are_found_by_the_next_agent)
{
	struct node n CLEANUP(node_free);
	char error[768];
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_true(n.r->to.full);
	kill_agent(&n);
	close(fd);
	assert_int_equal(recorder_open(n.r, &n.config, NULL, error, sizeof(error)), 0);
	n.r->to.keep = true;
	recorder_keep_groups(n.r);
	assert_int_equal(n.r->to.unwritten.n, 1);
	recorder_settle(n.r);
	assert_int_equal(n.r->to.unwritten.n, 0);
	assert_last(&n, "7 %begin 7 source=hook");
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "7");
}

TEST(a_group_that_is_too_large_to_wait_keeps_its_marks)
{
	struct node n CLEANUP(node_free);
	struct unwritten *p;
	node_open(&n, true);
	grow(&n, 8000);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7 user=ann")), 0);
	p = &n.r->to.unwritten;
	assert_true(n.r->group.n > UNWRITTEN_BYTES_MAX);
	assert_true(n.r->to.full);
	assert_int_equal(p->n, 1);
	/* only the sample of the record group is lost; its marks are kept */
	assert_int_equal(p->lost, 1);
	assert_int_equal(n.r->persistent.marks_lost, 0);
	assert_true(p->text.n < 4096);
	buf_add(&n.text, buf_str(&p->text));
	buf_add_char(&n.text, '\0');
	assert_non_null(strstr(n.text.p, "\n%begin 7 source=hook user=ann\nnodometer - "));
	assert_null(strstr(n.text.p, "\ncpu "));

	close(fd);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_false(n.r->to.full);
	assert_int_equal(p->n, 0);
	assert_last(&n, "7");
}

/* Wait up to 60 s for the archive, since the test machine's disk may be slow. */
static void settle(struct recorder *r)
{
	recorder_settle(r);
	for (int i = 0; i < 6000 && r->to.full; i++) {
		usleep(10000);
		recorder_settle(r);
	}
	assert_false(r->to.full);
	assert_int_equal(r->to.unwritten.n, 0);
}

/* Stop the writer, as a disk that hangs would. */
TEST(a_writer_that_hangs_does_not_stop_the_agent)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	n.r->to.uses_writer = true;
	assert_int_equal(recorder_sample(n.r, 0), 0);
	settle(n.r);
	assert_int_equal(kill(n.r->to.writer.pid, SIGSTOP), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_true(n.r->to.full);
	assert_int_equal(n.r->to.unwritten.in_flight, 1);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(kill(n.r->to.writer.pid, SIGCONT), 0);
	settle(n.r);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	settle(n.r);
	assert_last(&n, "7 %end 7 source=hook");
	assert_int_equal(kill(n.r->to.writer.pid, SIGKILL), 0);
	assert_int_equal(recorder_begin(n.r, STR("8")), 0);
	settle(n.r);
	assert_last(&n, "8 %begin 8 source=hook");
}

/* Make an agent with an interval of 1 s, which batches samples. */
static void node_open_ahead(struct node *n)
{
	node_open(n, true);
	n->config.interval_us = 1000000;
	n->r->to.uses_writer = true;
	assert_int_equal(recorder_tick(n->r, 0, 0), 0);
	settle(n->r);
}

static void ticks(struct node *n, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(recorder_tick(n->r, 0, 0), 0);
}

static size_t waiting(const struct node *n)
{
	return n->r->to.unwritten.n;
}

TEST(samples_of_ten_seconds_are_written_together)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	ticks(&n, 5);
	assert_int_equal(waiting(&n), 5);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(recorder_status(n.r).waiting, 0);
	n.r->to.sent_us -= 10000000;
	ticks(&n, 1);
	assert_int_equal(n.r->to.unwritten.in_flight, 6);
	ticks(&n, 1);
	settle(n.r);
	assert_int_equal(groups(&n), 8);
	assert_last(&n, "-");
}

/* While the writer writes one half of the memory, samples go to the other half. */
TEST(samples_that_fill_half_of_the_memory_are_written)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	n.r->to.batch_us = INT64_MAX;
	grow(&n, 800);
	assert_int_equal(recorder_tick(n.r, 0, 0), 0);	/* the schema has changed */
	for (int i = 0; i < 20 && n.r->to.unwritten.in_flight == 0; i++)
		assert_int_equal(recorder_tick(n.r, 0, 0), 0);
	assert_in_range(waiting(&n), 3, 5);
	assert_int_equal(n.r->to.unwritten.in_flight, waiting(&n));
	settle(n.r);
}

TEST(samples_are_written_before_a_mark)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	ticks(&n, 3);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	if (n.r->to.full)
		settle(n.r);	/* on a busy machine the writer replied too late */
	assert_int_equal(waiting(&n), 0);
	assert_int_equal(groups(&n), 5);
	assert_last(&n, "7 %begin 7 source=hook");
	ticks(&n, 1);
	assert_int_equal(waiting(&n), 1);
	settle(n.r);
	assert_last(&n, "7");
}

/* If another process has started a new file meanwhile, the samples need a header. */
TEST(samples_get_the_header_that_they_need)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	assert_int_equal(unlinkat(n.tree.fd, "archive/n1/current", 0), 0);
	ticks(&n, 2);
	settle(n.r);
	assert_int_equal(groups(&n), 2);
	ticks(&n, 2);
	settle(n.r);
	assert_int_equal(groups(&n), 4);
}

TEST(samples_survive_a_kill_of_agent_and_writer)
{
	struct node n CLEANUP(node_free);
	char error[768];
	node_open_ahead(&n);
	ticks(&n, 3);
	kill_agent(&n);
	assert_int_equal(recorder_open(n.r, &n.config, NULL, error, sizeof(error)), 0);
	n.r->to.keep = n.r->to.uses_writer = true;
	recorder_keep_groups(n.r);
	assert_int_equal(recorder_tick(n.r, 0, 0), 0);
	settle(n.r);
	assert_int_equal(groups(&n), 5);
}

TEST(a_writer_that_ends_long_after_it_was_killed_is_no_zombie)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	n.r->to.uses_writer = true;
	assert_int_equal(recorder_sample(n.r, 0), 0);
	settle(n.r);
	at_the_disk = n.r->to.writer.pid;
	n.r->to.writer.busy_ns = 1;
	writer_stop(&n.r->to.writer);
	pid_t was = at_the_disk;
	assert_int_equal(kill(was, 0), 0);
	at_the_disk = 0;
	for (int i = 0; i < 6000 && kill(was, 0) == 0; i++) {
		assert_int_equal(recorder_sample(n.r, 0), 0);
		usleep(10000);
	}
	assert_int_equal(kill(was, 0), -1);
}

TEST(samples_whose_writer_hangs_or_dies_are_written_once)
{
	struct node n CLEANUP(node_free);
	node_open_ahead(&n);
	assert_int_equal(kill(n.r->to.writer.pid, SIGSTOP), 0);
	n.r->to.sent_us -= 10000000;
	ticks(&n, 1);
	assert_int_equal(n.r->to.unwritten.in_flight, 1);
	/* the reply is not late yet, however long a busy machine takes for the next tick */
	n.r->to.writer.busy_ns += INT64_C(3600000000000);
	ticks(&n, 1);
	assert_int_equal(n.r->to.unwritten.in_flight, 1);
	assert_false(n.r->to.full);
	n.r->to.writer.busy_ns -= INT64_C(3601000000000);
	ticks(&n, 1);
	assert_true(n.r->to.full);
	assert_int_equal(waiting(&n), 3);
	assert_int_equal(kill(n.r->to.writer.pid, SIGCONT), 0);
	settle(n.r);
	assert_int_equal(all_groups(&n), 4);

	ticks(&n, 1);		/* after a failure, the next record group starts a new file */
	settle(n.r);
	assert_int_equal(kill(n.r->to.writer.pid, SIGSTOP), 0);
	n.r->to.sent_us -= 10000000;
	ticks(&n, 1);
	assert_int_equal(n.r->to.unwritten.in_flight, 1);
	assert_int_equal(kill(n.r->to.writer.pid, SIGKILL), 0);
	settle(n.r);
	assert_int_equal(all_groups(&n), 6);

	n.r->to.sent_us -= 10000000;
	ticks(&n, 1);
	size_t tries = 0;
	while (all_groups(&n) < 7 && tries++ < 6000)
		usleep(10000);
	/* the writer has written the record groups, but its answer is lost */
	writer_stop(&n.r->to.writer);
	n.r->to.unwritten.in_flight = 0;
	settle(n.r);
	assert_int_equal(all_groups(&n), 7);
}

int main(void)
{
	RUN(cmocka_unit_test(requests_share_one_group),
	    cmocka_unit_test(requests_that_hooks_left_are_marked_in_order_of_time),
	    cmocka_unit_test(a_request_that_was_left_twice_gives_one_mark),
	    cmocka_unit_test(requests_of_another_kind_or_job_are_not_the_same),
	    cmocka_unit_test(a_request_that_is_in_the_archive_gives_no_second_mark),
	    cmocka_unit_test(a_request_that_cannot_be_written_stays_in_the_spool),
	    cmocka_unit_test(oldest_of_many_requests_are_read_first_and_all_are_counted),
	    cmocka_unit_test(reports_what_it_removes_from_the_spool),
	    cmocka_unit_test(gives_no_name_twice_when_the_spool_is_opened_again),
	    cmocka_unit_test(an_agent_without_the_jobs_lock_leaves_requests_in_the_spool),
	    cmocka_unit_test(job_that_was_saved_before_the_lock_is_kept),
	    cmocka_unit_test(files_that_no_hook_leaves_are_removed),
	    cmocka_unit_test(marks_of_another_owner_are_not_made),
	    cmocka_unit_test(waiting_groups_of_another_owner_are_not_opened),
	    cmocka_unit_test(groups_that_no_agent_leaves_are_not_written),
	    cmocka_unit_test(groups_of_a_killed_agent_are_written_once),
	    cmocka_unit_test(marks_that_wait_are_found_by_the_next_agent),
	    cmocka_unit_test(a_group_that_is_too_large_to_wait_keeps_its_marks),
	    cmocka_unit_test(a_writer_that_hangs_does_not_stop_the_agent),
	    cmocka_unit_test(a_writer_that_ends_long_after_it_was_killed_is_no_zombie),
	    cmocka_unit_test(samples_of_ten_seconds_are_written_together),
	    cmocka_unit_test(samples_that_fill_half_of_the_memory_are_written),
	    cmocka_unit_test(samples_are_written_before_a_mark),
	    cmocka_unit_test(samples_get_the_header_that_they_need),
	    cmocka_unit_test(samples_survive_a_kill_of_agent_and_writer),
	    cmocka_unit_test(samples_whose_writer_hangs_or_dies_are_written_once));
}
