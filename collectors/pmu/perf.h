/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - the system calls of the perf subsystem; a test has others in their place */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * Opens a counter of everything that runs on a CPU, in the group of another one or of its own (-1).
 * Raises the soft limit of descriptors to the hard one if it must. The descriptor, or -errno:
 * -EMFILE if fewer than a few would be left for the files that the agent reads.
 */
int perf_open(struct perf_event_attr *attr, int cpu, int group_fd) MUST_CHECK;
int perf_enable(int fd) MUST_CHECK;	/* starts a group that was opened disabled; 0 or -errno */
int perf_read(int fd, uint64_t *value, size_t n) MUST_CHECK;	/* how many it read, or -errno */
void perf_close(int fd);
