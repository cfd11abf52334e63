/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_gpm - activity of multiprocessors, pipes, memory and links of NVIDIA GPUs, from NVML's GPM
 *
 * GPM reports averages between two samples, in percent or MiB/s. Each average is multiplied by its
 * interval and added to a counter, so a job's average is exact. If a value of a GPU is invalid, all
 * keys of the GPU, including "elapsed", skip the interval. If a GPU is divided by MIG, its
 * instances are read instead. They have a type of their own, because a row must be complete and
 * instances have no links. If another program has reserved a GPU's counters, the collector tries
 * again at the next rescan. GPM's streaming is not touched, because other programs control it.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include "collectors/gpm.h"

#define UNITS_MAX  512		/* 64 GPUs, with up to 7 instances each */
/*
 * length of the first interval in ns, as in NVIDIA's tools: averages over less time are imprecise
 */
#define FIRST_NS   100000000

struct nvidia_gpm_unit {
	struct gpm gpm;
	/* there: the unit exists; shown: an earlier sample had a row for the unit */
	bool there, shown;
};
struct nvidia_gpm_state {
	struct nvml_state nvml;
	bool instances;			/* the units are MIG instances, not GPUs */
	size_t n;
	struct nvidia_gpm_unit unit[UNITS_MAX];
	struct nvml_gpm_metrics scratch;
};

/* Add a unit. If the unit is known already, its counters continue. */
static void nvidia_gpm_add_unit(struct nvidia_gpm_state *st, struct nvml_device *d, unsigned gpu,
				unsigned instance)
{
	struct nvidia_gpm_unit new = { .there = true, .gpm = {
		.device = d, .gpu = gpu, .instance = instance, .is_instance = st->instances,
	} };
	for (size_t i = 0; i < st->n; i++) {
		struct nvidia_gpm_unit *u = &st->unit[i];
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

/* Count the MIG instances of a GPU and, if st->instances is set, add them as units. */
static unsigned nvidia_gpm_find_instances(struct nvidia_gpm_state *st, struct nvml_device *d,
					  unsigned gpu)
{
	struct nvml_instance in;
	unsigned n = 0;
	for (unsigned i = 0; st->nvml.fn.gpm_mig_sample &&
			     nvml_next_instance(&st->nvml.fn, d, &i, &in); n++)
		if (st->instances)
			nvidia_gpm_add_unit(st, d, gpu, in.gi);
	return n;
}

static void nvidia_gpm_find_gpu(struct nvidia_gpm_state *st, unsigned gpu)
{
	const struct nvml *fn = &st->nvml.fn;
	struct nvml_device *d;
	if (fn->handle(gpu, &d) != NVML_SUCCESS || !gpm_is_supported(fn, d))
		return;
	if (nvidia_gpm_find_instances(st, d, gpu) == 0 && !st->instances)
		nvidia_gpm_add_unit(st, d, gpu, 0);
}

static int nvidia_gpm_find(struct source *s)
{
	struct nvidia_gpm_state *st = s->state;
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
		nvidia_gpm_find_gpu(st, i);
	return 0;
}

static void nvidia_gpm_format_name(const struct gpm *g, const char *before, char *to, size_t size)
{
	if (g->is_instance)
		snprintf(to, size, "%s%u/%u", before, g->gpu, g->instance);
	else
		snprintf(to, size, "%s%u", before, g->gpu);
}

static void nvidia_gpm_report(struct source *s, const struct nvidia_gpm_state *st,
			      const struct gpm *g,
			      int result)
{
	char what[48];
	nvidia_gpm_format_name(g, "GPU ", what, sizeof(what));
	if (result == NVML_NO_ANSWER)
		source_absent(s, "%s: GPM lacks a valid value for some metric", what);
	else if (result != NVML_SUCCESS)
		nvml_failed(s, &st->nvml, what, result);
}

/* Take the first sample of new units, and wait FIRST_NS. */
static void nvidia_gpm_take_first(struct source *s, struct nvidia_gpm_state *st)
{
	bool any = false;
	for (size_t i = 0; i < st->n; i++) {
		struct nvidia_gpm_unit *u = &st->unit[i];
		if (!u->there || u->gpm.refused || u->gpm.before_ns)
			continue;
		int r = gpm_begin(&st->nvml.fn, &u->gpm);
		nvidia_gpm_report(s, st, &u->gpm, r);
		any |= r == NVML_SUCCESS;
	}
	if (any)
		nanosleep(&(struct timespec){ .tv_nsec = FIRST_NS }, NULL);
}

static void collect_unit(struct source *s, struct nvidia_gpm_state *st, struct nvidia_gpm_unit *u)
{
	char device[32];
	if (!u->there || u->gpm.refused || !u->gpm.before_ns)
		return;
	int r = gpm_count(&st->nvml.fn, &u->gpm, &st->scratch);
	nvidia_gpm_report(s, st, &u->gpm, r);
	if (r != NVML_SUCCESS)
		return;

	nvidia_gpm_format_name(&u->gpm, "", device, sizeof(device));
	struct row row = rows_add(&s->rows, str_of(device));
	if (!u->shown)
		rows_reopened(&s->rows);
	u->shown = true;
	for (size_t k = 0; k < s->rows.n_metrics; k++)
		if (gpm_has(&u->gpm, k))
			row_set(row, k, (uint64_t)u->gpm.total[k]);
}

static void nvidia_gpm_close(struct nvidia_gpm_state *st)
{
	for (size_t i = 0; i < st->n; i++)
		gpm_close(&st->nvml.fn, &st->unit[i].gpm);
	st->n = 0;
	nvml_close(&st->nvml);
}

/*
 * Collect all units. If none answers, initialise NVML again at the next sample, unless another
 * program has reserved the counters.
 */
static int nvidia_gpm_collect(struct source *s)
{
	struct nvidia_gpm_state *st = source_state(s, sizeof(*st));
	bool refused = false;
	st->instances = s->data;
	int r = nvml_look(s, &st->nvml, nvidia_gpm_find);
	if (r < 0)
		return r;
	nvidia_gpm_take_first(s, st);
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
		nvidia_gpm_close(st);
	return r;
}

const struct collector nvidia_gpm_collector = {
	.type     = &nvidia_gpm_type,
	.collect  = nvidia_gpm_collect,
	.present  = nvml_present,
	.holds    = HOLDS_HARDWARE,
	.start_ms = NVML_START_MS,
};

const struct collector nvidia_gpm_mig_collector = {
	.type     = &nvidia_gpm_mig_type,
	.collect  = nvidia_gpm_collect,
	.present  = nvml_instances_present,
	.data     = "",
	.holds    = HOLDS_HARDWARE,
	.start_ms = NVML_START_MS,
};
