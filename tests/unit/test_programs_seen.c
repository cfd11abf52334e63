/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_programs_seen.c - name the busiest programs outside a job, and keep largest values of
 * programs
 */
#include "tests/unit/tree.h"

#include <string.h>
#include "base/base.h"
#include "figures/bystanders.h"
#include "figures/procs.h"

#define ROWS_MAX 8

/* A row: device "PID/NAME", CPU time in cs, user id, and whether it is a kernel thread. */
struct process {
	const char *device;
	uint64_t cpu, uid, kernel;
};

static void take(struct bystanders *p, const struct process *all, size_t n)
{
	static const struct record_key keys[] = {
		{ "cpu", "cs", COUNTER, 64, 1, "cs", false },
		{ "uid", "", GAUGE, 64, 1, "", false },
		{ "kernel", "", GAUGE, 64, 1, "", false },
	};
	static const struct record_type process = { "process", keys, 3 };
	uint64_t value[ROWS_MAX][3];
	struct record_row row[ROWS_MAX];
	assert_true(n <= ROWS_MAX);
	for (size_t i = 0; i < n; i++) {
		memcpy(value[i], &all[i].cpu, sizeof(value[i]));
		row[i] = (struct record_row){ .device = str_of(all[i].device), .value = value[i] };
	}
	const struct record_rows rows = { &process, row, n };
	const struct record r = { .rows = &rows, .n_types = n > 0, .n_rows = n };
	bystanders_take(p, &r);
}

static void assert_program(const struct bystander *b, const char *name, uint64_t uid, double cpu)
{
	if (strcmp(b->name, name) != 0 || b->uid != uid || b->cpu < cpu - .001 ||
	    b->cpu > cpu + .001)
		fail_msg("%s of %u: %g s, not %s of %u: %g s", b->name, (unsigned)b->uid, b->cpu,
			 name, (unsigned)uid, cpu);
}

TEST(programs_that_used_most_since_the_first_sample_are_named)
{
	static const struct process first[] = {
		{ "1/old", 5000, 0, 0 }, { "2/old", 100, 0, 0 }, { "3/reused", 9000, 0, 0 },
		{ "4/gone", 700, 0, 0 },
	};
	static const struct process newest[] = {
		{ "1/old", 5300, 0, 0 }, { "2/old", 600, 0, 0 }, { "9/old", 100, 1000, 0 },
		{ "3/reused", 400, 0, 0 }, { "5/kworker", 90000, 0, 1 }, { "noslash", 9000, 0, 0 },
		{ "6/new", 250, 7, 0 }, { "7/next", 250, 7, 0 },
	};
	struct bystanders p CLEANUP(bystanders_free) = { 0 };
	struct bystander got[BYSTANDERS_NAMED];
	take(&p, first, ARRAY_SIZE(first));
	take(&p, first, ARRAY_SIZE(first));
	take(&p, newest, ARRAY_SIZE(newest));
	bystanders_end(&p, got);
	assert_program(&got[0], "old", 0, 8);		/* two processes grew by 3 s and 5 s */
	assert_program(&got[1], "reused", 0, 4);	/* a new process has the same pid */
	assert_program(&got[2], "new", 7, 2.5);		/* equal values are sorted by name */

	bystanders_end(&p, got);			/* this call forgets all samples */
	assert_program(&got[0], "", 0, 0);
	take(&p, newest, ARRAY_SIZE(newest));
	/* there is no growth after only one sample */
	bystanders_end(&p, got);
	assert_program(&got[0], "", 0, 0);
}

/* Add a row of type proc: VmHWM and VmRSS in kB, number of threads, user id. */
static void add(struct procs *p, const char *device, uint64_t hwm, uint64_t rss, uint64_t threads,
		uint64_t uid)
{
	static const struct record_key keys[] = {
		{ "Uid", "", GAUGE, 64, 1, "", false },
		{ "VmHWM", "kB", GAUGE, 64, 1, "kB", false },
		{ "VmRSS", "kB", GAUGE, 64, 1, "kB", false },
		{ "Threads", "", GAUGE, 64, 1, "", false },
	};
	static const struct record_type proc = { "proc", keys, 4 };
	const uint64_t value[] = { uid, hwm, rss, threads };
	const struct record_row row = { .device = str_of(device), .value = value };
	procs_row(p, &proc, &row);
}

TEST(largest_values_of_any_process_of_a_program_are_kept)
{
	struct procs p CLEANUP(procs_free) = { 0 };
	add(&p, "a/1/0-3/0", 100, 90, 2, 5);
	add(&p, "a/2/0-3/0", 50, 95, 7, 6);
	add(&p, "x/y/3/0-3/0", 300, 1, 1, 5);
	add(&p, "b/4/0-3/0", 100, 1, 1, 5);
	assert_int_equal(p.n, 3);
	procs_sort(&p);
	assert_string_equal(p.proc[0].name, "x/y");
	assert_string_equal(p.proc[1].name, "a");	/* equal values are sorted by name */
	assert_string_equal(p.proc[2].name, "b");
	assert_int_equal(p.proc[1].hwm, 100 * 1024);
	assert_int_equal(p.proc[1].rss, 95 * 1024);
	assert_int_equal(p.proc[1].threads, 7);
	assert_int_equal(p.proc[1].uid, 6);		/* the uid comes from the newest row */
}

TEST(program_larger_than_its_node_is_counted_and_left_out)
{
	struct procs all CLEANUP(procs_free) = { 0 }, one CLEANUP(procs_free) = { 0 };
	add(&one, "a/1/0/0", 100, 100, 1, 5);
	add(&one, "b/2/0/0", 101, 1, 1, 5);
	add(&one, "c/3/0/0", 1, 101, 1, 5);
	procs_merge(&all, &one, 3, 100 * 1024);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.beyond, 2);
	assert_int_equal(all.proc[0].node, 3);
	procs_merge(&all, &one, 4, 0);			/* 0: the node's memory is unknown */
	assert_int_equal(all.n, 3);
	/* node 3 is kept, because node 4 has an equal value */
	assert_int_equal(all.proc[0].node, 3);
	assert_int_equal(all.proc[1].node, 4);
	procs_clear(&one);
	add(&one, "a/1/0/0", 1, 1, 1, 0);
	procs_merge(&all, &one, 5, 0);
	assert_int_equal(all.proc[0].uid, 5);		/* uid 0 may mean unknown */
	procs_clear(&all);
	add(&all, "d/1/0/0", 7, 7, 1, 0);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.beyond, 0);
	assert_string_equal(all.proc[0].name, "d");
}

int main(void)
{
	RUN(cmocka_unit_test(programs_that_used_most_since_the_first_sample_are_named),
	    cmocka_unit_test(largest_values_of_any_process_of_a_program_are_kept),
	    cmocka_unit_test(program_larger_than_its_node_is_counted_and_left_out));
}
