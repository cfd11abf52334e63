/* SPDX-License-Identifier: BSD-3-Clause */
/* test_roofs.c - compute the peaks of a node from tables, clocks and measurements */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include "collectors/pmu/pmu.h"
#include "figures/used.h"

#define SECONDS 1000

/* Make a node with two CPUs that was recorded for 1,000 s. */
static struct node new_node(void)
{
	struct node n = { .usec = SECONDS * 1000000, .course = { .cpus = 2 } };
	n.value = calloc(n_figures, sizeof(*n.value));
	return n;
}

static void set(struct node *n, const char *id, double each_second)
{
	size_t f = figure_find(id);
	assert_true(f < n_figures);
	n->value[f] = (struct value){ .seen = true, .devices = 2, .samples = 4,
				      .n = each_second * SECONDS };
}

static struct used flops(struct node *n)
{
	return used_of_node(&(struct report){ .job = "7", .node = n, .n = 1 }, 0, USED_FLOPS);
}

static struct used bandwidth(struct node *n)
{
	return used_of_node(&(struct report){ .job = "7", .node = n, .n = 1 }, 0, USED_BANDWIDTH);
}

/* Make a node whose two CPUs are busy all the time, with a nominal clock of 2.5 GHz. */
static struct node sandy_bridge(void)
{
	struct node n = new_node();
	set(&n, "cpu.user", 2);
	set(&n, "cpu.nice", 0);
	set(&n, "cpu.system", 0);
	set(&n, "cpu.irq", 0);
	set(&n, "cpu.softirq", 0);
	set(&n, "intel_snb.FIXED_CTR1", 6e9);
	set(&n, "intel_snb.FIXED_CTR2", 5e9);
	set(&n, "intel_snb.fp64_4", 1e9);
	set(&n, "intel_snb_imc.cas_read", 1e9);
	set(&n, "intel_snb_imc.cas_written", 1e9);
	return n;
}

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.12g, not %.12g", a, b);
}

TEST(the_peak_of_operations_is_of_all_cores_at_the_nominal_clock)
{
	struct node n = sandy_bridge();
	n.course.cores = 2;
	struct used u = flops(&n);
	assert_near(u.n, 4e9);
	assert_near(u.of, 8 * 2 * 2.5e9);
	assert_false(u.measured);
	free(n.value);
}

TEST(threads_of_a_core_do_not_count_as_cores)
{
	struct node n = sandy_bridge();
	n.course.cores = 1;
	assert_near(flops(&n).of, 8 * 2.5e9);
	free(n.value);
}

TEST(if_cpus_may_be_threads_the_used_part_is_a_lower_bound)
{
	struct node n = sandy_bridge();
	assert_near(flops(&n).of, 8 * 2 * 2.5e9);
	assert_true(flops(&n).at_least);
	free(n.value);
}

TEST(the_processor_and_the_clock_are_those_of_the_header)
{
	struct node n = sandy_bridge();
	n.course.cores = 2;
	n.course.peaks = (struct peaks){ .cycle = 32, .clock = 3000000000, .flops = 7 };
	assert_near(flops(&n).of, 32 * 2 * 3e9);
	free(n.value);
}

TEST(an_idle_node_does_not_show_its_clock)
{
	struct node n = sandy_bridge();
	set(&n, "cpu.user", .1);
	assert_true(flops(&n).of == 0);
	n.course.peaks.flops = 7;
	assert_near(flops(&n).of, 7);
	assert_true(flops(&n).measured);
	free(n.value);
}

TEST(the_peak_of_memory_is_from_its_clock_or_a_measurement)
{
	struct node n = sandy_bridge();
	assert_true(bandwidth(&n).of == 0);
	n.course.peaks.bandwidth = 50;
	assert_near(bandwidth(&n).of, 50);
	assert_true(bandwidth(&n).measured);
	set(&n, "intel_snb_imc.FIXED_CTR", 4 * 800e6 * 16);
	assert_near(bandwidth(&n).of, 4 * 12.8e9);
	assert_false(bandwidth(&n).measured);
	assert_near(bandwidth(&n).n, 2e9);
	free(n.value);
}

TEST(operations_of_unknown_width_give_an_upper_bound)
{
	struct node n = new_node();
	set(&n, "amd64_pmc.flop", 1e9);
	n.course.peaks.flops = 4000000000;
	struct used u = flops(&n);
	assert_near(u.n / u.of, .25);
	assert_true(u.at_most);
	free(n.value);
}

TEST(a_shared_node_does_not_show_the_use_of_the_job)
{
	struct node n = sandy_bridge();
	n.shared = 1;
	n.course.peaks = (struct peaks){ .flops = 7, .bandwidth = 7 };
	assert_true(flops(&n).of == 0 && bandwidth(&n).of == 0);
	free(n.value);
}

TEST(tables_have_the_operations_of_a_core_in_a_cycle)
{
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_INTEL, 6, 0x2d }), 8);
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_INTEL, 6, 0x4f }), 16);
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_INTEL, 6, 0x6a }), 32);
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_AMD, 0x19, 0x11 }), 16);
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_ARM, 0x41, 0xd40 }), 16);
	/* Skylake has one or two AVX-512 units, so the number is unknown. */
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_INTEL, 6, 0x55 }), 0);
	assert_int_equal(pmu_flop_cycle((struct pmu_cpuid){ PMU_OTHERS, 6, 0x2d }), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(the_peak_of_operations_is_of_all_cores_at_the_nominal_clock),
	    cmocka_unit_test(threads_of_a_core_do_not_count_as_cores),
	    cmocka_unit_test(if_cpus_may_be_threads_the_used_part_is_a_lower_bound),
	    cmocka_unit_test(the_processor_and_the_clock_are_those_of_the_header),
	    cmocka_unit_test(an_idle_node_does_not_show_its_clock),
	    cmocka_unit_test(the_peak_of_memory_is_from_its_clock_or_a_measurement),
	    cmocka_unit_test(operations_of_unknown_width_give_an_upper_bound),
	    cmocka_unit_test(a_shared_node_does_not_show_the_use_of_the_job),
	    cmocka_unit_test(tables_have_the_operations_of_a_core_in_a_cycle));
}
