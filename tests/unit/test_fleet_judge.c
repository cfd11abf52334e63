/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fleet_judge.c - find faulty nodes of a fleet, with values at the limits of each rule */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/vec.h"
#include "report/fleet/judge.h"
#include "report/fleet/print_fleet.h"

#define NOW    INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)
#define SILENT (30 * MINUTE)

/* Add a node with types a and b. age_us: age of its last record; written_us: age of its file. */
static struct fleet_node *add(struct fleet *f, int64_t age_us, int64_t written_us)
{
	f->node = vec_reserve(f->node, &f->cap, f->n + 1, sizeof(*f->node));
	struct fleet_node *n = &f->node[f->n];
	*n = (struct fleet_node){ .there = true, .written_us = NOW - written_us };
	char name[16];
	snprintf(name, sizeof(name), "n%zu", f->n++);
	n->name = xstrdup(str_of(name));
	n->look = (struct look){ .first_us = NOW - age_us - 60 * MINUTE, .last_us = NOW - age_us,
				 .program = xstrdup(STR("1")) };
	buf_add(&n->look.types, (struct str){ "a\0b", 4 });
	return n;
}

static struct fleet fleet_of(size_t n)
{
	struct fleet f = { .now_us = NOW, .silent_us = SILENT };
	for (size_t i = 0; i < n; i++)
		add(&f, MINUTE, MINUTE);
	return f;
}

static void free_fleet(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->node[i].name);
		look_free(&f->node[i].look);
		for (size_t k = 0; k < FLEET_FAULTS; k++)
			buf_free(&f->node[i].fault[k]);
	}
	free(f->node);
	free(f->program);
}

/* Return the number of nodes that have this fault. */
static size_t faults(const struct fleet *f, enum fleet_fault which)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		n += f->node[i].fault[which].n > 0;
	return n;
}

TEST(node_is_silent_after_the_limit)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(2);
	add(&f, SILENT, SILENT);
	add(&f, SILENT + MINUTE, SILENT + MINUTE);
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_SILENT), 1);
	assert_true(f.node[3].fault[FLEET_SILENT].n > 0);
	assert_true(f.node[2].delivers && !f.node[3].delivers);
	assert_int_equal(f.faulty, 1);
}

/*
 * A file that is written long after the time of its last record comes from a node with a slow
 * clock.
 */
TEST(clock_is_slow_if_most_nodes_have_a_right_one)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(4);
	add(&f, 20 * MINUTE, MINUTE);
	add(&f, -2 * MINUTE, 0);
	add(&f, -MINUTE / 2, 0);	/* this age is within the tolerance for clock differences */
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_CLOCK), 2);
	assert_true(f.node[4].fault[FLEET_CLOCK].n > 0);	/* a slow clock */
	assert_true(f.node[5].fault[FLEET_CLOCK].n > 0);	/* a clock ahead of time */
}

/*
 * Most files were modified long after their last records were made, so the files are copies. Their
 * modification times then show nothing about the nodes' clocks.
 */
TEST(copies_of_files_show_no_slow_clock)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(1);
	for (int i = 0; i < 4; i++)
		add(&f, 20 * MINUTE, MINUTE);
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_CLOCK), 0);
}

/*
 * A node has a fault if it lacks a type that at least nine of ten other nodes have. With eleven
 * nodes, one or two can have this fault. If three nodes lack the type, no node has the fault.
 */
TEST(type_is_missing_if_nine_of_ten_other_nodes_have_it)
{
	for (size_t lacking = 1; lacking <= 3; lacking++) {
		struct fleet f CLEANUP(free_fleet) = fleet_of(11);
		for (size_t i = 0; i < lacking; i++)
			f.node[i].look.types.n = 2;	/* these nodes have only type "a" */
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_TYPES), lacking <= 2 ? lacking : 0);
	}
}

TEST(version_differs_if_more_than_half_have_another)
{
	for (size_t others = 1; others <= 2; others++) {
		struct fleet f CLEANUP(free_fleet) = fleet_of(4);
		for (size_t i = 0; i < others; i++)
			f.node[i].look.program[0] = '2';
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_VERSION), others < 2 ? 1 : 0);
	}
}

static void give_job(struct fleet_node *n, bool owns, int64_t ended_us)
{
	n->look.job = xrealloc(NULL, sizeof(*n->look.job));
	n->look.n_jobs = 1;
	n->look.job[0] = (struct look_job){ .id = xstrdup(STR("7")), .listed_first = true,
					    .owns = owns, .ended_us = ended_us };
}

