/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbours.c - the work of other programs on a job's node, and values that cannot be */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/vec.h"
#include "figures/limits.h"
#include "figures/neighbours.h"
#include "figures/parts.h"

#define SECONDS 100
#define CPUS    4	/* so the node has 400 s of CPU time */

/* A report with one node, and a job that used 90 s in programs and 10 s in the kernel. */
struct desk {
	struct report report;
	struct node node;
	struct proc proc[2];
};

static void set(struct desk *d, const char *id, double n)
{
	size_t i = figure_find(id);
	assert_true(i < n_figures);
	d->node.value[i] = (struct value){ .seen = true, .n = n };
}

static void desk_open(struct desk *d)
{
	size_t bytes = n_figures * sizeof(struct value);
	memset(d, 0, sizeof(*d));
	d->node.value = memset(xrealloc(NULL, bytes), 0, bytes);
	d->node.usec = SECONDS * INT64_C(1000000);
	d->node.course.cpus = CPUS;
	d->report.node = &d->node;
	d->report.n = 1;
	set(d, "job.cpu", 100);
	set(d, "job.user", 90);
	set(d, "job.system", 10);
	set(d, "cpu.user", 90);
	set(d, "cpu.system", 10);
	set(d, "cpu.idle", 250);
	set(d, "cpu.iowait", 50);
}

static void desk_free(struct desk *d)
{
	free(d->node.value);
}

static double others(struct desk *d)
{
	struct neighbours n = neighbours_of(&d->report, 0);
	assert_true(n.known);
	assert_true(n.own == 100 && n.idle == 300 && n.whole == 400);
	return n.others;
}

TEST(other_programs_count_from_a_tenth_of_the_job_and_a_fiftieth_of_the_node)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_true(others(&d) == 0);
	set(&d, "cpu.user", 90 + 17.9);
	assert_true(others(&d) == 0);
	assert_true(node_is_own(&d.report, 0));
	set(&d, "cpu.user", 80);
	set(&d, "cpu.nice", 10 + 18.1);		/* programs of low priority count, too */
	assert_true(others(&d) > 18.09 && others(&d) < 18.11);
	assert_false(node_is_own(&d.report, 0));
	assert_false(nodes_are_own(&d.report));
}

/* Threads of the kernel may work for the job. The kernel itself needs 8 s of this node. */
TEST(kernel_time_without_programs_counts_only_if_it_exceeds_the_job)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "cpu.system", 10 + 8 + 99);
	assert_true(others(&d) == 0);
	set(&d, "cpu.system", 10 + 8 + 101);
	assert_true(others(&d) > 100.9 && others(&d) < 101.1);
	set(&d, "cpu.system", 10 + 8 + 40);
	set(&d, "cpu.user", 90 + 2.1);		/* more than a twentieth of the kernel's time */
	assert_true(others(&d) > 42 && others(&d) < 42.2);
	set(&d, "cpu.user", 90 + 1.9);
	assert_true(others(&d) == 0);
}

/* Such a job works outside its control group, for example by ssh. */
TEST(nothing_is_known_of_a_job_that_hardly_worked_in_its_group)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "job.cpu", .9);
	set(&d, "job.mem", 1);
	assert_false(neighbours_of(&d.report, 0).known);
	set(&d, "job.cpu", 1);
	assert_true(neighbours_of(&d.report, 0).known);
	set(&d, "job.cpu", .9);
	d.report.procs = (struct procs){ .proc = d.proc, .n = 2 };
	d.proc[0].uid = d.proc[1].uid = 1000;
	assert_false(neighbours_of(&d.report, 0).known);
	d.proc[1].uid = 1001;			/* another user's program was seen */
	assert_true(neighbours_of(&d.report, 0).known);
	d.proc[1].uid = 0;			/* root, or not known */
	assert_false(neighbours_of(&d.report, 0).known);
	set(&d, "job.cpu", 450);		/* more than the node can do: it began before */
	assert_false(neighbours_of(&d.report, 0).known);
}

TEST(a_node_with_another_job_is_not_the_jobs_own)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_true(node_is_own(&d.report, 0));
	assert_true(disks_are_own(&d.report, 0));
	d.node.shared = 1;
	assert_false(node_is_own(&d.report, 0));
	assert_false(disks_are_own(&d.report, 0));
}

TEST(disks_are_the_jobs_if_it_has_a_fifth_of_their_bytes_or_they_are_few)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "job.rd_bytes", 1e8);
	set(&d, "job.wr_bytes", 1e8);
	set(&d, "block.rd_sectors", 5e8);
	set(&d, "block.wr_sectors", 5e8);
	assert_true(disks_are_own(&d.report, 0));
	set(&d, "block.wr_sectors", 5.1e8);
	assert_false(disks_are_own(&d.report, 0));
	set(&d, "job.rd_bytes", 0);
	set(&d, "job.wr_bytes", 0);
	set(&d, "block.rd_sectors", 9.9e6);	/* less than 100 kB a second */
	set(&d, "block.wr_sectors", 0);
	assert_true(disks_are_own(&d.report, 0));
	set(&d, "block.wr_sectors", 2e5);
	assert_false(disks_are_own(&d.report, 0));
}

