/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fleet_judge.c - find faulty nodes of a fleet, at the limits of each rule */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/vec.h"
#include "report/fleet/judge.h"

#define NOW    INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)
#define SILENT (30 * MINUTE)

/* Add a node with types a and b. Its last record and its file have these ages. */
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
	add(&f, -MINUTE / 2, 0);	/* within the tolerance for clock differences */
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_CLOCK), 2);
	assert_true(f.node[4].fault[FLEET_CLOCK].n > 0);	/* a slow clock */
	assert_true(f.node[5].fault[FLEET_CLOCK].n > 0);	/* a clock ahead of time */
}

/*
 * The files of all nodes but one arrive late, so they are copies and show nothing about the clocks.
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
			f.node[i].look.types.n = 2;	/* only type "a" */
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

/* The job ended on two nodes and not on the third, whose epilog may take up to ten minutes. */
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

/* A job may give nodes back early: here it still runs on more nodes than it has left. */
TEST(job_that_still_runs_elsewhere_misses_no_epilog)
{
	struct fleet f CLEANUP(free_fleet) = fleet_of(3);
	give_job(&f.node[0], false, f.node[0].look.last_us - 20 * MINUTE);
	give_job(&f.node[1], true, 0);
	give_job(&f.node[2], true, 0);
	fleet_judge(&f);
	assert_int_equal(faults(&f, FLEET_EPILOG), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(node_is_silent_after_the_limit),
	    cmocka_unit_test(clock_is_slow_if_most_nodes_have_a_right_one),
	    cmocka_unit_test(copies_of_files_show_no_slow_clock),
	    cmocka_unit_test(type_is_missing_if_nine_of_ten_other_nodes_have_it),
	    cmocka_unit_test(version_differs_if_more_than_half_have_another),
	    cmocka_unit_test(epilog_is_missing_ten_minutes_after_the_others),
	    cmocka_unit_test(job_that_still_runs_elsewhere_misses_no_epilog));
}
