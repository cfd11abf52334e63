/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c - take one sample of this node, to see which types of data it has */
#include "cli/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"

/*
 * microseconds after which each counter has run at least once, if there are more counters than the
 * hardware has, so that they take turns. A turn is perf_event_mux_interval_ms, 4 ms, or a tick if a
 * tick is longer (kernel/events/core.c, perf_mux_hrtimer_handler()).
 */
#define TURN_US 40000

/* Mark the counters that were released to jobs, so that they are not opened. */
static void hold_off_released(struct sampler *s, const struct config *c)
{
	struct jobs jobs CLEANUP(jobs_free) = { 0 };
	char path[CONFIG_TEXT_MAX + 8];
	snprintf(path, sizeof(path), "%s/jobs", c->runtime_dir);
	if (jobs_load(&jobs, path) == 0)
		counters_choose(s, &jobs, false);
}

/* Return whether a type has open counters but no values, because other counters ran so far. */
static bool waits_for_turn(const struct sampler *s)
{
	struct pmu_counter first;
	for (size_t i = 0; i < s->n; i++) {
		const struct type_state *t = &s->type[i];
		if (t->result == -ENOENT && t->c->planned && t->c->planned(&t->source, 0, &first))
			return true;
	}
	return false;
}

int sample_this_node(struct sampler *s, const struct config *c)
{
	int r = sampler_init(s, c->root, c->use, c->deadline_us * 1000);
	if (r < 0) {
		log_error("%s: %s", c->root, strerror(-r));
		return r;
	}
	sampler_add_named(s, &c->named);
	hold_off_released(s, c);
	sampler_collect(s);
	if (waits_for_turn(s)) {
		usleep(TURN_US);
		sampler_look_again(s);
		sampler_collect(s);
	}
	return 0;
}

const struct type_state *look_find(const struct sampler *s, const char *type)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->type[i].c->type->name, type) == 0)
			return &s->type[i];
	return NULL;
}
