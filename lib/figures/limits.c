/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c - the most that a device or a node can do: what is beyond it was not counted */
#include "figures/limits.h"

#include <string.h>
#include "base/base.h"

/*
 * Bytes a second, each way: the fastest ports have 800 Gb/s. The rates that sysfs has for a device
 * are less than its counters may count: veth has 10 Gb/s and passes more, functions of one adapter
 * send to each other without the wire, mlx5 counts what its virtual port loops back
 * (drivers/infiniband/hw/mlx5/mad.c), and a port may be trained again to a faster rate while a file
 * goes on; of disks there is none. This rate takes no figure that is true for one that is not.
 */
#define PORT 100e9

static const struct limit limits[] = {
	{ "cpu", NULL, UNIT_SECONDS, .each = 1, .what = "the time of a CPU" },
	{ "psi", NULL, UNIT_SECONDS, .each = 1, .what = "the time" },
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
	{ "net", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "ib", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "ib_ext", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "ib_sw", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "opa", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "cxi", NULL, UNIT_BYTES, .each = PORT, .what = "a port of 800 Gb/s" },
	{ "block", NULL, UNIT_BYTES, .each = PORT, .what = "100 GB/s of a disk" },
};

const struct limit *limit_of(const struct figure *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].unit == f->unit && strcmp(limits[i].type, f->type) == 0 &&
		    (!limits[i].key || strcmp(limits[i].key, f->key) == 0))
			return &limits[i];
	return NULL;
}

const char *limit_what(const struct figure *f)
{
	const struct limit *l = limit_of(f);
	return l ? l->what : "there can be";
}

static double most_of(const struct judge *j, size_t figure)
{
	const struct limit *l = j->limit[figure];
	return !l ? 0 : l->cpus ? (double)j->cpus : l->each;
}

void judge_device(const struct judge *j, const struct device *d, struct value *value)
{
	double seconds = limit_seconds(j->seconds), shares = 0;
	double since_boot = limit_seconds(j->up + j->seconds);

	for (size_t k = 0; k < d->n; k++) {
		const struct figure *f = &j->table.row[d->first + k];
		const struct reading *r = &d->reading[k];
		double most = most_of(j, d->first + k);
		uint64_t before = f->job_row && !j->hooked ? r->begun : 0;
		double n = (double)(r->counter.total - before) * r->scale;
		bool more = n > most * seconds ||
			    (j->up > 0 && (double)before * r->scale > most * since_boot);
		shares += f->how == FIGURE_SHARE ? n : 0;
		if (figure_is_counter(f) && most > 0 && more)
			value[d->first + k].beyond++;
	}
	for (size_t k = 0; k < d->n; k++)
		value[d->first + k].beyond += shares > seconds &&
					      j->table.row[d->first + k].how == FIGURE_SHARE;
}

static const struct value *find_value(struct figures table, const struct value *value,
				      const char *id)
{
	for (size_t i = 0; i < table.n; i++)
		if (strcmp(figure_id(&table.row[i]).s, id) == 0)
			return value_known(&value[i]) ? &value[i] : NULL;
	return NULL;
}

void judge_gauges(const struct judge *j, struct value *value)
{
	double seconds = limit_seconds(j->seconds);

	for (size_t i = 0; i < j->table.n; i++) {
		const struct limit *l = j->limit[i];
		if (!l || figure_is_counter(&j->table.row[i]) || !value[i].seen)
			continue;
		const struct value *all = l->within ? find_value(j->table, value, l->within) : NULL;
		value[i].beyond += (all && value[i].n > all->n) ||
				   (l->cpus && j->cpus && value[i].n > most_of(j, i) * seconds);
	}
}

double judge_memory(struct figures table, const struct value *value)
{
	const struct value *all = find_value(table, value, "mem.MemTotal");
	return all ? all->n : 0;
}
