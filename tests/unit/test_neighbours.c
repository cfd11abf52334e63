/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_neighbours.c - detect the use of a job's node by other programs, and reject impossible
 * values
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/vec.h"
#include "figures/limits.h"
#include "figures/neighbours.h"
#include "figures/parts.h"

#define SECONDS 100
#define CPUS    4	/* the node has 4 * 100 s of CPU time in all */

/* A report of one node and of a job that used 90 s of user time and 10 s of system time. */
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
	assert_true(n.job == 100 && n.idle == 300 && n.capacity == 400);
	return n.others;
}

TEST(other_programs_count_from_a_tenth_of_the_job_and_a_fiftieth_of_the_node)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_true(others(&d) == 0);
	set(&d, "cpu.user", 90 + 17.9);
	assert_true(others(&d) == 0);
	assert_true(node_is_exclusive(&d.report, 0));
	set(&d, "cpu.user", 80);
	set(&d, "cpu.nice", 10 + 18.1);		/* programs at low priority count as well */
	assert_true(others(&d) > 18.09 && others(&d) < 18.11);
	assert_false(node_is_exclusive(&d.report, 0));
	assert_false(nodes_are_exclusive(&d.report));
}

/* Kernel threads may work for the job. On this node, the kernel needs 8 s without any program. */
TEST(kernel_time_without_programs_counts_only_if_it_exceeds_the_job)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "cpu.system", 10 + 8 + 99);
	assert_true(others(&d) == 0);
	set(&d, "cpu.system", 10 + 8 + 101);
	assert_true(others(&d) > 100.9 && others(&d) < 101.1);
	set(&d, "cpu.system", 10 + 8 + 40);
	/* 2.1 s of other programs exceed 1/20 of the kernel's 40 s */
	set(&d, "cpu.user", 90 + 2.1);
	assert_true(others(&d) > 42 && others(&d) < 42.2);
	set(&d, "cpu.user", 90 + 1.9);
	assert_true(others(&d) == 0);
}

/*
 * If the cgroup of a job has almost no CPU time, its processes are elsewhere, for example started
 * by ssh.
 */
TEST(nothing_is_known_of_a_job_that_hardly_worked_in_its_group)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "job.cpu", .9);
	set(&d, "job.mem", 1);
	assert_false(neighbours_of(&d.report, 0).known);
	set(&d, "job.cpu", 1.1);
	assert_true(neighbours_of(&d.report, 0).known);
	set(&d, "job.cpu", .9);
	d.report.procs = (struct procs){ .proc = d.proc, .n = 2 };
	d.proc[0].uid = d.proc[1].uid = 1000;
	assert_false(neighbours_of(&d.report, 0).known);
	d.proc[1].uid = 1001;			/* one program has another user */
	assert_true(neighbours_of(&d.report, 0).known);
	d.proc[1].uid = 0;			/* uid 0 means root or unknown */
	assert_false(neighbours_of(&d.report, 0).known);
	/* the node has only 400 s in this time, so the job began earlier */
	set(&d, "job.cpu", 450);
	assert_false(neighbours_of(&d.report, 0).known);
}

TEST(a_node_with_another_job_is_not_the_jobs_own)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_true(node_is_exclusive(&d.report, 0));
	assert_true(disks_are_exclusive(&d.report, 0));
	d.node.shared = 1;
	assert_false(node_is_exclusive(&d.report, 0));
	assert_false(disks_are_exclusive(&d.report, 0));
}

TEST(disk_traffic_is_the_jobs_if_it_caused_a_fifth_or_if_there_is_little)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	set(&d, "job.rd_bytes", 1e8);
	set(&d, "job.wr_bytes", 1e8);
	set(&d, "block.rd_sectors", 5e8);
	set(&d, "block.wr_sectors", 4.9e8);
	assert_true(disks_are_exclusive(&d.report, 0));
	set(&d, "block.wr_sectors", 5.1e8);
	assert_false(disks_are_exclusive(&d.report, 0));
	set(&d, "job.rd_bytes", 0);
	set(&d, "job.wr_bytes", 0);
	set(&d, "block.rd_sectors", 9.9e6);	/* the average is below 100 kB/s */
	set(&d, "block.wr_sectors", 0);
	assert_true(disks_are_exclusive(&d.report, 0));
	set(&d, "block.wr_sectors", 1e5);
	assert_false(disks_are_exclusive(&d.report, 0));
}

TEST(other_programs_took_allocated_time_that_was_not_idle)
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

TEST(a_value_is_limited_by_its_device_or_by_all_cpus)
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

/* The job was allocated all 4 CPUs for 100 s, and had three tasks. */
TEST(parts_of_the_cpu_time_add_up_to_the_allocated_time)
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
	/* iowait of 50 s, less 10 s of waiting for memory */
	assert_part(&p, PART_IO, 40);
	assert_true(sum_of(&p) > 399.999 && sum_of(&p) < 400.001);
	assert_part(&p, PART_UNUSED, 100);	/* the fourth CPU had no task */
	assert_part(&p, PART_ASLEEP, 100);

	/* if another job shares the node, the node's waits are counted for no job */
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
	    cmocka_unit_test(disk_traffic_is_the_jobs_if_it_caused_a_fifth_or_if_there_is_little),
	    cmocka_unit_test(other_programs_took_allocated_time_that_was_not_idle),
	    cmocka_unit_test(a_value_is_limited_by_its_device_or_by_all_cpus),
	    cmocka_unit_test(parts_of_the_cpu_time_add_up_to_the_allocated_time));
}
