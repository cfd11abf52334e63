/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * used.c - efficiency: how much of its allocation, and of its nodes' peak performance, a job used
 */
#include "figures/used.h"

#include <string.h>
#include "base/json.h"

const char *const used_names[USED_WHATS] = {
	"cpus", "memory", "gpus", "time", "flops", "bandwidth",
};

static const struct value *used_find_value(const struct node *n, const char *id)
{
	size_t i = figure_find(id);
	return i < n_figures && value_known(&n->value[i]) ? &n->value[i] : NULL;
}

/*
 * Return the sum of figures on a node. Sets *at_least if the sum lacks a figure that was read, but
 * whose value is unknown.
 */
static double used_sum_values(const struct node *n, const char *const *id, size_t ids,
			      bool *at_least)
{
	double sum = 0;
	for (size_t i = 0; i < ids; i++) {
		const struct value *v = &n->value[figure_find(id[i])];
		sum += value_known(v) ? v->n : 0;
		*at_least |= value_unknown(v);
	}
	return sum;
}

uint64_t cpus_given(const struct node *n)
{
	return n->allocation.cpus ? n->allocation.cpus : n->shared ? 0 : n->course.cpus;
}

/*
 * Whether the whole node was allocated to the job: all its cores or all its CPUs, since some
 * schedulers count cores. If not, the CPU time of the node is not that of the job.
 */
static bool used_has_whole_node(const struct node *n)
{
	const struct course *c = &n->course;
	return !n->shared && (!n->allocation.cpus || !c->cpus ||
			      n->allocation.cpus >= (c->cores ? c->cores : c->cpus));
}

/*
 * Limit a computed number of CPUs to the CPUs of the node. The number may be a little too large,
 * since counters are not all read at the same time.
 */
static double used_cap_cpus(const struct node *n, double cpus)
{
	return n->course.cpus && cpus > n->course.cpus ? n->course.cpus : cpus;
}

/*
 * Return the use of CPUs: from the job's own CPU time or, if this is unknown, from the CPU time of
 * a node that the job had alone. The use is a lower bound if the last values of the job's cgroup
 * were not read, or if part of the node's CPU time is unknown.
 */
static struct used used_cpu(const struct node *n)
{
	static const char *const busy[] = { "cpu.user", "cpu.nice", "cpu.system" };
	double seconds = (double)n->usec / 1e6;
	const struct value *job = used_find_value(n, "job.cpu");
	uint64_t cpus = cpus_given(n);

	if (seconds <= 0 || cpus == 0)
		return (struct used){ 0 };
	if (job && !node_began_before(n, job->n))
		return (struct used){ used_cap_cpus(n, job->n / seconds), (double)cpus,
				      .at_least = job->at_least > 0, .from_job = true };
	if (!used_has_whole_node(n) || !used_find_value(n, "cpu.user"))
		return (struct used){ 0 };
	bool at_least = false;
	double sum = used_sum_values(n, busy, 3, &at_least);
	return (struct used){ used_cap_cpus(n, sum / seconds), (double)cpus,
			      .at_least = at_least };
}

/*
 * Convert the number of allocated CPUs to cores, if the node's CPUs are hardware threads. On a node
 * that the job had alone, a number up to the number of cores is assumed to count cores already. On
 * a shared node, the number is assumed to count CPUs.
 */
static double used_cores_given(const struct node *n, double cpus)
{
	const struct course *c = &n->course;
	bool threads = c->cores && c->cores < c->cpus && (n->shared || cpus > c->cores);
	return threads ? cpus * c->cores / c->cpus : cpus;
}

static double used_memory_limit(const struct node *n)
{
	const struct value *limit = used_find_value(n, "job.mem_limit");
	const struct value *all = used_find_value(n, "mem.MemTotal");

	if (limit && limit->n > 0 && limit->n < NO_LIMIT)
		return limit->n;
	if (n->allocation.mem)
		return (double)n->allocation.mem;
	return !n->shared && all ? all->n : 0;
}

/*
 * Whether all samples of a gauge were taken at the begin or end mark, where the value may be far
 * below the peak.
 */
static bool used_only_edges(const struct node *n, const char *id)
{
	return n->value[figure_find(id)].edges >= n->samples;
}

static bool used_was_read(const struct node *n, const char *id)
{
	const struct value *v = &n->value[figure_find(id)];
	return v->seen || v->edges > 0;
}

/*
 * Return the use of memory by the job's programs: the largest value in a sample, which is a lower
 * bound. If there is no sample between begin and end, use the kernel's peak, which includes page
 * cache. For a job without a cgroup, this is the peak of the largest process, a lower bound, too.
 * If there are no records of the job itself, use the memory of the node.
 */
static struct used used_memory(const struct node *n)
{
	static const char *const job[] = { "job.anon", "job.shmem" };
	const struct value *peak = used_find_value(n, "job.mem_peak");
	const struct value *all = used_find_value(n, "mem.MemTotal");
	bool group = used_was_read(n, "job.mem"), at_least = true, has_cache = false;
	double used = used_sum_values(n, job, 2, &at_least);

