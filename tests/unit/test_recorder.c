/* SPDX-License-Identifier: BSD-3-Clause */
/* test_recorder.c - record jobs, marks and samples, and compare the archive */
#include "base/clock.h"
#include "tests/unit/heard.h"
#include "tests/unit/recorder_node.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

TEST(a_job_owns_the_groups_from_its_begin_to_its_end)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "-");
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_last(&n, "7 %begin 7 source=hook");
	assert_int_equal(recorder_begin(n.r, STR("8")), 0);
	assert_last(&n, "7,8 %begin 8 source=hook");
	assert_int_equal(recorder_mark(n.r, STR("a\nword")), 0);
	assert_last(&n, "7,8 %a?word");
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_last(&n, "7,8 %end 7 source=hook");
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "8");
	assert_int_equal(groups(&n), 6);
}

TEST(repeated_begins_and_ends_without_a_begin_are_reported)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), -EEXIST);
	assert_last(&n, "7");
	assert_int_equal(recorder_end(n.r, STR("9")), -ENOENT);
	assert_last(&n, "7,9 %end 9 source=hook");
	assert_int_equal(recorder_begin(n.r, STR("a b")), -EINVAL);
	assert_int_equal(recorder_end(n.r, STR("-")), -EINVAL);
	assert_int_equal(groups(&n), 3);
}

/*
 * Without an agent, each hook is a process of its own, so another process sees the second end of a
 * job.
 */
TEST(a_second_end_is_recognised_by_another_process)
{
	struct node n CLEANUP(node_free);
	char error[768];
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	recorder_close(n.r);
	assert_int_equal(recorder_open(n.r, &n.config, NULL, error, sizeof(error)), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), -EALREADY);
	assert_last(&n, "-");
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_last(&n, "7 %begin 7 source=hook");
}

/* The job was requeued, and its epilog was lost. */
TEST(a_begin_long_after_the_last_one_is_the_next_run)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	n.r->jobs.job[0].hooked_us -= 61000000;
	assert_int_equal(recorder_begin(n.r, STR("7 restart=1")), 0);
	assert_last(&n, "7 %end 7 source=hook %begin 7 source=hook restart=1");
	assert_int_equal(recorder_begin(n.r, STR("7 restart=1")), -EEXIST);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_last(&n, "7 %end 7 source=hook");
}

TEST(jobs_outlive_the_process_that_began_them)
{
	struct node n CLEANUP(node_free);
	char error[768];
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	recorder_close(n.r);
	assert_int_equal(recorder_open(n.r, &n.config, NULL, error, sizeof(error)), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "7");
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_last(&n, "7 %end 7 source=hook");
	assert_int_equal(groups(&n), 3);
}

TEST(a_state_file_that_cannot_be_read_stops_no_sample)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	tree_put(&n.tree, "run/jobs/x", STR("a folder where a file should be"));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "-");
}

TEST(the_job_file_begins_and_ends_jobs)
{
	static const struct {
		const char *text;	/* text of the job file; NULL: no file */
		const char *want;
		size_t groups;
	} steps[] = {
		{ "-\n",          "-", 1 },
		{ "7\n",          "7 %begin 7 source=file", 2 },
		{ "7\n",          "7 %begin 7 source=file", 2 },
		{ "8\n",          "7,8 %end 7 source=file %begin 8 source=file", 3 },
		{ "-\n",          "8 %end 8 source=file", 4 },
		{ "",             "8 %end 8 source=file", 4 },
		{ " 9 \n",        "9 %begin 9 source=file", 5 },
		{ "9\n10\n",      "9 %end 9 source=file", 6 },	/* the job file has two lines */
		{ "11",           "11 %begin 11 source=file", 7 },
		{ NULL,           "11 %end 11 source=file", 8 },
		{ "a,b\n",        "11 %end 11 source=file", 8 },
	};
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (steps[i].text)
			tree_put(&n.tree, "job", str_of(steps[i].text));
		else
			assert_int_equal(unlinkat(n.tree.fd, "job", 0), 0);
		assert_true(recorder_job_file(n.r) >= 0);
		assert_last(&n, steps[i].want);
		assert_int_equal(groups(&n), steps[i].groups);
	}
}

/* The state file cannot be read, because a folder has its name. */
TEST(a_state_file_that_cannot_be_read_is_reported_once_each_time)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	node_open(&n, true);
	n.r->listener = &listener;
	for (unsigned times = 1; times <= 2; times++) {
		assert_int_equal(mkdirat(n.tree.fd, "run/jobs", 0755), 0);
		for (int i = 0; i < 3; i++)
			assert_int_equal(recorder_sample(n.r, 0), 0);
		assert_lines(&heard, times, 0, "run/jobs: Is a directory; jobs that other "
			     "processes began");
		assert_int_equal(unlinkat(n.tree.fd, "run/jobs", AT_REMOVEDIR), 0);
		tree_put(&n.tree, "run/jobs", STR("7 10 hook\n"));
		assert_int_equal(recorder_sample(n.r, 0), 0);
		assert_last(&n, "7");
		assert_int_equal(unlinkat(n.tree.fd, "run/jobs", 0), 0);
	}
}

