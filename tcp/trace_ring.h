/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_ring.h - read perf records from a ring buffer that the kernel fills */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define TRACE_RING_BYTES (512u << 10)	/* size of each CPU's ring buffer: about 3,000 events */

struct trace_ring {
	void *map;
	size_t page;
	unsigned char *record;	/* copy of a record that wraps around the end of the ring */
};

int trace_ring_open(struct trace_ring *r, int fd) MUST_CHECK;	/* returns 0 or -errno */
void trace_ring_close(struct trace_ring *r);

/*
 * Pass all waiting samples to `take`. They must have PERF_SAMPLE_TIME and PERF_SAMPLE_RAW. Returns
 * the number of samples that the kernel lost.
 */
uint64_t trace_ring_read(struct trace_ring *r,
			 void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg);
