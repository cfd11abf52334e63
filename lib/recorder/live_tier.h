/* SPDX-License-Identifier: BSD-3-Clause */
/* live_tier.h - take samples that are not archived, for nodometer-send and nodometer top */
#pragma once

#include "recorder/recorder.h"

/* The live tier: live samples of the last minutes, in the archive RUNTIME-DIR/live. */
struct live_tier {
	struct recorder *recorder;
	struct archiver to;
	struct buf dir, group;
	/*
	 * .header_turn of the recorder at the time when the header of the current file was written
	 */
	uint32_t written_turn;
	int64_t last_us;	/* TIME of the newest sample written */
	int error;		/* -errno of the last write, or 0 */
};

/* Open the tier. The recorder is borrowed. */
void live_tier_open(struct live_tier *l, struct recorder *r);
/* Close the tier. Does nothing if the struct is all zero. */
void live_tier_close(struct live_tier *l);

/*
 * Take a sample of the types in live-types for nodometer-send. If counters were opened in this
 * sample, write the sample to the archive instead: no later sample has the first values of these
 * counters. Returns 0 or -errno.
 */
int live_tier_sample(struct live_tier *l, int64_t usec) MUST_CHECK;

/*
 * Take a sample of the types in a list and put it into `to` as the text of a raw file. If counters
 * were opened in this sample, also write the sample to the archive: no later sample has the first
 * values of these counters. Returns 0; -ENODATA if the types of this node are not known yet; or
 * -errno of the archive.
 */
int recorder_sample_now(struct recorder *r, struct str list, struct buf *to) MUST_CHECK;
