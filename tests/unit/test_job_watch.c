/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_watch.c - decide which samples belong to a job, and read the attributes of its marks */
#include "tests/unit/tree.h"

#include <string.h>
#include "base/base.h"
#include "figures/job.h"

#define MARKS 4
#define JOBS  3

/* The marks and jobs of one record, and whether the node was booted before the record. */
struct moment {
	const char *mark[MARKS];
	const char *job[JOBS];
	bool booted;
};

static struct record record_of(const struct moment *m, struct mark mark[MARKS],
			       struct str job[JOBS])
{
	struct record r = { .usec = 1, .mark = mark, .job = job };
	while (r.n_marks < MARKS && m->mark[r.n_marks]) {
		mark[r.n_marks] = mark_parse(str_of(m->mark[r.n_marks]));
		r.n_marks++;
	}
	while (r.n_jobs < JOBS && m->job[r.n_jobs]) {
		job[r.n_jobs] = str_of(m->job[r.n_jobs]);
		r.n_jobs++;
	}
	return r;
}

static unsigned watch(struct job_watch *w, const struct moment *m)
{
	struct mark mark[MARKS];
	struct str job[JOBS];
	const struct record r = record_of(m, mark, job);
	return job_watch_record(w, &r, m->booted);
}

/* Pass the records to a watch of job 7 and compare the actions for each record with want. */
static void assert_actions(const char *what, const struct moment *m, const unsigned *want, size_t n)
{
	struct job_watch w = { .job = STR("7") };
	for (size_t i = 0; i < n; i++) {
		unsigned got = watch(&w, &m[i]);
		if (got != want[i])
			fail_msg("%s: record %zu: %#x, not %#x", what, i, got, want[i]);
	}
}

TEST(run_lasts_from_begin_mark_to_end_mark)
{
	static const struct moment m[] = {
		{ { NULL }, { "8" }, false }, { { "begin 7" }, { "7" }, false },
		{ { NULL }, { "7", "8" }, false }, { { "end 7" }, { "7" }, false },
		{ { NULL }, { "7" }, false }, { { "end 7" }, { NULL }, false },
		{ { "begin 7" }, { "7" }, false },
	};
	static const unsigned want[] = {
		0, JOB_OPEN | JOB_TAKE, JOB_TAKE, JOB_TAKE | JOB_CLOSE, 0, 0, JOB_OPEN | JOB_TAKE,
	};
	assert_actions("marks", m, want, ARRAY_SIZE(m));
}

TEST(samples_before_the_first_begin_mark_are_dropped_once)
{
	static const struct moment m[] = {
		{ { NULL }, { "7" }, false }, { { "begin 7" }, { "7" }, false },
		{ { "begin 7" }, { "7" }, false },
	};
	static const unsigned want[] = {
		JOB_OPEN | JOB_TAKE, JOB_DROP | JOB_OPEN | JOB_TAKE, JOB_TAKE,
	};
	assert_actions("begin marks", m, want, ARRAY_SIZE(m));
}

/* A scheduler starts a job again after a node failure. */
TEST(begin_mark_after_a_boot_or_a_gap_closes_the_lost_run)
{
	static const struct moment boot[] = {
		{ { "begin 7" }, { "7" }, false }, { { "begin 7" }, { "7" }, true },
	};
	static const struct moment left[] = {
		{ { "begin 7" }, { "7" }, false }, { { NULL }, { "8" }, false },
		{ { "begin 7" }, { "7" }, false },
	};
	const unsigned again = JOB_CLOSE_LOST | JOB_OPEN | JOB_TAKE;
	assert_actions("boot", boot, (const unsigned[]){ JOB_OPEN | JOB_TAKE, again }, 2);
	assert_actions("left", left, (const unsigned[]){ JOB_OPEN | JOB_TAKE, 0, again }, 3);
}

TEST(end_mark_after_a_gap_closes_the_run)
{
	static const struct moment m[] = {
		{ { "begin 7" }, { "7" }, false }, { { NULL }, { "8" }, false },
		{ { "end 7" }, { NULL }, false },
	};
	assert_actions("late end", m, (const unsigned[]){ JOB_OPEN | JOB_TAKE, 0,
							  JOB_TAKE | JOB_CLOSE }, 3);
}

