/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_ring.h - a ring in which the kernel leaves records of perf for this process */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define TRACE_RING_BYTES (512u << 10)	/* of a CPU: some 3,000 events */

struct trace_ring {
	void *map;
	size_t page;
	unsigned char *record;	/* a record that the ring's end split, put together */
};

int trace_ring_open(struct trace_ring *r, int fd) MUST_CHECK;	/* 0 or -errno */
void trace_ring_close(struct trace_ring *r);

/* All samples of PERF_SAMPLE_TIME and _RAW that wait; returns how many the kernel has lost. */
uint64_t trace_ring_take(struct trace_ring *r,
			 void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg);
