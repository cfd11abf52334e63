/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c - largest possible values of figures: larger readings are errors */
#include "figures/limits.h"

#include <string.h>
#include "base/base.h"
#include "base/vec.h"

/*
 * Bytes per second of a network port, in each direction. The fastest ports have 800 Gb/s, so no
 * true value is rejected. The rate of a port in sysfs is not used as its limit, since counters may
 * exceed it: veth reports 10 Gb/s and passes more; functions of one adapter send to each other
 * without the wire; mlx5 counts what its virtual port loops back
 * (drivers/infiniband/hw/mlx5/mad.c); and a port may be retrained to a faster rate than the rate in
 * the file's header. Disks, which have no rate in sysfs, have the same limit.
 */
#define PORT_BYTES_PER_S 100e9

/*
 * Cycles per second of a CPU. No processor has run faster than about 9 GHz, even cooled by liquid
 * nitrogen.
 */
#define CLOCK_HZ 10e9

/*
 * Watts: several times the power of the largest chip or module sold. The power limits that GPUs
 * report are not used, since they apply to means over a longer time and may change.
 */
#define CHIP_WATTS   5e3
#define MODULE_WATTS 10e3
#define NODE_WATTS   100e3

/*
 * Largest number of tasks that can wait at the same time: PID_MAX_LIMIT (include/linux/threads.h).
 */
#define TASKS 4194304.

static const struct limit limits[] = {
	{ "cpu", NULL, UNIT_SECONDS, .each = 1, .what = "the time of a CPU" },
	{ "cpu_virt", NULL, UNIT_SECONDS, .each = 1, .what = "the time of a CPU" },
	{ "psi", NULL, UNIT_SECONDS, .each = 1, .what = "the time" },
	{ "job", "cpu_wait", UNIT_SECONDS, .each = TASKS, .what = "the time of 4194304 tasks" },
	{ "job", NULL, UNIT_SECONDS, .cpus = true, .what = "the time of its CPUs" },
	{ "nodometer", "cpu", UNIT_SECONDS, .cpus = true, .what = "the time of the CPUs" },
	{ "nvidia_gpu", NULL, UNIT_SECONDS, .each = 1, .what = "the time" },
	{ "nvidia_gpm_mig", NULL, UNIT_SECONDS, .each = 1, .what = "the time" },
	{ "nvidia_gpm", NULL, UNIT_SECONDS, .each = 1, .what = "the time" },
	{ "nvidia_gpu", "utilization", UNIT_COUNT, .each = 1, .what = "a GPU" },
	{ "nvidia_gpu", "gpu_util", UNIT_COUNT, .each = 1, .what = "a GPU" },
	{ "amd_gpu", "gpu_util", UNIT_COUNT, .each = 1, .what = "a GPU" },
	{ "job", "mem_peak", UNIT_BYTES, .within = "mem.MemTotal", .what = "the node's memory" },
	{ "job", "mem", UNIT_BYTES, .within = "mem.MemTotal", .what = "the node's memory" },
	{ "job", "anon", UNIT_BYTES, .within = "mem.MemTotal", .what = "the node's memory" },
	{ "job", "shmem", UNIT_BYTES, .within = "mem.MemTotal", .what = "the node's memory" },
	{ "mem", "MemUsed", UNIT_BYTES, .within = "mem.MemTotal", .what = "the node's memory" },
	{ "nvidia_gpu", "memused", UNIT_BYTES, .within = "nvidia_gpu.memtotal",
	  .what = "the GPUs' memory" },
	{ "amd_gpu", "gpu_mem_used_mb", UNIT_BYTES, .within = "amd_gpu.gpu_mem_total_mb",
	  .what = "the GPUs' memory" },
	{ "net", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "ib", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "ib_ext", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "ib_sw", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "opa", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "cxi", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "a port of 800 Gb/s" },
	{ "block", NULL, UNIT_BYTES, .each = PORT_BYTES_PER_S, .what = "100 GB/s of a disk" },
	{ NULL, NULL, UNIT_COUNT, .quantity = Q_CYCLES, .each = CLOCK_HZ, .what = "10 GHz" },
	{ NULL, NULL, UNIT_COUNT, .quantity = Q_REFERENCE, .each = CLOCK_HZ, .what = "10 GHz" },
	{ NULL, NULL, UNIT_COUNT, .quantity = Q_INSTRUCTIONS, .each = 10 * CLOCK_HZ,
	  .what = "10 instructions in each cycle" },
	{ "intel_rapl", NULL, UNIT_JOULES, .each = CHIP_WATTS, .what = "5 kW of a processor" },
	{ "amd64_rapl", NULL, UNIT_JOULES, .each = CHIP_WATTS, .what = "5 kW of a processor" },
	{ "nvidia_gpu", NULL, UNIT_JOULES, .each = CHIP_WATTS, .what = "5 kW of a GPU" },
	{ "amd_gpu", NULL, UNIT_JOULES, .each = CHIP_WATTS, .what = "5 kW of a GPU" },
	{ "pm_accel", NULL, UNIT_JOULES, .each = MODULE_WATTS, .what = "10 kW of an accelerator" },
	{ "pm_counters", NULL, UNIT_JOULES, .each = NODE_WATTS, .what = "100 kW of a node" },
	{ "ipmi_dcmi", "power", UNIT_COUNT, .each = NODE_WATTS, .what = "100 kW of a node" },
	{ "hwmon_power", "input", UNIT_COUNT, .each = NODE_WATTS, .what = "100 kW of a node" },
};

