/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_calls.h - trace the system calls of processes and their descendants with BPF */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

struct kernel_calls;

struct calls_wanted {
	uint32_t recorded;	/* set of operations to record */
	int64_t slow;		/* least duration of a recorded call, in nanoseconds */
	bool running;		/* the processes to trace are already running */
	uint64_t job;		/* id of the job's cgroup v2, or 0 */
	/* callback for each record; see call_read.h */
	void (*take)(void *arg, struct str record);
	void *arg;
};

/*
 * Load the BPF programs, which needs CAP_BPF and CAP_PERFMON. Later, only kernel_calls_attach()
 * needs capabilities. Returns 0, or -errno with *why set to the reason.
 */
int kernel_calls_load(struct kernel_calls **ret, const struct calls_wanted *w,
		      const char **why) MUST_CHECK;

/* Start to trace calls of the followed processes. Returns 0 or -errno. */
int kernel_calls_attach(struct kernel_calls *k) MUST_CHECK;

/* Follow a process. Returns 1, 0 if the process is already followed, or -errno. */
int kernel_calls_follow(struct kernel_calls *k, pid_t pid) MUST_CHECK;

/* Wait up to ms milliseconds, or until the ring is a quarter full, then pass on all records. */
void kernel_calls_read(struct kernel_calls *k, int ms);

/* Return true if a traced thread still runs. */
bool kernel_calls_live(const struct kernel_calls *k);
/* Return the number of calls that were not recorded because the ring was full. */
uint64_t kernel_calls_lost(const struct kernel_calls *k);
/* Return the number of calls by 32-bit programs, which are not recorded. */
uint64_t kernel_calls_32bit(const struct kernel_calls *k);
/* Stop tracing. Records already made can still be read. */
void kernel_calls_detach(struct kernel_calls *k);
void kernel_calls_free(struct kernel_calls *k);
