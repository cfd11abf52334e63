/* SPDX-License-Identifier: BSD-3-Clause */
/* test_used.c - compute how much a job of several nodes used of its allocation */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/used.h"

#define NODES   2
#define SECONDS 100
#define SECOND  INT64_C(1000000)

/* A job with two nodes of 4 CPUs and 2 GPUs for 100 s, and a time limit of 200 s. */
struct desk {
	struct report report;
	struct node node[NODES];
};

static void set(struct desk *d, size_t node, const char *id, double n)
{
	size_t i = figure_find(id);
	assert_true(i < n_figures);
	d->node[node].value[i] = (struct value){ .seen = true, .n = n };
}

static void desk_open(struct desk *d)
{
	static char job[] = "7";
	size_t bytes = n_figures * sizeof(struct value);
	memset(d, 0, sizeof(*d));
	d->report = (struct report){ .job = job, .node = d->node, .n = NODES };
	for (size_t i = 0; i < NODES; i++) {
		struct node *n = &d->node[i];
		n->value = memset(xrealloc(NULL, bytes), 0, bytes);
		n->samples = 3;
		n->end = n->usec = SECONDS * SECOND;
		n->course.cpus = 4;
		n->course.gpus = 2;
		n->allocation.limit = 2 * SECONDS;
		set(d, i, "job.cpu", 100 + 100 * (double)i);
		set(d, i, "job.anon", 1e9);
		set(d, i, "mem.MemTotal", 8e9);
		set(d, i, "nvidia_gpu.utilization", 1);
	}
}

static void desk_free(struct desk *d)
{
	for (size_t i = 0; i < NODES; i++)
		free(d->node[i].value);
}

static void expect(const struct desk *d, enum used_what what, double n, double of)
{
	struct used u = used_of(&d->report, what);
	if (u.n != n || u.of != of)
		fail_msg("%s: %g of %g, not %g of %g", used_names[what], u.n, u.of, n, of);
}

TEST(nodes_are_added_but_not_their_time)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	expect(&d, USED_CPU, 3, 8);
	expect(&d, USED_MEMORY, 2e9, 16e9);
	expect(&d, USED_GPU, 2, 4);
	expect(&d, USED_TIME, 100, 200);
	d.node[1].end += 20 * SECOND;
	expect(&d, USED_TIME, 120, 200);
}

/* Nodes without GPUs are usual in a job; a node without CPUs or memory only lacks samples. */
TEST(cpus_and_memory_of_all_nodes_must_be_known)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	d.node[1].course.cpus = 0;
	expect(&d, USED_CPU, 0, 0);
	set(&d, 0, "job.anon", 0);
	expect(&d, USED_MEMORY, 0, 0);
	d.node[0].course.gpus = 0;
	expect(&d, USED_GPU, 1, 2);
	d.node[0].allocation.limit = 0;
	expect(&d, USED_TIME, 100, 200);
}

TEST(gpus_of_all_nodes_that_have_any_must_be_known)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	d.node[1].shared = 1;
	expect(&d, USED_GPU, 0, 0);
	d.node[1].shared = 0;
	d.node[1].value[figure_find("nvidia_gpu.utilization")].beyond = 1;
	expect(&d, USED_GPU, 0, 0);
	d.node[1].course.gpus = 0;
	expect(&d, USED_GPU, 1, 2);
	d.node[1].allocation.gpus = 2;	/* the mark lists GPUs, but no sample has them */
	expect(&d, USED_GPU, 0, 0);
}

TEST(cpu_time_of_the_node_replaces_that_of_a_job_that_had_it_alone)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	d.report.n = 1;
	d.node[0].value[figure_find("job.cpu")].seen = false;
	expect(&d, USED_CPU, 0, 0);
	set(&d, 0, "cpu.user", 150);
	set(&d, 0, "cpu.nice", 20);
	set(&d, 0, "cpu.system", 30);
	expect(&d, USED_CPU, 2, 4);
	d.node[0].allocation.cpus = 4;
	expect(&d, USED_CPU, 2, 4);
	d.node[0].allocation.cpus = 3;	/* the job had a part of the node */
	expect(&d, USED_CPU, 0, 0);
	d.node[0].allocation.cpus = 0;
	d.node[0].shared = 1;
	expect(&d, USED_CPU, 0, 0);
}

/* Set the busy percentage of GPU 0 and GPU 1 of a node over SECONDS. */
static void set_busy_gpus(struct node *n, double busy0, double busy1)
{
	const double busy[] = { busy0, busy1 };
	for (size_t i = 0; i < 2; i++)
		n->course.gpus_used.gpu[i] = (struct gpu_use){
			.area = busy[i] * SECONDS * SECOND, .over = SECONDS * SECOND,
		};
}

TEST(only_the_listed_gpus_of_a_node_count)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set_busy_gpus(&d.node[0], 0, 75);
	held_give(&d.node[0].course.held, STR("1"));
	expect(&d, USED_GPU, 0.75 + 1, 1 + 2);
	d.node[0].shared = 1;
	expect(&d, USED_GPU, 0.75 + 1, 1 + 2);
	held_give(&d.node[1].course.held, STR("0,1"));
	expect(&d, USED_GPU, 0.75 + 1, 1 + 2);
	d.node[0].course.gpus_used.gpu[1].over = 0;	/* no sample has the GPU */
	expect(&d, USED_GPU, 0, 0);
}

TEST(lower_bound_of_a_node_is_one_of_the_job)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_false(used_of(&d.report, USED_CPU).at_least);
	d.node[1].value[figure_find("job.cpu")].at_least = 1;
	assert_true(used_of(&d.report, USED_CPU).at_least);
	expect(&d, USED_CPU, 3, 8);
	d.report.job = NULL;
	expect(&d, USED_CPU, 0, 0);
}

TEST(part_of_cpu_time_that_is_unknown_makes_a_lower_bound)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	for (size_t i = 0; i < NODES; i++) {
		d.node[i].value[figure_find("job.cpu")].seen = false;
		set(&d, i, "cpu.user", 100);
		set(&d, i, "cpu.nice", 40);
		set(&d, i, "cpu.system", 60);
	}
	expect(&d, USED_CPU, 4, 8);
	assert_false(used_of(&d.report, USED_CPU).at_least);
	d.node[1].value[figure_find("cpu.nice")].beyond = 1;
	assert_true(used_of(&d.report, USED_CPU).at_least);
}

int main(void)
{
	RUN(cmocka_unit_test(nodes_are_added_but_not_their_time),
	    cmocka_unit_test(cpus_and_memory_of_all_nodes_must_be_known),
	    cmocka_unit_test(gpus_of_all_nodes_that_have_any_must_be_known),
	    cmocka_unit_test(cpu_time_of_the_node_replaces_that_of_a_job_that_had_it_alone),
	    cmocka_unit_test(only_the_listed_gpus_of_a_node_count),
	    cmocka_unit_test(lower_bound_of_a_node_is_one_of_the_job),
	    cmocka_unit_test(part_of_cpu_time_that_is_unknown_makes_a_lower_bound));
}
