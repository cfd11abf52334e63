/* SPDX-License-Identifier: BSD-3-Clause */
/* peaks.h - the most that this node can do, as "nodometer peak" left it, for the header of files */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/files.h"

/* Operations of 64 bits and bytes of memory a second; 0: not measured. */
struct peaks_measured {
	uint64_t flops, bandwidth;
};

/* DIR/HOST/.peak, all of it at once. 0 or -errno. */
int peaks_keep(const char *dir, const char *host, const struct peaks_measured *m) MUST_CHECK;

/*
 * "$peak cycle=16 clock=2700000000 flops=345600000000 bandwidth=102400000000": what the processor
 * does in a cycle of a core, its nominal clock, and what was measured; what is not known is left
 * out, and the line where nothing is.
 */
void peaks_put_header(struct buf *b, const struct files *root, const char *dir, const char *host);