/* The job has ended on two nodes. The epilog of the third node may take up to ten minutes more. */
TEST(epilog_is_missing_ten_minutes_after_the_others)
{
	for (int64_t minutes = 9; minutes <= 11; minutes += 2) {
		struct fleet f CLEANUP(free_fleet) = fleet_of(3);
		const int64_t ended = f.node[2].look.last_us - minutes * MINUTE;
		give_job(&f.node[0], false, ended - MINUTE);
		give_job(&f.node[1], false, ended);
		give_job(&f.node[2], true, 0);
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_EPILOG), minutes > 10);
		assert_int_equal(f.node[2].fault[FLEET_EPILOG].n > 0, minutes > 10);
	}
}

/* A job may give nodes back early: here it has left one node and still runs on two. */
TEST(job_that_still_runs_elsewhere_misses_no_epilog)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(3);
	give_job(&f.node[0], false, f.node[0].look.last_us - 20 * MINUTE);
	give_job(&f.node[1], true, 0);
	give_job(&f.node[2], true, 0);
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_EPILOG), 0);
}

/*
 * Make a fleet in which a job ended long ago on one node and still runs on another. `more` is the
 * number of further nodes, which do not have the job.
 */
static struct fleet fleet_with_job(size_t more)
{
	struct fleet f = fleet_of(2 + more);
	give_job(&f.node[0], false, f.node[0].look.last_us - 20 * MINUTE);
	give_job(&f.node[1], true, 0);
	return f;
}

TEST(epilog_is_missed_if_as_many_nodes_ended_the_job_as_still_have_it)
{
	struct fleet f CLEANUP(free_fleet) = fleet_with_job(0);
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_EPILOG), 1);
	assert_false(f.critical);
}

TEST(a_job_that_came_after_the_first_record_may_have_begun_again)
{
	struct fleet f CLEANUP(free_fleet) = fleet_with_job(0);
	f.node[1].look.job[0].listed_first = false;
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_EPILOG), 0);
}

TEST(a_node_whose_records_begin_after_the_end_may_have_a_later_run)
{
	for (int64_t after = 0; after < 2; after++) {
		struct fleet f CLEANUP(free_fleet) = fleet_with_job(0);
		f.node[1].look.first_us = f.node[0].look.job[0].ended_us - 1 + after;
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_EPILOG), after ? 0 : 1);
	}
}

TEST(a_silent_node_has_no_other_fault)
{
	struct fleet f CLEANUP(free_fleet) = fleet_with_job(3);
	struct look *l = &f.node[1].look;
	f.node[1].written_us = l->last_us = NOW - SILENT - MINUTE;
	f.node[0].look.job[0].ended_us = l->last_us - 20 * MINUTE;
	l->types.n = 2;
	l->program[0] = '2';
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_SILENT), 1);
	assert_int_equal(faults(&f, FLEET_EPILOG), 0);
	assert_int_equal(faults(&f, FLEET_TYPES), 0);
	assert_int_equal(faults(&f, FLEET_VERSION), 0);
	assert_true(f.critical);
}

TEST(a_clock_may_be_ahead_by_a_minute)
{
	for (int64_t more = 0; more < 2; more++) {
		struct fleet f CLEANUP(free_fleet) = fleet_of(3);
		add(&f, -MINUTE - more, 0);
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_CLOCK), more);
		assert_false(f.critical);
	}
}

TEST(three_nodes_of_a_kind_are_compared_and_two_are_not)
{
	for (size_t n = 2; n <= 3; n++) {
		struct fleet f CLEANUP(free_fleet) = fleet_of(n);
		f.node[0].look.types.n = 2;	/* this node has only type "a" */
		fleet_judge(&f);
		assert_int_equal(faults(&f, FLEET_TYPES), n == 3);
	}
}

TEST(types_that_only_a_node_with_a_job_has_are_not_missed)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(12);
	for (size_t i = 1; i < f.n; i++)
		buf_add(&f.node[i].look.types, (struct str){ "job\0gpu_job", 12 });
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_TYPES), 0);
}

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n!vm a,E\n" \
	"!nodometer cpu bytes rows errors stalls\n"
#define OWN "nodometer - 5 6 2 0 0\n"

TEST(an_epilog_is_missing_if_only_the_control_group_told_the_end)
{
	static const struct {
		const char *begin, *end;
		bool unhooked;
	} cases[] = {
		{ "source=hook", "source=hook", false }, { "source=hook", "source=cgroup", true },
		{ "source=cgroup", "source=cgroup", false }, { "", "source=cgroup", false },
		{ "", "source=later-begin", true }, { "source=hook", "", false },
		{ "source=hook", "exit=0:0 source=cgroup", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct look l CLEANUP(look_free) = { 0 };
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&text, HEADER "\n10 7\n%%begin 7 %s\nvm - 1\n" OWN
			 "\n20 7\n%%end 7 %s\nvm - 1\n" OWN, cases[i].begin, cases[i].end);
		look_take(&l, buf_str(&text));
		assert_int_equal(l.n_jobs, 1);
		assert_int_equal(l.job[0].ended_us, 20000000);
		assert_false(l.job[0].owns);
		if (l.job[0].unhooked != cases[i].unhooked)
			fail_msg("case %zu", i);
	}
}

