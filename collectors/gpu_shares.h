/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_shares.h - sum up GPU memory and engine time per job and GPU */
#pragma once

#include "collectors/source.h"

#define GPU_NAME_MAX 48
#define GPU_SHARES_MAX 4096

/* The use of one GPU by one job. Job "" is the total of the GPU; "-" is all processes of no job. */
struct gpu_share {
	char gpu[GPU_NAME_MAX], job[128];
	bool seen;		/* this sample has a row for the job on this GPU */
	/*
	 * an earlier sample had this row; if not, the row is marked as reopened, because .busy
	 * starts at 0
	 */
	bool shown;
	/* the memory or engine time of at least one of the job's processes is unknown */
	bool memory_unknown, busy_unknown;
	uint64_t processes, memory;
	uint64_t busy;		/* engine time in ns since the first sample with this entry */
};

/* All zero is a valid empty table; gpu_shares_free() releases it. */
struct gpu_shares {
	struct gpu_share *share;
	size_t n, cap;
};

/* A process on a GPU in this sample. Unknown values are GPU_UNKNOWN. */
#define GPU_UNKNOWN UINT64_MAX
struct gpu_process {
	uint64_t pid;
	uint64_t memory;	/* memory in bytes */
	uint64_t busy;		/* engine time in ns since the last sample */
};

/* Begin a sample. For each GPU, call gpu_shares_see() before gpu_shares_add(). */
void gpu_shares_begin(struct gpu_shares *g);
/*
 * Note that the driver answered for this GPU, so that the GPU gets a row even without processes.
 * times: the driver reports the processes' engine times.
 */
void gpu_shares_see(struct gpu_shares *g, const char *gpu, bool times);
/* Drop all rows of this GPU, because the driver could not list its processes. */
void gpu_shares_unsee(struct gpu_shares *g, const char *gpu);
/* Add a process to a GPU. Call this once per process and GPU. */
void gpu_shares_add(struct gpu_shares *g, struct source *s, const char *gpu,
		    const struct gpu_process *p);
/*
 * Write a row for each GPU, and for each job on a GPU. If memory or engine time is unknown for one
 * process or GPU, all rows lack this key, so that all rows have the same schema.
 */
void gpu_shares_put(struct gpu_shares *g, struct source *s);
void gpu_shares_free(struct gpu_shares *g);
