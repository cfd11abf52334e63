/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_readers.c - choose the CPU that reads a package's counters while CPUs come and go */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "tests/unit/perf_script.h"

/*
 * Check the CPUs on which type intel_snb_imc has open counters, and the devices of its rows. want:
 * both lists, for example "0 4  0/3 1/3".
 */
static void assert_readers(const struct node *n, const char *want)
{
	char got[64] = "";
	size_t at = 0;
	for (int i = 0; i < script.n; i++)
		if (script.fd[i].open && script.fd[i].leader == i)
			at += (size_t)snprintf(got + at, sizeof(got) - at, "%d ", script.fd[i].cpu);
	for (size_t i = 0; i < n->source.rows.n; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, " " STR_FMT,
				       STR_ARG(rows_device(&n->source.rows, i)));
	assert_string_equal(got, want);
}

static void make_memory(struct node *n, const char *cpumask)
{
	make_processor(n, processor(PMU_INTEL, 6, 0x2d), false);
	node_pmu(n, "uncore_imc_3", "20\n", cpumask);
}

static void take_off(struct node *n, unsigned first, unsigned how_many)
{
	struct machine m = two_packages;
	m.off = first;
	m.n_off = how_many;
	machine_put(&n->tree, &m);
}

TEST(the_cpu_that_reads_a_package_follows_hot_plug)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
	take_off(&n, 4, 1);
	node_pmu(&n, "uncore_imc_3", "20\n", "0,5\n");		/* the kernel chose CPU 5 */
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 5  0/3 1/3");
	/* all CPUs of a package go offline */
	take_off(&n, 4, 4);
	node_pmu(&n, "uncore_imc_3", "20\n", "0\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0  0/3");
	take_off(&n, 0, 0);
	node_pmu(&n, "uncore_imc_3", "20\n", "0,4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
}

TEST(another_cpu_of_the_package_replaces_a_reader_that_is_offline)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	take_off(&n, 0, 2);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4 2  1/3 0/3");
	take_off(&n, 0, 4);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4  1/3");
}

TEST(without_a_cpumask_one_cpu_of_each_package_reads)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, NULL);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
}

TEST(a_package_that_the_cpumask_leaves_out_is_not_read)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4  1/3");
}

TEST(without_a_topology_cores_are_counted_and_packages_give_a_reason)
{
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	for (unsigned cpu = 0; cpu < 8; cpu++)
		machine_drop_cpu(&n.tree, cpu);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), -ENOENT);
	assert_true(str_starts(str_of(n.source.why), STR("topology: ")) ||
		    str_starts(str_of(n.source.why), STR("the CPU that reads perf PMU")));
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(n.source.rows.n, 8);
}

int main(void)
{
	RUN(cmocka_unit_test(the_cpu_that_reads_a_package_follows_hot_plug),
	    cmocka_unit_test(another_cpu_of_the_package_replaces_a_reader_that_is_offline),
	    cmocka_unit_test(without_a_cpumask_one_cpu_of_each_package_reads),
	    cmocka_unit_test(a_package_that_the_cpumask_leaves_out_is_not_read),
	    cmocka_unit_test(without_a_topology_cores_are_counted_and_packages_give_a_reason));
}
