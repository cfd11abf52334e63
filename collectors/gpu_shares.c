/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_shares.c - sum up GPU memory and engine time per job and GPU */
#include "collectors/gpu_shares.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/vec.h"
#include "collectors/job_layouts.h"
#include "schema/types/gpu_job.h"

/* job name in the row of the processes that belong to no job */
#define NOBODY "-"

void gpu_shares_free(struct gpu_shares *g)
{
	free(g->share);
	*g = (struct gpu_shares){ 0 };
}

void gpu_shares_begin(struct gpu_shares *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct gpu_share *h = &g->share[i];
		h->seen = h->memory_unknown = h->busy_unknown = false;
		h->processes = h->memory = 0;
	}
}

/*
 * Find an entry to reuse: that of a job without a process in this sample. The job's engine time is
 * lost.
 */
static struct gpu_share *gpu_shares_find_unused(struct gpu_shares *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!g->share[i].seen)
			return &g->share[i];
	return NULL;
}

/* Find or add the share of a job on a GPU. Returns NULL if the table is full. */
static struct gpu_share *gpu_shares_find(struct gpu_shares *g, const char *gpu, const char *job)
{
	struct gpu_share *h;
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->share[i].gpu, gpu) == 0 && strcmp(g->share[i].job, job) == 0)
			return &g->share[i];
	if (g->n < GPU_SHARES_MAX) {
		g->share = vec_reserve(g->share, &g->cap, g->n + 1, sizeof(*g->share));
		h = &g->share[g->n++];
	} else {
		h = gpu_shares_find_unused(g);
	}
	if (!h)
		return NULL;
	*h = (struct gpu_share){ 0 };
	str_copy(h->gpu, sizeof(h->gpu), str_of(gpu));
	str_copy(h->job, sizeof(h->job), str_of(job));
	return h;
}

void gpu_shares_see(struct gpu_shares *g, const char *gpu, bool times)
{
	struct gpu_share *h = gpu_shares_find(g, gpu, "");
	if (!h)
		return;
	h->seen = true;
	h->busy_unknown = !times;
}

void gpu_shares_unsee(struct gpu_shares *g, const char *gpu)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->share[i].gpu, gpu) == 0)
			g->share[i].seen = false;
}

/* Find the job of a process by its cgroup. A process that has gone belongs to no job. */
static void gpu_shares_find_job(struct source *s, uint64_t pid, char *job, size_t size)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str cgroups;
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "proc/%llu/cgroup", (unsigned long long)pid);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    files_read_fd(fd, FILE_TO_END, &text, &cgroups) < 0 ||
	    !job_of_cgroups(s, cgroups, st.st_uid, job, size))
		str_copy(job, size, STR(NOBODY));
}

static void gpu_share_add_process(struct gpu_share *h, const struct gpu_process *p)
{
	if (!h)
		return;
	h->seen = true;
	h->processes++;
	h->memory_unknown |= p->memory == GPU_UNKNOWN;
	h->busy_unknown |= p->busy == GPU_UNKNOWN;
	h->memory += p->memory == GPU_UNKNOWN ? 0 : p->memory;
	h->busy += p->busy == GPU_UNKNOWN ? 0 : p->busy;
}

void gpu_shares_add(struct gpu_shares *g, struct source *s, const char *gpu,
		    const struct gpu_process *p)
{
	char job[128];
	gpu_shares_find_job(s, p->pid, job, sizeof(job));
	gpu_share_add_process(gpu_shares_find(g, gpu, ""), p);
	gpu_share_add_process(gpu_shares_find(g, gpu, job), p);
}

void gpu_shares_put(struct gpu_shares *g, struct source *s)
{
	char device[sizeof(g->share->gpu) + sizeof(g->share->job) + 1];
	bool memory = true, busy = true;
	for (size_t i = 0; i < g->n; i++) {
		memory &= !g->share[i].seen || !g->share[i].memory_unknown;
		busy &= !g->share[i].seen || !g->share[i].busy_unknown;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct gpu_share *h = &g->share[i];
		if (!h->seen)
			continue;
		snprintf(device, sizeof(device), "%s%s%s", h->gpu, h->job[0] ? "@" : "", h->job);
		struct row row = rows_add(&s->rows, str_of(device));
		if (!h->shown)
			rows_reopened(&s->rows);
		h->shown = true;
		row_set(row, GPU_PROCESSES, h->processes);
		if (memory)
			row_set(row, GPU_MEMORY, h->memory);
		if (busy)
			row_set(row, GPU_BUSY, h->busy);
	}
}