static void assert_ended(const struct node *n, const char *id, const char *want)
{
	struct str line = buf_str(&n->r->ended);
	struct buf start CLEANUP(buf_free) = { 0 };
	buf_addf(&start, "{\"job\":\"%s\",\"host\":\"n1\",\"end\":", id);
	assert_true(str_starts(line, buf_str(&start)));
	assert_true(str_ends(line, str_of(want)));
}

TEST(jobs_that_no_hook_ends_have_summaries_of_their_own)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 100 0 0 4\n"));
	tree_put(&n.tree, "job", STR("7\n"));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(recorder_job_file(n.r), 1);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 300 0 50 4\n"));
	tree_put(&n.tree, "job", STR("8\n"));
	assert_int_equal(recorder_job_file(n.r), 1);
	assert_ended(&n, "7", ",\"complete\":true,\"schema\":1,\"cpu_user\":2,\"cpu_sys\":0.5}");
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 400 0 50 4\n"));
	assert_int_equal(recorder_begin(n.r, STR("9")), 0);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 500 0 50 4\n"));
	tree_put(&n.tree, "job", STR("-\n"));
	assert_int_equal(recorder_job_file(n.r), 1);
	assert_ended(&n, "8",
		     ",\"shared\":true,\"complete\":true,\"schema\":1,"
		     "\"cpu_user\":2,\"cpu_sys\":0}");
	assert_int_equal(recorder_end(n.r, STR("9")), 0);
	assert_ended(&n, "9",
		     ",\"shared\":true,\"complete\":true,\"schema\":1,"
		     "\"cpu_user\":1,\"cpu_sys\":0}");
	assert_int_equal(recorder_end(n.r, STR("9")), -EALREADY);
	assert_text(buf_str(&n.r->ended),
		    STR("{\"job\":\"9\",\"host\":\"n1\",\"complete\":false,\"schema\":1}"));
}

/* If another process began the job again, the agent's own begin mark belongs to the earlier run. */
TEST(a_job_that_was_begun_elsewhere_has_no_begin_here)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	tree_put(&n.tree, "run/jobs", STR("7 1000.5 hook\n8 1000.5 hook\n"));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_ended(&n, "7", ",\"shared\":true,\"complete\":false,\"schema\":1}");
	assert_int_equal(recorder_end(n.r, STR("8")), 0);
	assert_ended(&n, "8", ",\"shared\":true,\"complete\":false,\"schema\":1}");
}

TEST(the_job_file_does_not_end_a_job_of_a_hook)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	tree_put(&n.tree, "job", STR("7\n"));
	assert_true(recorder_job_file(n.r) >= 0);
	tree_put(&n.tree, "job", STR("-\n"));
	assert_true(recorder_job_file(n.r) >= 0);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
}

TEST(the_agent_keeps_its_groups_while_another_holds_the_lock)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 10000000), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_sample(n.r, 11000000), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_true(n.r->to.full);
	assert_int_equal(n.r->to.unwritten.n, 2);
	assert_int_equal(groups(&n), 1);

	close(fd);
	assert_int_equal(recorder_sample(n.r, 12000000), 0);
	assert_false(n.r->to.full);
	assert_int_equal(n.r->to.unwritten.n, 0);
	assert_last(&n, "7");
	assert_int_equal(groups(&n), 1);
	tree_get(&n.tree, "archive/n1/11", &n.text);
	assert_true(str_starts(buf_str(&n.text), STR("$hpcperfstats 1.0.2\n")));
	buf_add_char(&n.text, '\0');
	assert_non_null(strstr(n.text.p, "\n\n11 -\ncpu 0 1 2 3 4\n"));
	assert_non_null(strstr(n.text.p, " 7\n%begin 7 source=hook\n"));
}