TEST(a_job_of_the_first_record_is_listed_first_until_it_begins_again)
{
	struct look l CLEANUP(look_free) = { 0 };
	look_take(&l, STR(HEADER "\n10 1,2\nvm - 1\n" OWN
			  "\n20 1,2,3\n%begin 2\nvm - 1\n" OWN "\n30 1,2\nvm - 1\n" OWN));
	static const bool first[] = { true, false, false }, owns[] = { true, true, false };
	assert_int_equal(l.n_jobs, ARRAY_SIZE(first));
	for (size_t i = 0; i < l.n_jobs; i++) {
		assert_int_equal(l.job[i].listed_first, first[i]);
		assert_int_equal(l.job[i].owns, owns[i]);
	}
	assert_int_equal(l.first_us, 10000000);
	assert_int_equal(l.last_us, 30000000);
}

/*
 * The agent's total of errors is the sum of the types' errors and of the record groups that could
 * not be written. So 4 - 1 and 3 - 2 record groups were lost.
 */
TEST(failing_types_are_of_the_last_record_and_lost_groups_of_all)
{
	struct look l CLEANUP(look_free) = { 0 };
	look_take(&l, STR(HEADER "\n10 -\nvm - 1\nnodometer ib 1 0 0 1 0\n"
			  "nodometer - 5 6 2 4 0\n\n20 -\nvm - 1\nnodometer vm 1 0 0 2 0\n"
			  "nodometer llite 1 0 0 0 1\nnodometer mem 1 0 0 0 0\n"
			  "nodometer - 5 6 2 3 0\n"));
	assert_int_equal(l.lost, 3 + 1);
	if (!str_eq(buf_str(&l.failing), STR("vm, llite")))
		fail_msg("failing: \"" STR_FMT "\"", STR_ARG(buf_str(&l.failing)));
}

TEST(a_fleet_without_nodes_names_the_archive_that_was_read)
{
	struct fleet f = { .dir = "/archive" };
	struct buf b CLEANUP(buf_free) = { 0 };
	fleet_put_text(&b, &f);
	assert_true(str_eq(buf_str(&b), STR("NODOMETER UNKNOWN - no nodes: /archive has no folder "
					    "for any node\n")));
	b.n = 0;
	f.from.url = "clickhouse://db";
	fleet_put_text(&b, &f);
	assert_true(str_eq(buf_str(&b), STR("NODOMETER UNKNOWN - no nodes: clickhouse://db has no "
					    "records\n")));
}

int main(void)
{
	RUN(cmocka_unit_test(a_fleet_without_nodes_names_the_archive_that_was_read),
	    cmocka_unit_test(epilog_is_missed_if_as_many_nodes_ended_the_job_as_still_have_it),
	    cmocka_unit_test(a_job_that_came_after_the_first_record_may_have_begun_again),
	    cmocka_unit_test(a_node_whose_records_begin_after_the_end_may_have_a_later_run),
	    cmocka_unit_test(a_silent_node_has_no_other_fault),
	    cmocka_unit_test(a_clock_may_be_ahead_by_a_minute),
	    cmocka_unit_test(three_nodes_of_a_kind_are_compared_and_two_are_not),
	    cmocka_unit_test(types_that_only_a_node_with_a_job_has_are_not_missed),
	    cmocka_unit_test(an_epilog_is_missing_if_only_the_control_group_told_the_end),
	    cmocka_unit_test(a_job_of_the_first_record_is_listed_first_until_it_begins_again),
	    cmocka_unit_test(failing_types_are_of_the_last_record_and_lost_groups_of_all),
	    cmocka_unit_test(node_is_silent_after_the_limit),
	    cmocka_unit_test(clock_is_slow_if_most_nodes_have_a_right_one),
	    cmocka_unit_test(copies_of_files_show_no_slow_clock),
	    cmocka_unit_test(type_is_missing_if_nine_of_ten_other_nodes_have_it),
	    cmocka_unit_test(version_differs_if_more_than_half_have_another),
	    cmocka_unit_test(epilog_is_missing_ten_minutes_after_the_others),
	    cmocka_unit_test(job_that_still_runs_elsewhere_misses_no_epilog));
}