	if (peak && peak->n > used &&
	    (used <= 0 || !group || used_only_edges(n, "job.anon"))) {
		used = peak->n;
		at_least = !group || peak->at_least > 0;
		has_cache = group;
	}
	if (used <= 0 && !n->shared && !used_was_read(n, "job.anon") &&
	    used_find_value(n, "mem.hwm"))
		used = used_find_value(n, "mem.hwm")->n;
	if (used <= 0 || (all && used > all->n))
		return (struct used){ 0 };
	return (struct used){ used, used_memory_limit(n), .at_least = at_least,
			      .has_cache = has_cache };
}

/* Return the use of the GPUs in the job's list, or zeros if one of them was not sampled. */
static struct used used_listed_gpus(const struct node *n)
{
	const struct held *listed = &n->course.held;
	struct used u = { .of = listed->n };
	for (unsigned i = 0; i < listed->n; i++) {
		double busy;
		if (listed->gpu[i].number >= GPUS_KEPT ||
		    !gpu_was_used(&n->course.gpus_used, listed, n->shared, listed->gpu[i].number,
				  &busy))
			return (struct used){ 0 };
		u.n += busy / 100;
	}
	return u;
}

/* If the job has a list of GPUs, other GPUs of the node are not the job's, even if they idle. */
static struct used used_gpu(const struct node *n)
{
	static const char *const id[] = { "nvidia_gpu.utilization", "nvidia_gpu.gpu_util",
					  "amd_gpu.gpu_util" };
	if (n->course.held.n && (n->shared || n->course.held.n < n->course.gpus))
		return used_listed_gpus(n);
	for (size_t i = 0; i < 3; i++) {
		size_t f = figure_find(id[i]);
		const struct value *v = used_find_value(n, id[i]);
		if (v && n->course.gpus && !n->shared)
			return (struct used){ value_of(&figures[f], v), n->course.gpus };
	}
	return (struct used){ 0 };
}

static struct used used_time(const struct node *n)
{
	double seconds = (double)(n->end - n->start) / 1e6;
	return (struct used){ seconds, (double)n->allocation.limit, .at_least = n->open };
}

/*
 * fraction of the time of all CPUs: a smaller busy time, which is counted in ticks, is too inexact
 * to divide by
 */
#define BUSY_MIN .1

static const struct derived
	done = { .over = { { Q_FP64_1, 1 }, { Q_FP64_2, 2 }, { Q_FP64_4, 4 }, { Q_FP64_8, 8 },
			   { Q_FP32_1, .5 }, { Q_FP32_4, 2 }, { Q_FP32_8, 4 }, { Q_FP32_16, 8 } } },
	done_of_any = { .over = { { Q_FLOP, 1 } } },
	moved = { .over = { { Q_DRAM_READ, 1 }, { Q_DRAM_WRITTEN, 1 }, { Q_DRAM_BOTH, 1 } } },
	could_move = { .over = { { Q_DRAM_PEAK, 1 } } },
	moved_hbm = { .over = { { Q_HBM_READ, 1 }, { Q_HBM_WRITTEN, 1 } } },
	busy = { .over = { { Q_USER, 1 }, { Q_SYSTEM, 1 } } },
	nominal = { .over = { { Q_REFERENCE, 1 } }, .under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } } };

static bool used_read_rate(const struct node *n, const struct derived *d, struct used *u)
{
	struct derived_value v = derived_of(d, n->value, (double)n->usec / 1e6);
	enum derived_bound bound = v.known ? derived_bound(&v) : BOUND_UNKNOWN;

	if (bound == BOUND_UNKNOWN)
		return false;
	*u = (struct used){ .n = derived_number(d, &v), .at_least = bound == BOUND_AT_LEAST,
			    .at_most = bound == BOUND_AT_MOST };
	return true;
}

static double used_exact_rate(const struct node *n, const struct derived *d)
{
	struct used u;
	return used_read_rate(n, d, &u) && !u.at_least && !u.at_most ? u.n : 0;
}

/*
 * Return the operations per cycle and core, if files have no "$peak" line, from a record type that
 * only certain processors have; 0: unknown.
 */
