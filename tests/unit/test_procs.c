/* SPDX-License-Identifier: BSD-3-Clause */
/* test_procs.c - merge the programs of several nodes, and compare bound processes of samples */
#include "tests/unit/test.h"

#include "base/base.h"
#include "figures/procs.h"

static void assert_proc(const struct proc *p, struct proc of)
{
	assert_string_equal(p->name, of.name);
	assert_int_equal(p->hwm, of.hwm);
	assert_int_equal(p->rss, of.rss);
	assert_int_equal(p->threads, of.threads);
	assert_int_equal(p->uid, of.uid);
	assert_int_equal(p->node, of.node);
}

static const struct proc
	first[] = { { "a", 10, 5, 3, 7, 0 }, { "b", 9, 9, 1, 0, 0 } },
	second[] = { { "b", 9, 8, 2, 8, 0 }, { "c", 1, 1, 1, 9, 0 }, { "a", 12, 6, 2, 0, 0 } };

TEST(a_program_has_the_largest_values_of_all_nodes)
{
	struct procs all CLEANUP(procs_free) = { 0 };
	procs_merge(&all, &(struct procs){ .proc = (struct proc *)first, .n = 2 }, 4, 0);
	procs_merge(&all, &(struct procs){ .proc = (struct proc *)second, .n = 3 }, 5, 0);
	procs_sort(&all);
	assert_int_equal(all.n, 3);
	assert_proc(&all.proc[0], (struct proc){ "a", 12, 6, 3, 7, 5 });
	assert_proc(&all.proc[1], (struct proc){ "b", 9, 9, 2, 8, 4 });
	assert_proc(&all.proc[2], (struct proc){ "c", 1, 1, 1, 9, 5 });
	assert_int_equal(all.beyond, 0);
}

TEST(programs_with_equal_memory_are_in_the_order_of_their_names)
{
	static const struct proc equal[] = { { "y", 3, 0, 0, 0, 0 }, { "x", 3, 0, 0, 0, 0 },
					     { "z", 4, 0, 0, 0, 0 } };
	struct procs all CLEANUP(procs_free) = { 0 };
	procs_merge(&all, &(struct procs){ .proc = (struct proc *)equal, .n = 3 }, 0, 0);
	procs_sort(&all);
	assert_string_equal(all.proc[0].name, "z");
	assert_string_equal(all.proc[1].name, "x");
	assert_string_equal(all.proc[2].name, "y");
}

TEST(a_program_larger_than_the_memory_is_left_out_and_counted)
{
	static const struct proc large[] = { { "fits", 100, 100, 1, 0, 0 },
					     { "hwm", 101, 1, 1, 0, 0 },
					     { "rss", 1, 101, 1, 0, 0 } };
	struct procs all CLEANUP(procs_free) = { 0 };
	const struct procs from = { .proc = (struct proc *)large, .n = 3, .beyond = 2 };
	procs_merge(&all, &from, 0, 100);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.proc[0].name, "fits");
	assert_int_equal(all.beyond, 4);
	procs_merge(&all, &from, 0, 0);
	assert_int_equal(all.n, 3);
}

TEST(the_sample_whose_processes_exceed_their_cpus_most_is_kept)
{
	static const struct {
		struct bound kept, more;
		bool replaces;
	} cases[] = {
		{ { 0, 0, 0 }, { 1, 1, 1 }, false },	/* not more than its CPUs */
		{ { 0, 0, 0 }, { 2, 2, 1 }, true },
		{ { 3, 3, 1 }, { 2, 2, 1 }, false },
		{ { 3, 3, 1 }, { 4, 4, 2 }, false },	/* exceeds by the same number */
		{ { 3, 3, 1 }, { 4, 4, 1 }, true },
		{ { 2, 2, 1 }, { 1, 9, 1 }, false },	/* threads count only without processes */
		{ { 1, 9, 1 }, { 2, 2, 1 }, true },
		{ { 1, 2, 1 }, { 1, 3, 1 }, true },
		{ { 1, 3, 1 }, { 1, 3, 1 }, false },
		{ { 1, 3, 2 }, { 2, 2, 2 }, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bound b = cases[i].kept;
		bound_add(&b, &cases[i].more);
		bool replaced = memcmp(&b, &cases[i].more, sizeof(b)) == 0;
		bool same = memcmp(&cases[i].kept, &cases[i].more, sizeof(b)) == 0;
		assert_int_equal(replaced && !same, cases[i].replaces);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_program_has_the_largest_values_of_all_nodes),
	    cmocka_unit_test(programs_with_equal_memory_are_in_the_order_of_their_names),
	    cmocka_unit_test(a_program_larger_than_the_memory_is_left_out_and_counted),
	    cmocka_unit_test(the_sample_whose_processes_exceed_their_cpus_most_is_kept));
}