TEST(a_reload_keeps_groups_that_wait_and_counts)
{
	struct node n CLEANUP(node_free);
	char error[768] = "";
	node_open(&n, true);
	assert_int_equal(recorder_serve(n.r, 10), 0);
	assert_int_equal(recorder_tick(n.r, 10000000, 3), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	struct recorder_status before = recorder_status(n.r);
	assert_non_null(before.stopped);
	assert_int_equal(before.waiting, 1);

	n.config.deadline_us *= 2;
	int64_t cpu_ns = n.r->sampler.cpu_ns;
	assert_true(cpu_ns > 0);
	assert_int_equal(recorder_reopen(n.r, error, sizeof(error)), 0);
	/* the next sample counts from this value */
	assert_int_equal(n.r->sampler.cpu_ns, cpu_ns);
	struct recorder_status after = recorder_status(n.r);
	assert_int_equal(after.waiting, 1);
	assert_int_equal(after.samples, 2);
	assert_int_equal(after.missed, 3);
	close(fd);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	after = recorder_status(n.r);
	assert_null(after.stopped);
	assert_int_equal(after.waiting, 0);
	assert_last(&n, "7");
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_non_null(strstr(n.r->ended.p, "\"job\":\"7\""));
}

/*
 * Return the agent's CPU time in nanoseconds, from the agent's own row in the newest record group.
 */
static uint64_t cpu_of_last_sample(const struct node *n)
{
	struct str text = buf_str(&n->r->group), line;
	uint64_t ns = 0;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("nodometer - ")))
			assert_true(str_take_u64(&line, &ns));
	return ns;
}

TEST(keeps_counts_and_settings_over_a_reload)
{
	struct node n CLEANUP(node_free);
	struct programs programs = { 0 };
	char error[768] = "";
	node_open(&n, true);
	assert_int_equal(recorder_serve(n.r, 10), 0);
	recorder_set_programs(n.r, &programs);
	assert_int_equal(recorder_tick(n.r, 10000000, 3), 0);
	n.r->persistent.ended_later = 4;
	n.r->persistent.unreported = 5;
	n.r->to.unwritten.lost = 6;
	n.r->persistent.marks_lost = 8;
	n.r->to.counts = (struct archiver_counts){ .failed = 7, .removed_us = 9 };
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 50000000)
		;	/* make the total CPU time differ from that of one sample */
	assert_int_equal(recorder_tick(n.r, 11000000, 0), 0);
	n.r->persistent.unreported = 5;
	n.r->to.counts.failed = 7;
	struct recorder_status before = recorder_status(n.r);

	assert_int_equal(recorder_reopen(n.r, error, sizeof(error)), 0);
	struct recorder_status after = recorder_status(n.r);
	assert_int_equal(after.samples, 2);
	assert_int_equal(after.missed, 3);
	assert_int_equal(after.ended_later, 4);
	assert_int_equal(after.lost, 6);
	assert_int_equal(after.marks_lost, 8);
	assert_int_equal(after.removed_us, 9);
	assert_int_equal(after.last_us, before.last_us);
	assert_int_equal(n.r->persistent.unreported, 5);
	assert_int_equal(archiver_take_failed(&n.r->to), 7);
	assert_ptr_equal(n.r->sampler.shared.programs, &programs);

	uint64_t cpu_ns = (uint64_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(cpu_of_last_sample(&n) < cpu_ns);
}

TEST(nobody_appends_without_the_lock)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	assert_int_equal(recorder_begin(n.r, STR("7")), -ETIMEDOUT);
	assert_last(&n, "-");
	close(fd);
}

TEST(on_a_full_disk_groups_wait_with_their_header)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 10000000), 0);
	n.r->to.store.place.free_floor = INT64_MAX;
	n.r->to.store.archive.floor_checked_ns = 0;
	assert_int_equal(recorder_sample(n.r, 11000000), 0);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 1 2 3 4 5\n"));
	assert_int_equal(recorder_sample(n.r, 12000000), 0);
	assert_int_equal(recorder_sample(n.r, 13000000), 0);
	assert_int_equal(n.r->to.unwritten.n, 3);

	n.r->to.store.place.free_floor = 0;
	assert_int_equal(recorder_sample(n.r, 14000000), 0);
	assert_int_equal(n.r->to.unwritten.n, 0);
	assert_int_equal(groups(&n), 1);
	tree_get(&n.tree, "archive/n1/11", &n.text);
	buf_add_char(&n.text, '\0');
	const char *first = strstr(n.text.p, "!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E");
	const char *second = first ? strstr(first, "\n\n$hpcperfstats ") : NULL;
	assert_non_null(second);
	assert_null(strstr(second + 3, "$hpcperfstats "));
	assert_non_null(strstr(second, " iowait,E,U=cs\n"));
	assert_non_null(strstr(second, "\n\n12 -\ncpu 0 1 2 3 4 5\n"));
	assert_non_null(strstr(second, "\n\n13 -\ncpu 0 1 2 3 4 5\n"));
}

