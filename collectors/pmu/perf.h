/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - system calls of the perf subsystem, which tests replace */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * Open a counter that counts everything that runs on the CPU. The counter joins the event group
 * whose leader is group_fd or, if group_fd is -1, starts a new group. Raises the soft limit of open
 * files to the hard limit if necessary. Returns the descriptor or -errno; -EMFILE if too few
 * descriptors would be left for the files that the agent reads.
 */
int perf_open(struct perf_event_attr *attr, int cpu, int group_fd) MUST_CHECK;
/* Start an event group, whose leader fd was opened with attr.disabled. Returns 0 or -errno. */
int perf_enable(int fd) MUST_CHECK;
/*
 * Read up to n numbers of the event group with leader fd, in the order of attr.read_format
 * (perf_event_open(2)). Returns how many numbers were read, or -errno.
 */
int perf_read(int fd, uint64_t *value, size_t n) MUST_CHECK;
void perf_close(int fd);
