/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_shares.h - what the processes of each job have of each GPU */
#pragma once

#include "collectors/source.h"

#define GPU_NAME_MAX 48
#define GPU_SHARES_MAX 4096

/* Of a job on a GPU; the GPU's own, which has all of them, has job "". */
struct gpu_share {
	char gpu[GPU_NAME_MAX], job[128];
	bool seen;		/* at this moment */
	bool shown;		/* before: the first row says that .busy begins at 0 */
	bool memory_unknown, busy_unknown;	/* of a process of this moment */
	uint64_t processes, memory;
	uint64_t busy;		/* ns; kept from moment to moment */
};

/* All zero is a valid empty one; gpu_shares_free() ends it. */
struct gpu_shares {
	struct gpu_share *share;
	size_t n, cap;
};

/* A process on a GPU at this moment; values that nobody knows are GPU_UNKNOWN. */
#define GPU_UNKNOWN UINT64_MAX
struct gpu_process {
	uint64_t pid;
	uint64_t memory;	/* bytes */
	uint64_t busy;		/* ns of engines since the last moment */
};

void gpu_shares_begin(struct gpu_shares *g);
/*
 * The GPU is there and was asked: it has a row, if no process is on it, too. times: what its
 * processes use of its engines is known.
 */
void gpu_shares_see(struct gpu_shares *g, const char *gpu, bool times);
/* The driver could not be asked what is on the GPU: neither it nor a job on it has a row. */
void gpu_shares_unsee(struct gpu_shares *g, const char *gpu);
/* A process counts once on each GPU: the caller adds what it has there. */
void gpu_shares_add(struct gpu_shares *g, struct source *s, const char *gpu,
		    const struct gpu_process *p);
/* Rows of the GPUs that were seen, and of jobs on them; what one of them lacks none has. */
void gpu_shares_put(struct gpu_shares *g, struct source *s);
void gpu_shares_free(struct gpu_shares *g);