TEST(others_took_what_the_job_was_given_and_did_not_find_idle)
{
	struct neighbours n = { .known = true, .others = 50, .idle = 10 };
	assert_true(neighbours_took(&n, 100, 30) == 50);
	assert_true(neighbours_took(&n, 100, 60) == 30);
	assert_true(neighbours_took(&n, 100, 95) == 0);
	n.at_least = true;
	assert_true(neighbours_took(&n, 100, 30) == 0);
	n = (struct neighbours){ .others = 50 };
	assert_true(neighbours_took(&n, 100, 30) == 0);
}

TEST(limit_is_that_of_the_device_or_of_all_cpus)
{
	static const struct figure cpu = { .type = "cpu", .key = "user", .unit = UNIT_SECONDS };
	static const struct figure job = { .type = "job", .key = "cpu", .unit = UNIT_SECONDS };
	static const struct figure wait = { .type = "job", .key = "cpu_wait",
					    .unit = UNIT_SECONDS };
	static const struct figure cycles = { .type = "pmc", .key = "c", .unit = UNIT_COUNT,
					      .quantity = Q_CYCLES };
	static const struct figure other = { .type = "vm", .key = "x", .unit = UNIT_COUNT };
	assert_true(limit_most(limit_of((struct figures){ &cpu, 1 }, 0), "3", CPUS) == 1);
	assert_true(limit_most(limit_of((struct figures){ &job, 1 }, 0), "7", CPUS) == CPUS);
	assert_true(limit_most(limit_of((struct figures){ &wait, 1 }, 0), "7", CPUS) > 4e6);
	const struct limit *l = limit_of((struct figures){ &cycles, 1 }, 0);
	assert_true(limit_most(l, "3", CPUS) == 10e9);
	assert_true(limit_most(l, "-", CPUS) == CPUS * 10e9);
	assert_null(limit_of((struct figures){ &other, 1 }, 0));
	assert_true(limit_most(NULL, "3", CPUS) == 0);
	assert_string_equal(limit_what(&other), "there can be");
}

static void assert_part(const struct parts *p, enum part part, double seconds)
{
	if (p->part[part] < seconds - .001 || p->part[part] > seconds + .001)
		fail_msg("%s: %g s, not %g", part_names[part].name, p->part[part], seconds);
}

static double sum_of(const struct parts *p)
{
	double sum = 0;
	for (int i = 0; i < PARTS; i++)
		sum += p->part[i];
	return sum;
}

/* The job was given all 4 CPUs for 100 s, and had three tasks. */
TEST(parts_of_the_cpu_time_add_up_to_what_was_given)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	d.report.job = "7";
	d.node.allocation.cpus = CPUS;
	set(&d, "job.pids", 3);
	set(&d, "job.throttled", 20);
	set(&d, "job.cpu_wait", 30);
	set(&d, "psi.memory-some", 10);
	set(&d, "psi.io-some", 25);
	struct parts p = parts_of_node(&d.report, 0);
	assert_true(p.of == 400);
	assert_part(&p, PART_USER, 90);
	assert_part(&p, PART_KERNEL, 10);
	assert_part(&p, PART_CPU, 50);
	assert_part(&p, PART_MEMORY, 10);
	assert_part(&p, PART_IO, 40);		/* 50 s in iowait, less 10 for memory */
	assert_true(sum_of(&p) > 399.999 && sum_of(&p) < 400.001);
	assert_part(&p, PART_UNUSED, 100);	/* one CPU had no task */
	assert_part(&p, PART_ASLEEP, 100);

	/* with a job that has the node, too, waits of the node are nobody's */
	d.node.shared = 1;
	p = parts_of_node(&d.report, 0);
	assert_part(&p, PART_IO, 0);
	assert_part(&p, PART_MEMORY, 0);
	assert_part(&p, PART_CPU, 50);
	assert_true(sum_of(&p) > 399.999 && sum_of(&p) < 400.001);
	d.report.job = NULL;
	assert_true(parts_of_node(&d.report, 0).of == 0);
}

int main(void)
{
	RUN(cmocka_unit_test(
		    other_programs_count_from_a_tenth_of_the_job_and_a_fiftieth_of_the_node),
	    cmocka_unit_test(kernel_time_without_programs_counts_only_if_it_exceeds_the_job),
	    cmocka_unit_test(nothing_is_known_of_a_job_that_hardly_worked_in_its_group),
	    cmocka_unit_test(a_node_with_another_job_is_not_the_jobs_own),
	    cmocka_unit_test(disks_are_the_jobs_if_it_has_a_fifth_of_their_bytes_or_they_are_few),
	    cmocka_unit_test(others_took_what_the_job_was_given_and_did_not_find_idle),
	    cmocka_unit_test(limit_is_that_of_the_device_or_of_all_cpus),
	    cmocka_unit_test(parts_of_the_cpu_time_add_up_to_what_was_given));
}
