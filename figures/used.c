/* SPDX-License-Identifier: BSD-3-Clause */
/* used.c - how much of what it was given a job used: CPU, memory, GPUs, time */
#include "figures/used.h"

#include <string.h>
#include "base/json.h"

const char *const used_names[USED_WHATS] = { "cpus", "memory", "gpus", "time" };

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

struct used used_of_node(const struct report *r, size_t node, enum used_what what)
{
	static struct used (*const of[USED_WHATS])(const struct node *) = {
		[USED_CPU] = used_cpu, [USED_MEMORY] = used_memory,
		[USED_GPU] = used_gpu, [USED_TIME] = used_time,
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
	}
	return all;
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