static const struct limit *limit_find(const struct figure *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].unit == f->unit &&
		    (!limits[i].quantity || limits[i].quantity == f->quantity) &&
		    (!limits[i].type || strcmp(limits[i].type, f->type) == 0) &&
		    (!limits[i].key || strcmp(limits[i].key, f->key) == 0))
			return &limits[i];
	return NULL;
}

const struct limit *limit_of(struct figures table, size_t i)
{
	/* the limits of figures[], searched for only once, because many tallies need them */
	static const struct limit **known;
	if (table.row != figures)
		return limit_find(&table.row[i]);
	if (!known) {
		known = xrealloc(NULL, n_figures * sizeof(*known));
		for (size_t k = 0; k < n_figures; k++)
			known[k] = limit_find(&figures[k]);
	}
	return known[i];
}

const char *limit_what(const struct figure *f)
{
	const struct limit *l = limit_find(f);
	return l ? l->what : "there can be";
}

double limit_most(const struct limit *l, const char *device, size_t cpus)
{
	if (!l)
		return 0;
	/* device "-" of hardware counters sums all CPUs */
	bool all = l->quantity && strcmp(device, "-") == 0;
	return l->cpus ? (double)cpus : all ? l->each * (double)cpus : l->each;
}

/*
 * Handle the shares of a CPU's time, whose sum exceeds the elapsed time by `excess` seconds.
 * Kernels without exact times of interrupts may count softirq time as idle time, too
 * (kernel/sched/cputime.c). So reduce the idle time by the excess; if the idle time is shorter than
 * that, mark all shares as impossible.
 */
static void judge_excess(const struct judge *j, const struct device *d, double excess,
			 struct value *value)
{
	const struct figure *f = &j->table.row[d->first];

	for (size_t k = 0; k < d->n; k++) {
		double n = (double)d->reading[k].counter.total * d->reading[k].scale;
		if (f[k].how == FIGURE_SHARE && strcmp(f[k].key, "idle") == 0 && n >= excess) {
			value[d->first + k].n -= excess;
			return;
		}
	}
	for (size_t k = 0; k < d->n; k++)
		value[d->first + k].beyond += f[k].how == FIGURE_SHARE;
}

void judge_device(const struct judge *j, const struct device *d, struct value *value)
{
	double seconds = limit_seconds(j->seconds), shares = 0;
	double since_boot = limit_seconds(j->up + j->seconds);

	for (size_t k = 0; k < d->n; k++) {
		const struct figure *f = &j->table.row[d->first + k];
		const struct device_reading *r = &d->reading[k];
		double most = limit_most(j->limit[d->first + k], d->name, j->cpus);
		uint64_t before = f->job_row && !j->hooked ? r->begun : 0;
		double n = (double)(r->counter.total - before) * r->scale;
		bool more = n > most * seconds ||
			    (j->up > 0 && (double)before * r->scale > most * since_boot);
		shares += f->how == FIGURE_SHARE ? n : 0;
		if (figure_is_counter(f) && most > 0 && more)
			value[d->first + k].beyond++;
	}
	if (shares > seconds)
		judge_excess(j, d, shares - j->seconds, value);
}

static const struct value *limits_find_value(struct figures table, const struct value *value,
					     const char *id)
{
	size_t i = figures_find(table, id);
	return i < table.n && value_known(&value[i]) ? &value[i] : NULL;
}

void judge_gauges(const struct judge *j, struct value *value)
{
	double seconds = limit_seconds(j->seconds);

	for (size_t i = 0; i < j->table.n; i++) {
		const struct limit *l = j->limit[i];
		if (!l || figure_is_counter(&j->table.row[i]) || !value[i].seen)
			continue;
		const struct value *all = l->within ? limits_find_value(j->table, value,
									l->within) : NULL;
		value[i].beyond += (all && value[i].n > all->n) ||
				   (l->cpus && j->cpus && value[i].n > (double)j->cpus * seconds);
	}
}

double judge_memory(struct figures table, const struct value *value)
{
	const struct value *all = limits_find_value(table, value, "mem.MemTotal");
	return all ? all->n : 0;
}
