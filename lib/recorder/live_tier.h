/* SPDX-License-Identifier: BSD-3-Clause */
/* live_tier.h - samples that the archive does not get: for nodometer-send, for nodometer top */
#pragma once

#include "recorder/recorder.h"

/* RUNTIME-DIR/live, where the samples of some minutes are, and not in the archive. */
struct live_tier {
	struct recorder *recorder;
	struct archiver to;
	struct buf dir, group;
	uint32_t written_turn;	/* the header that its file has, see recorder.h */
	int64_t last_us;	/* TIME of the newest that was written, */
	int error;		/* and why a later one was not, or 0 */
};

void live_tier_open(struct live_tier *l, struct recorder *r);	/* r is borrowed */
void live_tier_close(struct live_tier *l);	/* also one that is all zero */

/*
 * A sample of the types of live-types, for nodometer-send. If it has what no later one has,
 * counters that were opened for it, it goes into the archive instead. 0 or -errno.
 */
int live_tier_sample(struct live_tier *l, int64_t usec) MUST_CHECK;

/*
 * A sample of the types in a list, as the text of a raw file, which goes into the archive as well
 * where no later sample has what it has. 0, -ENODATA: it is not known yet what types there are, or
 * -errno of the archive.
 */
int recorder_sample_now(struct recorder *r, struct str list, struct buf *to) MUST_CHECK;
