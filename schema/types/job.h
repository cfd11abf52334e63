/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - the places of keys in type job, and the files of a control group that have them */
#pragma once

#include <stddef.h>

enum {
	CPU, USER, SYSTEM, THROTTLED, MEM, MEM_PEAK, MEM_LIMIT, ANON, PAGE_CACHE, SHMEM, SWAP,
	PGFAULT, PGMAJFAULT, OOM_KILL, RD_BYTES, WR_BYTES, RD_IOS, WR_IOS, PIDS, AGE, WHOLE,
};

enum job_how {
	NUMBER,	/* the file is one, or "max" */
	LINE,	/* "key 123" */
	SUM,	/* of all devices' "8:0 key=123 other=4", or "8:0 key 123" */
};

#define JOB_NO_LIMIT 9223372036854771712u	/* mem_limit, as v1 says it with pages of 4 KB */

/* Keys of one file together, in its order. Documentation/admin-guide/cgroup-v{1,2}. */
struct job_source {
	const char *controller, *file;
	size_t metric;
	enum job_how how;
	const char *key;
	unsigned times, per;	/* 0 is 1 */
};

enum { JOB_V2_SOURCES = 19, JOB_V1_SOURCES = 18 };
extern const struct job_source job_v2[JOB_V2_SOURCES], job_v1[JOB_V1_SOURCES];
