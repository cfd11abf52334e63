/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_ring.h - a ring buffer in which the kernel passes perf records to this process */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define TRACE_RING_BYTES (512u << 10)	/* size of the ring of each CPU: about 3,000 events */

struct trace_ring {
	void *map;
	size_t page;
	unsigned char *record;	/* buffer to join a record that wraps around the end of the ring */
};

int trace_ring_open(struct trace_ring *r, int fd) MUST_CHECK;	/* returns 0 or -errno */
void trace_ring_close(struct trace_ring *r);

/*
 * Pass on all waiting samples, which have PERF_SAMPLE_TIME and PERF_SAMPLE_RAW. Returns how many
 * samples the kernel has lost.
 */
uint64_t trace_ring_read(struct trace_ring *r,
			 void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg);