TEST(run_that_starts_in_the_record_of_an_end_has_its_own_marks)
{
	static const struct moment m = { { "begin 7 user=a", "end 7 exit=1:0", "begin 7 user=b" },
					 { "7" }, false };
	struct job_watch w = { .job = STR("7") };
	struct mark mark[MARKS];
	struct str job[JOBS], value;
	const struct record r = record_of(&m, mark, job);
	assert_int_equal(job_watch_record(&w, &r, false),
			 JOB_OPEN | JOB_TAKE | JOB_CLOSE | JOB_REOPEN);
	assert_true(job_attribute(&r, STR("7"), STR("user"), &value));
	assert_text(value, STR("a"));
	const struct record next = job_reopen(&w, &r);
	assert_int_equal(w.state, JOB_HERE);
	assert_true(w.begun);
	assert_int_equal(next.n_marks, 1);
	assert_true(job_attribute(&next, STR("7"), STR("user"), &value));
	assert_text(value, STR("b"));
	assert_false(job_attribute(&next, STR("7"), STR("exit"), &value));
}

TEST(attributes_come_from_marks_of_this_run_only)
{
	static const struct moment m = { { "note 7 a=1", "begin 8 a=2 b=2", "end 7 c=3 d= cc=4",
					   "begin 7 e=5" }, { "7" }, false };
	struct mark mark[MARKS];
	struct str job[JOBS], value;
	char text[16] = "before";
	const struct record r = record_of(&m, mark, job);
	mark[0].subject = STR("7"); /* mark_parse() gives an unknown mark no subject */
	mark[0].rest = STR("a=1");
	assert_false(job_attribute(&r, STR("7"), STR("a"), &value));
	assert_false(job_attribute(&r, STR("7"), STR("b"), &value));
	assert_false(job_attribute(&r, STR("7"), STR("e"), &value));
	assert_true(job_attribute(&r, STR("7"), STR("c"), &value));
	assert_text(value, STR("3"));
	assert_false(job_attribute_text(&r, STR("7"), STR("d"), text, sizeof(text)));
	assert_string_equal(text, "before");
	assert_true(job_attribute_text(&r, STR("7"), STR("cc"), text, sizeof(text)));
	assert_string_equal(text, "4");
	assert_false(job_ends_by_later(&r, STR("7")));
}

TEST(source_shows_an_end_by_a_later_job)
{
	static const struct {
		const char *mark;
		bool later;
	} cases[] = {
		{ "end 7 source=later-begin", true }, { "end 7 source=later-begin at=5", true },
		{ "end 8 source=later-begin", false }, { "begin 7 source=later-begin", false },
		{ "end 7", false }, { "end 7 source=hook", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct moment m = { { cases[i].mark }, { NULL }, false };
		struct mark mark[MARKS];
		struct str job[JOBS];
		const struct record r = record_of(&m, mark, job);
		if (job_ends_by_later(&r, STR("7")) != cases[i].later)
			fail_msg("%s", cases[i].mark);
	}
}

/*
 * A record that lists two jobs may be the last record of the first job and the first record of the
 * second job.
 */
TEST(node_is_shared_with_jobs_present_before_and_after_a_record)
{
	static const struct {
		struct moment m;
		unsigned what;
		bool shares;
	} cases[] = {
		{ { { NULL }, { "7" }, false }, JOB_TAKE, false },
		{ { { NULL }, { "7", "8" }, false }, JOB_TAKE, true },
		{ { { "end 8" }, { "8", "7" }, false }, JOB_OPEN | JOB_TAKE, false },
		{ { { "end 8" }, { "8", "7" }, false }, JOB_TAKE, true },
		{ { { "end 8" }, { "8", "7" }, false }, JOB_TAKE | JOB_CLOSE, true },
		{ { { "begin 8" }, { "7", "8" }, false }, JOB_TAKE | JOB_CLOSE, false },
		{ { { "begin 8" }, { "7", "8" }, false }, JOB_TAKE, true },
		{ { { "begin 8" }, { "7", "8" }, false }, JOB_OPEN | JOB_TAKE, true },
		{ { { "end 8" }, { "8", "7", "9" }, false }, JOB_OPEN | JOB_TAKE, true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct job_watch w = { .job = STR("7") };
		struct mark mark[MARKS];
		struct str job[JOBS];
		const struct record r = record_of(&cases[i].m, mark, job);
		if (job_shares(&w, &r, cases[i].what) != cases[i].shares)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(run_lasts_from_begin_mark_to_end_mark),
	    cmocka_unit_test(samples_before_the_first_begin_mark_are_dropped_once),
	    cmocka_unit_test(begin_mark_after_a_boot_or_a_gap_closes_the_lost_run),
	    cmocka_unit_test(end_mark_after_a_gap_closes_the_run),
	    cmocka_unit_test(run_that_starts_in_the_record_of_an_end_has_its_own_marks),
	    cmocka_unit_test(attributes_come_from_marks_of_this_run_only),
	    cmocka_unit_test(source_shows_an_end_by_a_later_job),
	    cmocka_unit_test(
		    node_is_shared_with_jobs_present_before_and_after_a_record));
}
