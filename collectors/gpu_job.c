/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_job - whose processes are on each GPU: of no job, of one job, of several that share it
 *
 * A row of a GPU with 0 processes was read: nobody is on it. Without a row nothing is known. A
 * process is of the job in whose control group it is; the time that it used since the last sample
 * is lost if it ends before the next one.
 */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/drm_clients.h"
#include "collectors/nvml_processes.h"
#include "collectors/process_list.h"

struct state {
	struct gpu_shares shares;
	struct drm_clients drm;
	struct nvml_processes nvml;
};

static void end(void *state)
{
	struct state *st = state;
	gpu_shares_free(&st->shares);
	drm_clients_free(&st->drm);
}

static int present(struct source *s)
{
	struct state *st = source_state(s, sizeof(*st));
	s->end_state = end;
	if (drm_clients_look(&st->drm, s) > 0 || nvml_present(s) == 0)
		return 0;
	return source_absent(s, "no NVIDIA driver, and no card of amdgpu, i915, nouveau or xe");
}

static int collect(struct source *s)
{
	struct state *st = source_state(s, sizeof(*st));
	s->end_state = end;
	if (processes_shown(s) < 0)
		return -ENOENT;
	gpu_shares_begin(&st->shares);
	drm_clients_look(&st->drm, s);
	int denied = drm_clients_collect(&st->drm, s, &st->shares);
	int r = nvml_processes_collect(&st->nvml, s, &st->shares);
	gpu_shares_put(&st->shares, s);
	if (s->rows.n == 0 && denied < 0 && r == -ENOENT)
		return source_absent(s, "descriptors of others' processes may not be read");
	return s->rows.n ? 0 : r;
}

const struct collector gpu_job_collector = {
	.type     = &gpu_job_type,
	.collect  = collect,
	.present  = present,
	.needs    = PRIVILEGE_SEARCH,
	.start_ms = NVML_START_MS,
};
