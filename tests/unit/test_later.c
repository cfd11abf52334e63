/* SPDX-License-Identifier: BSD-3-Clause */
/* test_later.c - once a later job has the node to itself, end a job whose end mark was lost */
#include "tests/unit/recorder_node.h"

#include "base/clock.h"
#include "base/names.h"
#include "base/vec.h"

#define UID "54321"	/* a user id that has no processes here */

static bool list_is_full;	/* names_read() reads NAMES_MAX names, as if it left out others */

int __real_names_read(struct names *n, int dirfd, const char *prefix, enum names_of of);
int __wrap_names_read(struct names *n, int dirfd, const char *prefix, enum names_of of);
int __wrap_names_read(struct names *n, int dirfd, const char *prefix, enum names_of of)
{
	int r = __real_names_read(n, dirfd, prefix, of);
	if (!list_is_full)
		return r;
	n->name = vec_reserve(n->name, &n->cap, NAMES_MAX, sizeof(*n->name));
	while (n->n < NAMES_MAX)
		str_copy(n->name[n->n++], NAME_SIZE, STR("name"));
	return r;
}

/*
 * Start an agent on a node with two processes, which belong to the user who runs the test. A hook
 * then begins job 7 with this text.
 */
static void begin_7(struct node *n, const char *text)
{
	node_open(n, true);
	tree_put(&n->tree, "root/proc/1/stat", STR(""));
	tree_put(&n->tree, "root/proc/4711/stat", STR(""));
	assert_int_equal(recorder_begin(n->r, str_of(text)), 0);
}

TEST(earlier_job_ends_with_its_own_mark)
{
	struct node n CLEANUP(node_free);
	begin_7(&n, "7 uid=" UID);
	assert_int_equal(recorder_begin(n.r, STR("8 exclusive=yes uid=" UID)), 0);
	assert_last(&n, "7,8 %end 7 source=later-begin by=8 "
		    "%begin 8 source=hook exclusive=yes uid=" UID);
	assert_int_equal(n.r->persistent.ended_later, 1);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "8");
}

static void open_again(struct node *n)
{
	char error[768];
	recorder_close(n->r);
	assert_int_equal(recorder_open(n->r, &n->config, NULL, error, sizeof(error)), 0);
	n->r->to.keep = true;
}

/*
 * An agent that was restarted in the meantime ends the earlier job, too. A late end from that job's
 * hook writes no second end mark.
 */
TEST(earlier_job_ends_once_over_restarts)
{
	struct node n CLEANUP(node_free);
	begin_7(&n, "7 uid=" UID);
	open_again(&n);
	assert_int_equal(recorder_begin(n.r, STR("8 exclusive=yes")), 0);
	assert_last(&n, "7,8 %end 7 source=later-begin by=8 %begin 8 source=hook exclusive=yes");
	assert_int_equal(recorder_end(n.r, STR("7")), -EALREADY);
	assert_last(&n, "8");
	tree_put(&n.tree, "run/jobs", STR("7 1000.5 ended later\n6 1000.5 ended\n"));
	open_again(&n);
	assert_int_equal(recorder_end(n.r, STR("7")), -EALREADY);
	assert_int_equal(recorder_end(n.r, STR("6")), -ENOENT);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_last(&n, "7 %begin 7 source=hook");
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
}

