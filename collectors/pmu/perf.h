/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - system calls of the perf subsystem, which tests replace */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * Open a counter for all that runs on a CPU, in the event group of group_fd or, if that is -1, in a
 * new group. Raises the limit of open files if necessary. Returns the descriptor, or -errno;
 * -EMFILE if the agent would have too few descriptors left.
 */
int perf_open(struct perf_event_attr *attr, int cpu, int group_fd) MUST_CHECK;
/* Start an event group, which perf_open() leaves disabled. Returns 0 or -errno. */
int perf_enable(int fd) MUST_CHECK;
/* Read the values of a group. Returns their number, or -errno. */
int perf_read(int fd, uint64_t *value, size_t n) MUST_CHECK;
void perf_close(int fd);
