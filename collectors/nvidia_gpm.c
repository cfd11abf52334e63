/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_gpm - what multiprocessors, pipes, memory and links of NVIDIA GPUs did, by NVML's GPM
 *
 * GPM reports the mean of what was between two of its samples, as percent or MiB/s. Each mean is
 * added up, times the time that it is of: a counter, so that a job's mean is exact whenever the
 * samples were. Where one value of a GPU is no number, or out of range, the interval is left out of
 * all keys, "elapsed" too. Where MIG is on, the GPU's instances are read, as a type of their own,
 * since a row must be whole and they have no links. If the driver says that another program has the
 * counters, it is not asked again before the next look for devices. The state of GPM's streaming is
 * another program's to set, and left as it is.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include "collectors/gpm.h"

#define UNITS_MAX  512		/* 64 GPUs, or 7 instances on each */
#define FIRST_NS   100000000	/* as NVIDIA's tools wait: shorter intervals say little */

struct unit {
	struct gpm gpm;
	bool there, shown;	/* shown: a row of it was read */
};
struct state {
	struct nvml_state nvml;
	bool instances;			/* units are those of MIG */
	size_t n;
	struct unit unit[UNITS_MAX];
	struct nvml_gpm_metrics scratch;
};

/* The counters of a unit that is still there go on. */
static void found(struct state *st, struct nvml_device *d, unsigned gpu, unsigned instance)
{
	struct unit new = { .there = true, .gpm = {
		.device = d, .gpu = gpu, .instance = instance, .is_instance = st->instances,
	} };
	for (size_t i = 0; i < st->n; i++) {
		struct unit *u = &st->unit[i];
		if (u->gpm.gpu != gpu || u->gpm.instance != instance)
			continue;
		u->gpm.device = d;
		u->gpm.refused = false;
		u->there = true;
		return;
	}
	if (st->n < UNITS_MAX && gpm_open(&st->nvml.fn, &new.gpm) == NVML_SUCCESS)
		st->unit[st->n++] = new;
}

/* How many instances there are, each of them found() if they are wanted. */
static unsigned look_at_instances(struct state *st, struct nvml_device *d, unsigned gpu)
{
	struct nvml_instance in;
	unsigned n = 0;
	for (unsigned i = 0; st->nvml.fn.gpm_mig_sample &&
			     nvml_next_instance(&st->nvml.fn, d, &i, &in); n++)
		if (st->instances)
			found(st, d, gpu, in.gi);
	return n;
}

static void look_at_gpu(struct state *st, unsigned gpu)
{
	const struct nvml *fn = &st->nvml.fn;
	struct nvml_device *d;
	if (fn->handle(gpu, &d) != NVML_SUCCESS || !gpm_is_supported(fn, d))
		return;
	if (look_at_instances(st, d, gpu) == 0 && !st->instances)
		found(st, d, gpu, 0);
}

static int look(struct source *s)
{
	struct state *st = s->state;
	const struct nvml *fn = &st->nvml.fn;
	unsigned gpus = 0;
	if (!gpm_is_loaded(fn))
		return source_absent(s, "the driver is older than GPM");
	int r = fn->count(&gpus);
	if (r != NVML_SUCCESS)
		return nvml_failed(s, &st->nvml, "nvmlDeviceGetCount_v2", r);
	for (size_t i = 0; i < st->n; i++)
		st->unit[i].there = false;
	for (unsigned i = 0; i < gpus && i < NVML_GPUS_MAX; i++)
		look_at_gpu(st, i);
	return 0;
}

static void put_name(const struct gpm *g, const char *before, char *to, size_t size)
{
	if (g->is_instance)
		snprintf(to, size, "%s%u/%u", before, g->gpu, g->instance);
	else
		snprintf(to, size, "%s%u", before, g->gpu);
}

static void failed(struct source *s, const struct state *st, const struct gpm *g, int result)
{
	char what[48];
	put_name(g, "GPU ", what, sizeof(what));
	if (result == NVML_NO_ANSWER)
		source_absent(s, "%s: GPM has no valid value of some metric", what);
	else if (result != NVML_SUCCESS)
		nvml_failed(s, &st->nvml, what, result);
}

/* Units without a sample get one; then there is something to wait for. */
static void take_first(struct source *s, struct state *st)
{
	bool any = false;
	for (size_t i = 0; i < st->n; i++) {
		struct unit *u = &st->unit[i];
		if (!u->there || u->gpm.refused || u->gpm.before_ns)
			continue;
		int r = gpm_begin(&st->nvml.fn, &u->gpm);
		failed(s, st, &u->gpm, r);
		any |= r == NVML_SUCCESS;
	}
	if (any)
		nanosleep(&(struct timespec){ .tv_nsec = FIRST_NS }, NULL);
}

static void collect_unit(struct source *s, struct state *st, struct unit *u)
{
	char device[32];
	if (!u->there || u->gpm.refused || !u->gpm.before_ns)
		return;
	int r = gpm_count(&st->nvml.fn, &u->gpm, &st->scratch);
	failed(s, st, &u->gpm, r);
	if (r != NVML_SUCCESS)
		return;

	put_name(&u->gpm, "", device, sizeof(device));
	struct row row = rows_add(&s->rows, str_of(device));
	if (!u->shown)
		rows_reopened(&s->rows);
	u->shown = true;
	for (size_t k = 0; k < s->rows.n_metrics; k++)
		if (gpm_has(&u->gpm, k))
			row_set(row, k, (uint64_t)u->gpm.total[k]);
}

static void let_go(struct state *st)
{
	for (size_t i = 0; i < st->n; i++)
		gpm_close(&st->nvml.fn, &st->unit[i].gpm);
	st->n = 0;
	nvml_close(&st->nvml);
}

/* Where no unit answers, NVML is initialised again the next time, unless it is another's now. */
static int collect(struct source *s)
{
	struct state *st = source_state(s, sizeof(*st));
	bool refused = false;
	st->instances = s->data;
	int r = nvml_look(s, &st->nvml, look);
	if (r < 0)
		return r;
	take_first(s, st);
	for (size_t i = 0; i < st->n; i++) {
		collect_unit(s, st, &st->unit[i]);
		refused |= st->unit[i].gpm.refused;
	}
	if (s->rows.n)
		return 0;
	r = refused ? -ENOENT : st->n ? -EIO :
	    source_absent(s, st->instances ? "no MIG instance with GPM" :
				 "no GPU with GPM (Hopper and later) and without MIG");
	if (!refused)
		let_go(st);
	return r;
}

const struct collector nvidia_gpm_collector = {
	.type     = &nvidia_gpm_type,
	.collect  = collect,
	.present  = nvml_present,
	.holds    = HOLDS_HARDWARE,
	.start_ms = NVML_START_MS,
};

const struct collector nvidia_gpm_mig_collector = {
	.type     = &nvidia_gpm_mig_type,
	.collect  = collect,
	.present  = nvml_instances_present,
	.data     = "",
	.holds    = HOLDS_HARDWARE,
	.start_ms = NVML_START_MS,
};