/* Job 7 does not end if it may share the node with job 8, or may still run. */
TEST(job_that_may_still_run_does_not_end)
{
	char with_process[64];
	snprintf(with_process, sizeof(with_process), "7 uid=%u", (unsigned)geteuid());
	const struct {
		const char *seven, *eight;
		bool grouped, no_proc;
	} cases[] = {
		{ "7 uid=" UID, "8",               false, false },
		{ "7 uid=" UID, "8 exclusive=no",  false, false },
		{ with_process, "8 exclusive=yes", false, false },
		{ "7",          "8 exclusive=yes", false, false },
		{ "7 uid=" UID, "8 exclusive=yes", true,  false },
		{ "7 uid=" UID, "8 exclusive=yes", false, true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		begin_7(&n, cases[i].seven);
		jobs_get(&n.r->jobs, STR("7"))->grouped = cases[i].grouped;
		recorder_save_jobs(n.r);
		if (cases[i].no_proc) {
			assert_int_equal(unlinkat(n.tree.fd, "root/proc/1/stat", 0), 0);
			assert_int_equal(unlinkat(n.tree.fd, "root/proc/1", AT_REMOVEDIR), 0);
		}
		assert_int_equal(recorder_begin(n.r, str_of(cases[i].eight)), 0);
		assert_int_equal(recorder_sample(n.r, 0), 0);
		assert_last(&n, "7,8");
	}
}

/* If the agent does not watch cgroups, the rows of type job show which jobs have a cgroup. */
TEST(job_with_a_row_does_not_end)
{
	static const struct {
		const char *group, *last;
	} cases[] = {
		{ "job_7", "7,8 %begin 8 source=hook exclusive=yes" },
		{ "job_6", "7,8 %end 7 source=later-begin by=8 "
			   "%begin 8 source=hook exclusive=yes" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		char path[128];
		begin_7(&n, "7 uid=" UID);
		snprintf(path, sizeof(path), "root/sys/fs/cgroup/system.slice/slurmstepd.scope/"
			 "%s/cpu.stat", cases[i].group);
		tree_put(&n.tree, path, STR("usage_usec 5\n"));
		n.config.job_cgroups = false;
		for (size_t k = 0; k < n_collectors; k++)
			if (strcmp(types[k]->name, "job") == 0)
				n.config.use[k] = USE_ON;
		open_again(&n);
		assert_int_equal(recorder_begin(n.r, STR("8 exclusive=yes")), 0);
		assert_last(&n, cases[i].last);
	}
}

/*
 * If /proc has more entries than names_read() lists, the user may have a process that is not
 * listed.
 */
TEST(job_does_not_end_if_processes_were_not_listed)
{
	struct node n CLEANUP(node_free);
	begin_7(&n, "7 uid=" UID);
	list_is_full = true;
	assert_int_equal(recorder_begin(n.r, STR("8 exclusive=yes")), 0);
	list_is_full = false;
	assert_last(&n, "7,8 %begin 8 source=hook exclusive=yes");
}

/* A request made before job 7 began does not show that job 7 has ended. */
TEST(old_request_ends_no_later_job)
{
	struct node n CLEANUP(node_free);
	begin_7(&n, "7 uid=" UID);
	struct request q = { .what = REQUEST_BEGIN, .usec = 1000500000,
			     .text = STR("8 exclusive=yes") };
	assert_int_equal(recorder_requests(n.r, &q, 1), 0);
	assert_last(&n, "7,8 %begin 8 source=hook exclusive=yes at=1000.5");
}

/* The clock of the node was ahead when the hook left the request for the agent. */
TEST(begin_that_was_left_in_the_future_is_a_begin_now)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	int64_t before = realtime_us();
	leave(&n, before + 3600 * INT64_C(1000000), REQUEST_BEGIN, "7");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
	assert_last(&n, "7 %begin 7 source=hook");
	assert_in_range(jobs_find(&n.r->jobs, STR("7"))->since_us, before, realtime_us());
}

TEST(exclusive_jobs_needs_no_attribute_of_the_job)
{
	struct node n CLEANUP(node_free);
	struct job_cgroup g = { .id = "9", .is_new = true };
	begin_7(&n, "7");
	n.config.exclusive_jobs = true;
	assert_int_equal(recorder_begin(n.r, STR("8")), 0);
	assert_last(&n, "7,8 %end 7 source=later-begin by=8 %begin 8 source=hook");
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	assert_last(&n, "8,9 %end 8 source=later-begin by=9 %begin 9 source=cgroup");
}

TEST(job_ends_at_the_time_its_group_disappeared)
{
	struct node n CLEANUP(node_free);
	struct job_cgroup g = { .id = "9", .is_new = true };
	node_open(&n, true);
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	g.is_new = false;
	g.gone_us = 1002500000;
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	assert_last(&n, "9 %end 9 source=cgroup at=1002.5");
	assert_int_equal(recorder_groups(n.r, &g, 1), 0);
}

TEST(simultaneous_requests_keep_their_order)
{
	struct node n CLEANUP(node_free);
	begin_7(&n, "7 uid=" UID);
	struct request q[] = {
		{ .what = REQUEST_BEGIN, .text = STR("8 exclusive=yes") },
		{ .what = REQUEST_END, .text = STR("7") },
		{ .what = REQUEST_BEGIN, .text = STR("7") },
	};
	assert_int_equal(recorder_requests(n.r, q, 2), 0);
	assert_int_equal(q[1].result, -EALREADY);
	assert_last(&n, "7,8 %end 7 source=later-begin by=8 %begin 8 source=hook exclusive=yes");
	buf_free(&q[1].summary);
	assert_int_equal(recorder_requests(n.r, &q[2], 1), 0);
	assert_last(&n, "8,7 %begin 7 source=hook");
}

/*
 * The hook reports a job that its cgroup has started. The job then has the owner named by the hook.
 */
TEST(hook_that_adopts_a_job_names_its_owner)
{
	struct node n CLEANUP(node_free);
	struct job_cgroup g = { .id = "9", .is_new = true };
	node_open(&n, true);
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	assert_int_equal(recorder_begin(n.r, STR("9 uid=" UID " user=ann gpus=0-1")), -EEXIST);
	assert_last(&n, "9 %attributes 9 source=hook uid=" UID " user=ann gpus=0-1");
	const struct job *job = jobs_find(&n.r->jobs, STR("9"));
	assert_int_equal(job->source, JOB_FROM_HOOK);
	assert_int_equal(job->uid, 54321);
	assert_string_equal(job->user, "ann");
	assert_string_equal(job->gpus, "0-1");
	assert_true(job->grouped);
}

/* The job was requeued and its end was lost. Its cgroup belongs to the next run. */
TEST(next_run_of_a_job_has_its_group)
{
	struct node n CLEANUP(node_free);
	struct job_cgroup g = { .id = "9", .is_new = true };
	node_open(&n, true);
	assert_int_equal(recorder_groups(n.r, &g, 1), 1);
	assert_int_equal(recorder_begin(n.r, STR("9")), -EEXIST);
	jobs_get(&n.r->jobs, STR("9"))->hooked_us -= 61000000;
	recorder_save_jobs(n.r);
	assert_int_equal(recorder_begin(n.r, STR("9")), 0);
	assert_last(&n, "9 %end 9 source=hook %begin 9 source=hook");
	assert_true(jobs_find(&n.r->jobs, STR("9"))->grouped);
}

int main(void)
{
	RUN(cmocka_unit_test(earlier_job_ends_with_its_own_mark),
	    cmocka_unit_test(earlier_job_ends_once_over_restarts),
	    cmocka_unit_test(job_that_may_still_run_does_not_end),
	    cmocka_unit_test(job_with_a_row_does_not_end),
	    cmocka_unit_test(job_does_not_end_if_processes_were_not_listed),
	    cmocka_unit_test(old_request_ends_no_later_job),
	    cmocka_unit_test(begin_that_was_left_in_the_future_is_a_begin_now),
	    cmocka_unit_test(exclusive_jobs_needs_no_attribute_of_the_job),
	    cmocka_unit_test(hook_that_adopts_a_job_names_its_owner),
	    cmocka_unit_test(next_run_of_a_job_has_its_group),
	    cmocka_unit_test(job_ends_at_the_time_its_group_disappeared),
	    cmocka_unit_test(simultaneous_requests_keep_their_order));
}
