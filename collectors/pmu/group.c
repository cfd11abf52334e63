/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c - open and close the counters of a group */
#include "collectors/pmu/group.h"

#include <errno.h>
#include "collectors/pmu/libpfm.h"
#include "collectors/pmu/perf.h"

void pmu_close_group(struct pmu_group *g)
{
	for (unsigned i = g->n; i-- > 0; ) { /* close the leader of the event group, slot 0, last */
		if (g->slot[i].fd >= 0)
			perf_close(g->slot[i].fd);
		g->slot[i].fd = -1;
	}
	g->open = false;
	g->n_open = 0;
}

/*
 * Returns true if the event counts in user mode only: its control register has bit USR, but not OS.
 * Registers of boxes have neither bit. A core's event with neither bit counts in both modes.
 */
static bool of_user_mode(const struct pmu_event *e)
{
	return (e->ctl & (PMU_CTL_USR | PMU_CTL_OS)) == PMU_CTL_USR;
}

static int open_slot(struct pmu_group *g, unsigned i)
{
	const struct pmu_event *e = g->slot[i].event;
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = g->slot[i].type,
		.config = e->config, .config1 = e->config1, .config2 = e->config2,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		/* start the group only when all counters are open */
		.disabled = i == 0,
		.exclude_user = !!(e->exclude & LIBPFM_NO_USER),
		.exclude_kernel = of_user_mode(e) || e->exclude & LIBPFM_NO_KERNEL,
		.exclude_hv = of_user_mode(e) || e->exclude & LIBPFM_NO_HV,
		.exclude_host = !!(e->exclude & LIBPFM_NO_HOST),
		.exclude_guest = !!(e->exclude & LIBPFM_NO_GUEST),
	};
	int fd = perf_open(&attr, g->cpu, i ? g->slot[0].fd : -1);
	if (fd < 0)
		return fd;
	g->slot[i].fd = fd;
	g->n_open++;
	return 0;
}

/*
 * Returns true if the event in slot i may be left out: the processor lacks the event, or another
 * event uses the only counter for it.
 */
static bool is_left_out(const struct pmu_group *g, unsigned i, int error)
{
	return g->as_fits && i > 0 &&
	       (error == -ENOENT || error == -EINVAL || error == -EOPNOTSUPP);
}

static int open_slots(struct pmu_group *g, unsigned most)
{
	int r = 0;
	for (unsigned i = 0; r == 0 && i < g->n && g->n_open < most; i++) {
		r = open_slot(g, i);
		if (is_left_out(g, i, r))
			r = 0;
	}
	if (r == 0)
		r = perf_enable(g->slot[0].fd);
	if (r < 0)
		pmu_close_group(g);
	return r;
}

/*
 * Returns true if the group counts. If the NMI watchdog uses a counter, Linux may open a group that
 * can never run.
 */
static bool runs(const struct pmu_group *g)
{
	uint64_t v[3 + PMU_GROUP];
	return perf_read(g->slot[0].fd, v, 3 + g->n_open) < 3 || v[2] > 0 || v[1] == 0;
}

int pmu_open_group(struct pmu_group *g)
{
	int r = open_slots(g, g->n);
	while (r == 0 && g->as_fits && g->n_open > 2 && !runs(g)) {
		unsigned fewer = g->n_open - 1;
		pmu_close_group(g);
		r = open_slots(g, fewer);
	}
	if (r < 0)
		return r;
	g->open = g->reopened = true;
	g->enabled = g->running = 0;
	return 0;
}

int pmu_try_group(const struct pmu_group *g)
{
	struct pmu_group trial = *g;
	int r = 0;
	for (unsigned i = 0; r == 0 && i < trial.n; i++)
		r = open_slot(&trial, i);
	int n = (int)trial.n_open;
	pmu_close_group(&trial);
	return r == 0 || (r == -EINVAL && n > 0) ? n : r;
}
