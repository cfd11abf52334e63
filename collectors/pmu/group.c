/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c - counters that are opened and closed together */
#include "collectors/pmu/perf.h"
#include "collectors/pmu/plan.h"

void pmu_close_group(struct pmu_group *g)
{
	for (unsigned i = g->n; i-- > 0; ) {	/* the leader last */
		if (g->slot[i].fd >= 0)
			perf_close(g->slot[i].fd);
		g->slot[i].fd = -1;
	}
	g->open = false;
}

/* Registers of a box take no bits of a mode; a core's event without USR and OS counts in both. */
static bool of_user_mode(const struct pmu_event *e)
{
	return (e->ctl & (PMU_CTL_USR | PMU_CTL_OS)) == PMU_CTL_USR;
}

static int open_slot(struct pmu_group *g, unsigned i)
{
	const struct pmu_event *e = g->slot[i].event;
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = g->slot[i].type,
		.config = e->config, .config1 = e->config1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = i == 0,	/* all of them start with the first */
		.exclude_kernel = of_user_mode(e), .exclude_hv = of_user_mode(e),
	};
	int fd = perf_open(&attr, g->cpu, i ? g->slot[0].fd : -1);
	if (fd < 0)
		return fd;
	g->slot[i].fd = fd;
	return 0;
}

int pmu_open_group(struct pmu_group *g)
{
	int r = 0;
	for (unsigned i = 0; r == 0 && i < g->n; i++)
		r = open_slot(g, i);
	if (r == 0)
		r = perf_enable(g->slot[0].fd);
	if (r < 0) {
		pmu_close_group(g);
		return r;
	}
	g->open = g->anew = true;
	g->enabled = g->running = 0;
	return 0;
}
