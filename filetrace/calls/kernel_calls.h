/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_calls.h - system calls of processes and their descendants, as the kernel tells them */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

struct kernel_calls;

struct calls_wanted {
	uint32_t recorded;	/* operations, as a set */
	int64_t slow;		/* nanoseconds: what is faster is not recorded */
	bool running;		/* the first processes have been running before */
	uint64_t job;		/* the number of a job's control group of version 2, or 0 */
	void (*take)(void *arg, struct str record);	/* the caller's; see call_read.h */
	void *arg;
};

/*
 * Loads the programs, with CAP_BPF and CAP_PERFMON; all that follows takes no capability, but for
 * kernel_calls_attach(). 0, or -errno and *why, which says more.
 */
int kernel_calls_load(struct kernel_calls **ret, const struct calls_wanted *w,
		      const char **why) MUST_CHECK;

/* From now on the kernel's calls are counted, of the processes that are followed. 0 or -errno. */
int kernel_calls_attach(struct kernel_calls *k) MUST_CHECK;

/* Follows a process. 1; 0: it was followed already; or -errno. */
int kernel_calls_follow(struct kernel_calls *k, pid_t pid) MUST_CHECK;

/* Waits up to so long for a full ring, or a signal, and hands all records over that are there. */
void kernel_calls_read(struct kernel_calls *k, int ms);

/* Whether a thread that is followed lives; calls that were lost; calls of 32-bit programs. */
bool kernel_calls_live(const struct kernel_calls *k);
uint64_t kernel_calls_lost(const struct kernel_calls *k);
uint64_t kernel_calls_other(const struct kernel_calls *k);
/* Nothing is traced any more; what was stays to be read. */
void kernel_calls_detach(struct kernel_calls *k);
void kernel_calls_free(struct kernel_calls *k);
