/* SPDX-License-Identifier: BSD-3-Clause */
/* live_tier.h - take samples that are not archived, for nodometer-send and nodometer top */
#pragma once

#include "recorder/recorder.h"

/*
 * Writer of live samples. The newest samples are in files of RUNTIME-DIR/live/HOST; older files are
 * removed.
 */
struct live_tier {
	struct recorder *recorder;
	struct archiver to;
	struct buf dir, group;
	/* recorder's .header_turn when the header of the current file was written */
	uint32_t written_turn;
	int64_t last_us;	/* TIME of the newest sample written */
	int error;		/* -errno of the last write, or 0 */
};

/* Start writing live samples. The recorder is borrowed. */
void live_tier_open(struct live_tier *l, struct recorder *r);
/* Stop writing live samples. Does nothing if the struct is all zero. */
void live_tier_close(struct live_tier *l);

/*
 * Take a live sample, of the types in the setting live-types. A sample in which counters were
 * opened goes to the archive instead: only this sample has their start values. Returns 0 or -errno.
 */
int live_tier_sample(struct live_tier *l, int64_t usec) MUST_CHECK;

/*
 * Take a sample of the listed types, and append it to `to` in the raw format. A sample in which
 * counters were opened is also archived: only this sample has their start values. Returns 0;
 * -ENODATA if the newest full sample has none of these types; or -errno of the archive.
 */
int recorder_sample_now(struct recorder *r, struct str list, struct buf *to) MUST_CHECK;
