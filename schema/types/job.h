/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - indexes of the keys of type job, and their files in a cgroup */
#pragma once

#include <stddef.h>

enum {
	CPU, USER, SYSTEM, THROTTLED, MEM, MEM_PEAK, MEM_LIMIT, ANON, PAGE_CACHE, SHMEM, SWAP,
	PGFAULT, PGMAJFAULT, OOM_KILL, RD_BYTES, WR_BYTES, RD_IOS, WR_IOS, PIDS, AGE, WHOLE,
	CPUS, CPU_WAIT, CPU_WAIT_OF,
};
enum { JOB_IO_KEYS = WR_IOS - RD_BYTES + 1 };	/* number of I/O keys */
#define JOB_IO_MASK (((1ull << JOB_IO_KEYS) - 1) << RD_BYTES)

enum job_how {
	NUMBER,	/* the file consists of one number, or "max" */
	LINE,	/* the value is in a line "key 123" */
	/*
	 * the value is a sum over the lines of all devices: "8:0 key=123 other=4" or "8:0 key 123"
	 */
	SUM,
};

/* value of mem_limit without a limit, in bytes: cgroup v1 shows it with pages of 4 KB */
#define JOB_NO_LIMIT 9223372036854771712u

/*
 * The file in a cgroup's folder with the value of a key. Keys with the same file are adjacent, in
 * the order of the lines in the file (Documentation/admin-guide/cgroup-v{1,2}).
 */
struct job_source {
	const char *controller, *file;
	size_t metric;
	enum job_how how;
	const char *key;
	/* factor and divisor for the number in the file; 0 means 1 */
	unsigned times, per;
};

enum { JOB_V2_SOURCES = 19, JOB_V1_SOURCES = 18 };
extern const struct job_source job_v2[JOB_V2_SOURCES], job_v1[JOB_V1_SOURCES];
