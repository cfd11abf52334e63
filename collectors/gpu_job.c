/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_job - processes, memory and time of each job on each GPU
 *
 * A row with 0 processes means that the GPU is idle. If a GPU has no row, nothing is known about
 * it. A process belongs to the job of its cgroup. If a process ends before the next sample, the GPU
 * time that it used since the last sample is lost.
 */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/drm_clients.h"
#include "collectors/nvml_processes.h"
#include "collectors/process_list.h"

struct gpu_job_state {
	struct gpu_shares shares;
	struct drm_clients drm;
	struct nvml_processes nvml;
};

static void gpu_job_free_state(void *state)
{
	struct gpu_job_state *st = state;
	gpu_shares_free(&st->shares);
	drm_clients_free(&st->drm);
}

static int gpu_job_present(struct source *s)
{
	struct gpu_job_state *st = source_state(s, sizeof(*st));
	s->end_state = gpu_job_free_state;
	if (drm_clients_look(&st->drm, s) > 0 || nvml_present(s) == 0)
		return 0;
	return source_absent(s, "no NVIDIA driver, and no card of amdgpu, i915, nouveau or xe");
}

static int gpu_job_collect(struct source *s)
{
	struct gpu_job_state *st = source_state(s, sizeof(*st));
	s->end_state = gpu_job_free_state;
	if (processes_shown(s) < 0)
		return -ENOENT;
	gpu_shares_begin(&st->shares);
	drm_clients_look(&st->drm, s);
	int denied = drm_clients_collect(&st->drm, s, &st->shares);
	int r = nvml_processes_collect(&st->nvml, s, &st->shares);
	gpu_shares_put(&st->shares, s);
	if (s->rows.n == 0 && denied < 0 && r == -ENOENT)
		return source_absent(s, "not allowed to read file descriptors of other users' "
				     "processes");
	return s->rows.n ? 0 : r;
}

const struct collector gpu_job_collector = {
	.type     = &gpu_job_type,
	.collect  = gpu_job_collect,
	.present  = gpu_job_present,
	.needs    = PRIVILEGE_SEARCH,
	.start_ms = NVML_START_MS,
};
