/* SPDX-License-Identifier: BSD-3-Clause */
/* test_energy.c - sum up the energy of a job's nodes, from the best source on each node */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/energy.h"

#define SECONDS 100

/* Return a report of a job of 100 s on n nodes, without values. */
static struct report report_of(size_t n)
{
	struct report r = { .n = n, .node = xrealloc(NULL, n * sizeof(*r.node)) };
	memset(r.node, 0, n * sizeof(*r.node));
	for (size_t i = 0; i < n; i++) {
		r.node[i].value = xrealloc(NULL, n_figures * sizeof(struct value));
		memset(r.node[i].value, 0, n_figures * sizeof(struct value));
		r.node[i].usec = SECONDS * INT64_C(1000000);
	}
	return r;
}

static void free_report(struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->node[i].value);
	free(r->node);
}

static void count(struct report *r, size_t node, double joules)
{
	r->node[node].value[figure_find("pm_counters.energy")] =
		(struct value){ .seen = true, .n = joules };
}

/* Set the energy from a power meter that was read for this many seconds. */
static void measure(struct report *r, size_t node, const char *figure, double joules,
		    double seconds)
{
	r->node[node].value[figure_find(figure)] = (struct value){
		.seen = true, .area = joules, .low = joules - 1, .high = joules + 1,
		.weight = seconds,
	};
}

TEST(sum_without_a_node_is_a_lower_bound)
{
	struct report r CLEANUP(free_report) = report_of(2);
	count(&r, 0, 500);
	struct energy e = energy_of(&r);
	assert_int_equal(e.from, ENERGY_COUNTER);
	assert_true(e.joules == 500 && e.least == 500);
	assert_true(isinf(e.most) && isinf(e.share.most));
	count(&r, 1, 20);
	e = energy_of(&r);
	assert_true(e.joules == 520 && e.least == 520 && e.most == 520);
}

TEST(sum_has_the_worst_source_of_its_nodes)
{
	struct report r CLEANUP(free_report) = report_of(3);
	count(&r, 0, 500);
	measure(&r, 1, "hwmon_power.input", 200, SECONDS);
	measure(&r, 2, "ipmi_dcmi.power", 100, SECONDS);
	struct energy e = energy_of(&r);
	assert_int_equal(e.from, ENERGY_ACPI);
	assert_true(e.joules == 800 && e.least == 798 && e.most == 802);
}

TEST(energy_counter_is_preferred_to_a_power_meter)
{
	struct report r CLEANUP(free_report) = report_of(1);
	measure(&r, 0, "hwmon_power.input", 200, SECONDS);
	measure(&r, 0, "ipmi_dcmi.power", 100, SECONDS);
	assert_int_equal(energy_of(&r).from, ENERGY_BMC);
	count(&r, 0, 500);
	assert_int_equal(energy_of(&r).from, ENERGY_COUNTER);
	assert_int_equal(energy_of(&(struct report){ .n = 0 }).from, ENERGY_NONE);
}

/*
 * Energy from a meter that was read for 99 % of the time counts as exact; for less time, it is a
 * lower bound.
 */
TEST(briefly_read_meter_is_a_lower_bound)
{
	struct report r CLEANUP(free_report) = report_of(1);
	measure(&r, 0, "ipmi_dcmi.power", 100, 99.5);
	assert_true(energy_of(&r).most == 101);
	measure(&r, 0, "ipmi_dcmi.power", 100, 98.5);
	assert_true(isinf(energy_of(&r).most));
	measure(&r, 0, "ipmi_dcmi.power", 100, 0);
	assert_int_equal(energy_of(&r).from, ENERGY_NONE);
}

TEST(shared_node_gives_no_cost_without_a_share)
{
	struct report r CLEANUP(free_report) = report_of(1);
	const struct factors f = { .price = 0.5 };
	struct bill c;
	r.job = "7";
	count(&r, 0, 3.6e6);
	struct energy e = energy_of(&r);
	assert_int_equal(e.share.is, SHARE_MEASURED);
	assert_true(energy_cost(&e, &f, 0, 1, &c));
	assert_true(c.kwh == 1 && c.price == 0.5);
	assert_false(energy_cost(&e, &(struct factors){ .n = 0 }, 0, 1, &c));
	r.node[0].shared = 3;
	e = energy_of(&r);
	assert_int_equal(e.share.is, SHARE_UNKNOWN);
	assert_false(energy_cost(&e, &f, 0, 1, &c));
}

int main(void)
{
	RUN(cmocka_unit_test(sum_without_a_node_is_a_lower_bound),
	    cmocka_unit_test(sum_has_the_worst_source_of_its_nodes),
	    cmocka_unit_test(energy_counter_is_preferred_to_a_power_meter),
	    cmocka_unit_test(briefly_read_meter_is_a_lower_bound),
	    cmocka_unit_test(shared_node_gives_no_cost_without_a_share));
}