static double used_flops_per_cycle(const struct node *n)
{
	static const struct {
		const char *id;
		double cycle;
	} type[] = {
		{ "intel_nhm.FIXED_CTR1", 4 },     { "intel_snb.FIXED_CTR1", 8 },
		{ "intel_hsw.FIXED_CTR1", 16 },    { "intel_hsw_ht.FIXED_CTR1", 16 },
		{ "intel_knl.FIXED_CTR1", 32 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(type); i++)
		if (value_known(&n->value[figure_find(type[i].id)]))
			return type[i].cycle;
	return 0;
}

/*
 * Return the nominal frequency in Hz, from the header or as reference cycles per second of CPU
 * time; 0: unknown.
 */
static double used_nominal_clock(const struct node *n)
{
	if (n->course.peaks.clock)
		return (double)n->course.peaks.clock;
	return used_exact_rate(n, &busy) >= BUSY_MIN * n->course.cpus ?
	       used_exact_rate(n, &nominal) : 0;
}

/*
 * Return the rate of 64-bit floating point operations; a 32-bit operation counts as half. The peak
 * is computed from processor model, number of cores and nominal frequency or, if one of these is
 * unknown, was measured by "nodometer peak". If the number of cores is unknown, the number of CPUs
 * replaces it, and the percentage is a lower bound.
 */
static struct used used_flops(const struct node *n)
{
	const struct course *c = &n->course;
	double cycle = c->peaks.cycle ? (double)c->peaks.cycle : used_flops_per_cycle(n);
	double peak = cycle * used_nominal_clock(n) * (c->cores ? c->cores : c->cpus);
	struct used u;

	if (n->shared || n->usec <= 0)
		return (struct used){ 0 };
	if (!used_read_rate(n, &done, &u)) {
		if (!used_read_rate(n, &done_of_any, &u) || u.at_least)
			return (struct used){ 0 };
		/* an unknown part of the operations are 32-bit operations */
		u.at_most = true;
	}
	u.measured = peak <= 0;
	u.at_least |= !u.measured && !c->cores;
	u.of = u.measured ? (double)c->peaks.flops : peak;
	return u.at_least && u.at_most ? (struct used){ 0 } : u;
}

/*
 * Return the rate of bytes read from and written to memory. The peak is computed from the DRAM
 * clock or, if this is unknown, was measured by "nodometer peak". If the node has HBM, the measured
 * peak may be that of HBM, and is not used.
 */
static struct used used_bandwidth(const struct node *n)
{
	struct used u, hbm;
	double peak = used_exact_rate(n, &could_move);

	if (n->shared || n->usec <= 0 || !used_read_rate(n, &moved, &u))
		return (struct used){ 0 };
	u.measured = peak <= 0;
	if (!u.measured)
		u.of = peak;
	else if (!used_read_rate(n, &moved_hbm, &hbm))
		u.of = (double)n->course.peaks.bandwidth;
	return u;
}

struct used used_of_node(const struct report *r, size_t node, enum used_what what)
{
	static struct used (*const of[USED_WHATS])(const struct node *) = {
		[USED_CPU] = used_cpu, [USED_MEMORY] = used_memory,
		[USED_GPU] = used_gpu, [USED_TIME] = used_time,
		[USED_FLOPS] = used_flops, [USED_BANDWIDTH] = used_bandwidth,
	};
	struct used u = of[what](&r->node[node]);
	u.full = what == USED_CPU ? used_cores_given(&r->node[node], u.of) : u.of;
	return u.of > 0 ? u : (struct used){ 0 };
}

/* Whether the use over all nodes is unknown if the use on this node is unknown. */
static bool used_is_needed(const struct node *n, enum used_what what)
{
	if (what == USED_GPU)
		return n->course.gpus || n->allocation.gpus;
	return what != USED_TIME;
}

struct used used_of(const struct report *r, enum used_what what)
{
	struct used all = { 0 };

	for (size_t i = 0; i < r->n && r->job; i++) {
		struct used u = used_of_node(r, i, what);
		if (u.of <= 0 && used_is_needed(&r->node[i], what))
			return (struct used){ 0 };
		if (what == USED_TIME && all.of > 0) {
			all.n = u.n > all.n ? u.n : all.n;
			all.at_least |= u.at_least;
			continue;
		}
		all.n += u.n;
		all.of += u.of;
		all.full += u.full;
		all.at_least |= u.at_least;
		all.at_most |= u.at_most;
		all.measured |= u.measured;
		all.has_cache |= u.has_cache;
	}
	return all.at_least && all.at_most ? (struct used){ 0 } : all;
}

void used_put_json(struct buf *b, const struct used used[USED_WHATS])
{
	json_open(b, "used", '{');
	for (int i = 0; i < USED_WHATS; i++) {
		if (used[i].of <= 0)
			continue;
		json_open(b, used_names[i], '{');
		json_double(b, "used", used[i].n);
		json_double(b, "of", used[i].of);
		json_double(b, "percent", used_percent(&used[i]));
		if (i == USED_CPU && used[i].at_least)
			json_bool(b, "at_least", true);
		if (i >= USED_FLOPS) {
			json_bool(b, "at_least", used[i].at_least);
			json_bool(b, "at_most", used[i].at_most);
			json_bool(b, "measured", used[i].measured);
		}
		json_close(b, '}');
	}
	json_close(b, '}');
}

bool report_is_shared(const struct report *r)
{
	bool shared = false;
	for (size_t i = 0; i < r->n; i++)
		shared |= r->node[i].shared > 0;
	return shared;
}
