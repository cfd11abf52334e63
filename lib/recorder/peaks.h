/* SPDX-License-Identifier: BSD-3-Clause */
/* peaks.h - put the node's peak performance, as "nodometer peak" measured it, into file headers */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/files.h"

/*
 * Results of "nodometer peak": 64-bit floating-point operations per second, and memory bandwidth in
 * bytes per second. 0: not measured.
 */
struct peaks_measured {
	uint64_t flops, bandwidth;
};

/* Write DIR/HOST/.peak atomically. Returns 0 or -errno. */
int peaks_keep(const char *dir, const char *host, const struct peaks_measured *m) MUST_CHECK;

/*
 * Append "$peak cycle=16 clock=2700000000 flops=345600000000 bandwidth=102400000000": operations
 * per cycle of a core, its nominal clock in Hz, and the measured values. Omit unknown values, and
 * the whole line if no value is known. bounded: omit the measured values if the archive's file
 * system hangs.
 */
void peaks_put_header(struct buf *b, const struct files *root, const char *dir, const char *host,
		      bool bounded);
