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
 * Append a line such as "$peak cycle=16 clock=2700000000 flops=345600000000
 * bandwidth=102400000000": operations per cycle of a core, nominal clock in Hz, and the measured
 * values. Unknown values are omitted, and the line if none is known. If `bounded` is set, the
 * measured values are omitted, too, if the archive's file system hangs.
 */
void peaks_put_header(struct buf *b, const struct files *root, const char *dir, const char *host,
		      bool bounded);
