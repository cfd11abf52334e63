/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - system calls of the perf subsystem, which tests replace */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * Open a counter of everything that runs on a CPU, in the group of group_fd or, if -1, in a new
 * group. Raises the soft limit of descriptors to the hard limit if necessary. Returns the
 * descriptor or -errno; -EMFILE if too few descriptors would remain for the files that the agent
 * reads.
 */
int perf_open(struct perf_event_attr *attr, int cpu, int group_fd) MUST_CHECK;
/* starts a group that was opened disabled; returns 0 or -errno */
int perf_enable(int fd) MUST_CHECK;
/* returns the number of values, or -errno */
int perf_read(int fd, uint64_t *value, size_t n) MUST_CHECK;
void perf_close(int fd);