TEST(groups_wait_until_a_broken_archive_works_again)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(symlinkat("nowhere", n.tree.fd, "archive"), 0);
	assert_true(recorder_sample(n.r, 0) < 0);	/* the archive does not exist yet */
	assert_int_equal(unlinkat(n.tree.fd, "archive", 0), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);

	assert_int_equal(renameat(n.tree.fd, "archive/n1/current", n.tree.fd, "archive/n1/x"), 0);
	assert_int_equal(mkdirat(n.tree.fd, "archive/n1/current", 0755), 0);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(n.r->to.full);
	assert_int_equal(n.r->to.unwritten.n, 2);

	assert_int_equal(unlinkat(n.tree.fd, "archive/n1/current", AT_REMOVEDIR), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_false(n.r->to.full);
	assert_last(&n, "7 %end 7 source=hook");
}

TEST(a_new_schema_or_a_new_day_begins_a_new_file)
{
	struct node n CLEANUP(node_free);
	setenv("TZ", "UTC", 1);
	node_open(&n, false);
	assert_int_equal(recorder_sample(n.r, 10000000), 0);
	assert_int_equal(recorder_sample(n.r, 11000000), 0);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 1 2 3 4 5\n"));
	assert_int_equal(recorder_sample(n.r, 12000000), 0);
	assert_int_equal(recorder_sample(n.r, 86400000000), 0);
	assert_int_equal(recorder_rotate(n.r), 0);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/10", F_OK, 0), 0);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/11", F_OK, 0), -1);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/12", F_OK, 0), 0);
	assert_int_equal(faccessat(n.tree.fd, "archive/n1/86400", F_OK, 0), 0);
	assert_int_equal(groups(&n), 1);
	unsetenv("TZ");
}

TEST(an_archive_that_was_removed_is_made_again)
{
	struct node n CLEANUP(node_free);
	char path[CONFIG_TEXT_MAX + 4];
	node_open(&n, true);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	snprintf(path, sizeof(path), "%s/n1", n.config.dir);
	assert_int_equal(nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "7");
}

TEST(dialect_2_3_names_the_host_in_each_group)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	str_copy(n.config.dialect, sizeof(n.config.dialect), STR("2.3"));
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_last(&n, "7 n1 %begin 7 source=hook");
	assert_true(str_starts(buf_str(&n.text), STR("$hpcperfstats 2.3.5\n$hostname n1\n")));
}

/*
 * A process that has no free descriptor to read the file of jobs must not overwrite it later,
 * because another process may have changed the file.
 */
TEST(jobs_that_cannot_be_read_are_read_at_the_next_sample)
{
	struct node n CLEANUP(node_free);
	struct rlimit limit, none;
	node_open(&n, true);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	tree_put(&n.tree, "run/jobs", STR("7 1000.000000 hook\n8 1001.000000 hook\n"));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ 0, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	recorder_look(n.r);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(n.r->jobs.n, 1);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_last(&n, "7,8 %end 7 source=hook");
}

int main(void)
{
	RUN(cmocka_unit_test(jobs_that_cannot_be_read_are_read_at_the_next_sample),
	    cmocka_unit_test(a_job_owns_the_groups_from_its_begin_to_its_end),
	    cmocka_unit_test(repeated_begins_and_ends_without_a_begin_are_reported),
	    cmocka_unit_test(a_second_end_is_recognised_by_another_process),
	    cmocka_unit_test(a_begin_long_after_the_last_one_is_the_next_run),
	    cmocka_unit_test(jobs_outlive_the_process_that_began_them),
	    cmocka_unit_test(a_state_file_that_cannot_be_read_stops_no_sample),
	    cmocka_unit_test(the_job_file_begins_and_ends_jobs),
	    cmocka_unit_test(
		    a_state_file_that_cannot_be_read_is_reported_once_each_time),
	    cmocka_unit_test(jobs_that_no_hook_ends_have_summaries_of_their_own),
	    cmocka_unit_test(a_job_that_was_begun_elsewhere_has_no_begin_here),
	    cmocka_unit_test(the_job_file_does_not_end_a_job_of_a_hook),
	    cmocka_unit_test(the_agent_keeps_its_groups_while_another_holds_the_lock),
	    cmocka_unit_test(a_reload_keeps_groups_that_wait_and_counts),
	    cmocka_unit_test(keeps_counts_and_settings_over_a_reload),
	    cmocka_unit_test(nobody_appends_without_the_lock),
	    cmocka_unit_test(on_a_full_disk_groups_wait_with_their_header),
	    cmocka_unit_test(groups_wait_until_a_broken_archive_works_again),
	    cmocka_unit_test(a_new_schema_or_a_new_day_begins_a_new_file),
	    cmocka_unit_test(an_archive_that_was_removed_is_made_again),
	    cmocka_unit_test(dialect_2_3_names_the_host_in_each_group));
}
