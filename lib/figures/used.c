/* SPDX-License-Identifier: BSD-3-Clause */
/* used.c - how much of what it was given a job used: CPU, memory, GPUs, time, peaks of nodes */
#include "figures/used.h"

#include <string.h>
#include "base/json.h"

const char *const used_names[USED_WHATS] = {
	"cpus", "memory", "gpus", "time", "flops", "bandwidth",
};

static const struct value *value_at(const struct node *n, const char *id)
{
	size_t i = figure_find(id);
	return i < n_figures && value_known(&n->value[i]) ? &n->value[i] : NULL;
}

static double sum_at(const struct node *n, const char *const *id, size_t ids)
{
	double sum = 0;
	for (size_t i = 0; i < ids; i++) {
		const struct value *v = value_at(n, id[i]);
		sum += v ? v->n : 0;
	}
	return sum;
}

uint64_t cpus_given(const struct node *n)
{
	return n->allocation.cpus ? n->allocation.cpus : n->shared ? 0 : n->course.cpus;
}

/*
 * Of the job itself where its rows say so and its CPUs are known; else of a node that it had alone.
 * A part of which the end was not read is none.
 */
static struct used used_cpu(const struct node *n)
{
	static const char *const busy[] = { "cpu.user", "cpu.nice", "cpu.system" };
	double seconds = (double)n->usec / 1e6;
	const struct value *job = value_at(n, "job.cpu");
	uint64_t cpus = cpus_given(n);

	if (seconds <= 0 || cpus == 0)
		return (struct used){ 0 };
	if (job && job->at_least == 0 && !node_began_before(n, job->n))
		return (struct used){ job->n / seconds, (double)cpus, .own = true };
	if (n->shared || !value_at(n, "cpu.user"))
		return (struct used){ 0 };
	return (struct used){ sum_at(n, busy, 3) / seconds, (double)cpus };
}

/*
 * Cores of the CPUs given, where these are hardware threads. A scheduler that counts cores gives no
 * more of them than there are; of a shared node it gives so few of either that they may be both.
 */
static double cores_given(const struct node *n, double cpus)
{
	const struct course *c = &n->course;
	bool threads = c->cores && c->cores < c->cpus && (n->shared || cpus > c->cores);
	return threads ? cpus * c->cores / c->cpus : cpus;
}

static double memory_limit(const struct node *n)
{
	const struct value *limit = value_at(n, "job.mem_limit");
	const struct value *all = value_at(n, "mem.MemTotal");

	if (limit && limit->n > 0 && limit->n < NO_LIMIT)
		return limit->n;
	if (n->allocation.mem)
		return (double)n->allocation.mem;
	return !n->shared && all ? all->n : 0;
}

static struct used used_memory(const struct node *n)
{
	static const char *const job[] = { "job.anon", "job.shmem" };
	double used = sum_at(n, job, 2);

	if (used <= 0 && !n->shared && value_at(n, "mem.hwm"))
		used = value_at(n, "mem.hwm")->n;
	if (used <= 0)
		return (struct used){ 0 };
	const struct value *all = value_at(n, "mem.MemTotal");
	if (all && used > all->n)
		return (struct used){ 0 };
	return (struct used){ used, memory_limit(n), .at_least = true };
}

static struct used used_gpu(const struct node *n)
{
	static const char *const id[] = { "nvidia_gpu.utilization", "nvidia_gpu.gpu_util",
					  "amd_gpu.gpu_util" };
	for (size_t i = 0; i < 3; i++) {
		size_t f = figure_find(id[i]);
		const struct value *v = value_at(n, id[i]);
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

#define BUSY_MIN .1	/* of the time of the CPUs: of less, ticks do not say enough */

static const struct derived
	done = { .over = { { Q_FP64_1, 1 }, { Q_FP64_2, 2 }, { Q_FP64_4, 4 }, { Q_FP64_8, 8 },
			   { Q_FP32_1, .5 }, { Q_FP32_4, 2 }, { Q_FP32_8, 4 }, { Q_FP32_16, 8 } } },
	done_of_any = { .over = { { Q_FLOP, 1 } } },
	moved = { .over = { { Q_DRAM_READ, 1 }, { Q_DRAM_WRITTEN, 1 }, { Q_DRAM_BOTH, 1 } } },
	could_move = { .over = { { Q_DRAM_PEAK, 1 } } },
	moved_hbm = { .over = { { Q_HBM_READ, 1 }, { Q_HBM_WRITTEN, 1 } } },
	busy = { .over = { { Q_USER, 1 }, { Q_SYSTEM, 1 } } },
	nominal = { .over = { { Q_REFERENCE, 1 } }, .under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } } };

static bool take_rate(const struct node *n, const struct derived *d, struct used *u)
{
	struct derived_value v = derived_of(d, n->value, (double)n->usec / 1e6);
	enum derived_bound bound = v.known ? derived_bound(&v) : BOUND_UNKNOWN;

	if (bound == BOUND_UNKNOWN)
		return false;
	*u = (struct used){ .n = derived_number(d, &v), .at_least = bound == BOUND_AT_LEAST,
			    .at_most = bound == BOUND_AT_MOST };
	return true;
}

static double exact_rate(const struct node *n, const struct derived *d)
{
	struct used u;
	return take_rate(n, d, &u) && !u.at_least && !u.at_most ? u.n : 0;
}

/* Of files without "$peak": types that only processors with so many operations a cycle have. */
static double cycle_by_type(const struct node *n)
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

/* Reference cycles go at the nominal clock while a CPU works. */
static double clock_of(const struct node *n)
{
	if (n->course.peaks.clock)
		return (double)n->course.peaks.clock;
	return exact_rate(n, &busy) >= BUSY_MIN * n->course.cpus ? exact_rate(n, &nominal) : 0;
}

/*
 * Operations of 64 bits a second; one of 32 bits is half of one. The peak is that of processor,
 * cores and nominal clock where all are known, else what "nodometer peak" measured. CPUs stand for
 * cores that no header counts: there may be fewer, and the part is at least so.
 */
static struct used roof_flops(const struct node *n)
{
	const struct course *c = &n->course;
	double cycle = c->peaks.cycle ? (double)c->peaks.cycle : cycle_by_type(n);
	double peak = cycle * clock_of(n) * (c->cores ? c->cores : c->cpus);
	struct used u;

	if (n->shared || n->usec <= 0)
		return (struct used){ 0 };
	if (!take_rate(n, &done, &u)) {
		if (!take_rate(n, &done_of_any, &u) || u.at_least)
			return (struct used){ 0 };
		u.at_most = true;	/* any of them may be of 32 bits */
	}
	u.measured = peak <= 0;
	u.at_least |= !u.measured && !c->cores;
	u.of = u.measured ? (double)c->peaks.flops : peak;
	return u.at_least && u.at_most ? (struct used){ 0 } : u;
}

/*
 * Bytes of DRAM a second. The peak is that of its own clock, else what "nodometer peak" measured:
 * of whichever memory the node uses, which may be HBM.
 */
static struct used roof_bandwidth(const struct node *n)
{
	struct used u, hbm;
	double peak = exact_rate(n, &could_move);

	if (n->shared || n->usec <= 0 || !take_rate(n, &moved, &u))
		return (struct used){ 0 };
	u.measured = peak <= 0;
	if (!u.measured)
		u.of = peak;
	else if (!take_rate(n, &moved_hbm, &hbm))
		u.of = (double)n->course.peaks.bandwidth;
	return u;
}

struct used used_of_node(const struct report *r, size_t node, enum used_what what)
{
	static struct used (*const of[USED_WHATS])(const struct node *) = {
		[USED_CPU] = used_cpu, [USED_MEMORY] = used_memory,
		[USED_GPU] = used_gpu, [USED_TIME] = used_time,
		[USED_FLOPS] = roof_flops, [USED_BANDWIDTH] = roof_bandwidth,
	};
	struct used u = of[what](&r->node[node]);
	u.full = what == USED_CPU ? cores_given(&r->node[node], u.of) : u.of;
	return u.of > 0 ? u : (struct used){ 0 };
}

struct used used_of(const struct report *r, enum used_what what)
{
	struct used all = { 0 };

	for (size_t i = 0; i < r->n && r->job; i++) {
		struct used u = used_of_node(r, i, what);
		if (u.of <= 0 && what != USED_TIME && what != USED_GPU)
			return (struct used){ 0 };
		if (what == USED_TIME && all.of > 0) {
			all.n = u.n > all.n ? u.n : all.n;
			continue;
		}
		all.n += u.n;
		all.of += u.of;
		all.full += u.full;
		all.at_least |= u.at_least;
		all.at_most |= u.at_most;
		all.measured |= u.measured;
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
