/* SPDX-License-Identifier: BSD-3-Clause */
/* test_totals.c - add a figure over the nodes of a job, and say what the sum lacks */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/totals.h"

#define NODES 3

struct desk {
	struct report report;
	struct node node[NODES];
	size_t figure;
};

static struct value *value_at(struct desk *d, size_t node)
{
	return &d->node[node].value[d->figure];
}

/* Make a job of NODES nodes with 10, 20 and 60 of a figure in 10 s. */
static void desk_open(struct desk *d, const char *id)
{
	static const double amounts[NODES] = { 10, 20, 60 };
	static char job[] = "7";
	size_t bytes = n_figures * sizeof(struct value);
	memset(d, 0, sizeof(*d));
	d->report = (struct report){ .job = job, .node = d->node, .n = NODES };
	d->figure = figure_find(id);
	assert_true(d->figure < n_figures);
	for (size_t i = 0; i < NODES; i++) {
		d->node[i].value = memset(xrealloc(NULL, bytes), 0, bytes);
		d->node[i].samples = 2;
		d->node[i].usec = 10000000;
		*value_at(d, i) = (struct value){ .seen = true, .n = amounts[i] };
	}
}

static void desk_free(struct desk *d)
{
	for (size_t i = 0; i < NODES; i++)
		free(d->node[i].value);
}

TEST(a_total_has_the_sum_the_mean_and_the_extremes_of_its_nodes)
{
	struct desk d CLEANUP(desk_free);
	struct total t;
	desk_open(&d, "vm.pgfault");
	assert_true(total_of(&d.report, d.figure, &t));
	assert_int_equal(t.nodes, 3);
	assert_true(t.n == 90 && t.mean == 30 && t.min == 10 && t.max == 60 && t.imbalance == 50);
	assert_int_equal(t.min_node, 0);
	assert_int_equal(t.max_node, 2);
	assert_true(t.has_rate && t.rate == 9);
	assert_false(t.is_part);
}

TEST(a_value_that_only_the_marks_have_counts_if_there_are_other_samples)
{
	struct desk d CLEANUP(desk_free);
	struct total t;
	desk_open(&d, "vm.pgfault");
	*value_at(&d, 1) = (struct value){ .edges = 2 };
	assert_true(total_of(&d.report, d.figure, &t));
	assert_int_equal(t.at_edges, 1);
	assert_int_equal(t.nodes, 2);
	d.node[1].samples = 1;
	assert_true(total_of(&d.report, d.figure, &t));
	assert_int_equal(t.at_edges, 0);
}

TEST(a_figure_of_the_job_is_a_part_if_a_node_lacks_it)
{
	struct desk d CLEANUP(desk_free);
	struct total t;
	desk_open(&d, "job.cpu");
	assert_true(total_of(&d.report, d.figure, &t));
	assert_false(t.is_part);
	*value_at(&d, 1) = (struct value){ .seen = false };
	assert_true(total_of(&d.report, d.figure, &t));
	assert_true(t.is_part);
	assert_false(t.no_row);
	*value_at(&d, 0) = *value_at(&d, 2) = (struct value){ .seen = false };
	assert_true(total_of(&d.report, d.figure, &t));
	assert_true(t.no_row);
	assert_int_equal(t.nodes, 0);
}

TEST(a_lower_bound_of_a_node_makes_the_total_a_part)
{
	struct desk d CLEANUP(desk_free);
	struct total t;
	desk_open(&d, "vm.pgfault");
	value_at(&d, 2)->at_least = 1;
	assert_true(total_of(&d.report, d.figure, &t));
	assert_true(t.is_part);
	assert_int_equal(t.at_least, 1);
}

int main(void)
{
	RUN(cmocka_unit_test(a_total_has_the_sum_the_mean_and_the_extremes_of_its_nodes),
	    cmocka_unit_test(a_value_that_only_the_marks_have_counts_if_there_are_other_samples),
	    cmocka_unit_test(a_figure_of_the_job_is_a_part_if_a_node_lacks_it),
	    cmocka_unit_test(a_lower_bound_of_a_node_makes_the_total_a_part));
}
