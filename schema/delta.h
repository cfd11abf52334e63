/* SPDX-License-Identifier: BSD-3-Clause */
/* delta.h - growth of a counter between samples: wraps, dips, resets and gaps */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the growth between two readings was found. All values but DELTA_OK are estimates. */
enum delta_how {
	DELTA_OK,	/* difference of two readings */
	DELTA_WRAPPED,	/* the counter wrapped at 2^width */
	DELTA_DIP,	/* readings were lower for a while; these were ignored */
	DELTA_RESET,	/* the counter fell, and counts from 0 again */
	DELTA_MISSING,	/* there is no reading to subtract */
	DELTA_HOWS,
};

/* Return "ok", "wrapped", "dip", "reset" or "missing". */
const char *delta_how_name(enum delta_how how);

/*
 * Return true if a counter of this width wrapped at 2^bits between two readings, of which `to` is
 * lower. *n: its growth, at most half of 2^bits.
 */
bool delta_wraps(uint64_t from, uint64_t to, unsigned bits, uint64_t *n);

/*
 * Return true if the counter was set to 0 because a job began, as HPCPerfStats does with processor
 * counters. The caller must know that a job began. The new reading is at most 1/1024 of the old
 * one; a wrapped counter is that low only once in a thousand times. Returns false for counters of
 * 64 bits (bits is 0 or 64).
 */
bool delta_was_set_to_0(uint64_t from, uint64_t to, unsigned bits);

/*
 * The state of one counter of one device, from sample to sample. All zero is a valid start.
 *
 * A reading that is lower than the previous reading means one of three things:
 * - A wrap: the counter has W < 64 bits, and its growth through 2^W is at most half of 2^W, and at
 *   most .most if .most is set.
 * - A dip: the reading is more than half of the previous reading. iowait may decrease (proc(5)),
 *   and so may steal, PSI and the energy counters of some devices. Nothing is counted until the
 *   counter exceeds its largest reading, and counting continues from there.
 * - A fall to half or less. If the counter stays at the low reading and then returns to the
 *   reading before the fall or above, it was a dip, too. The counter was reset to 0 if it leaves
 *   the low reading in another way, stays there for ten samples, or ends there; then the low
 *   reading is its growth since the reset. If the low reading exceeds .most, the counter was set
 *   to another value, and its growth is missing.
 */
struct counter {
	uint64_t total;			/* growth since the first reading */
	uint64_t inferred;		/* estimated part of .total: all steps except DELTA_OK */
	/* growth that may have happened while the counter was temporarily lower; not in .total */
	uint64_t withheld;
	uint32_t steps[DELTA_HOWS];	/* number of steps (differences of readings), by kind */
	/* number of steps that are not the difference of two consecutive readings */
	uint32_t uneven;
	uint32_t moves;			/* number of steps that changed the counter */
	uint32_t resets;		/* number of resets, except by boots */
	uint32_t falls;	/* number of falls by more than 2, except by boots */
	uint32_t to_0;			/* number of resets to 0 */
	uint64_t most;	/* largest possible growth, set before counter_add(); 0: no limit */
	uint64_t last;			/* reading to subtract from the next reading */
	uint64_t low;	/* newest reading, while it is below .last; else 0 */
	uint64_t high;	/* reading before a reset, until the counter grows again; 0: none */
	uint8_t stood;			/* number of samples in which the reading stayed at .low */
	bool started;
	/* the counter fell to half or less, and it is not known yet why */
	bool waiting;
	/* the counter did not begin at 0 when it fell, so .low is not its growth */
	bool set;
	bool booted;			/* the next reading counts from 0 */
	bool reopened;	/* the next reading adds nothing: the counter was opened again */
};

/* Add the next reading of a counter. bits: width of the counter; 0 means 64. */
void counter_add(struct counter *c, uint64_t reading, unsigned bits);

/*
 * Add a reading by another process than before. If the counter fell, it may have restarted at any
 * value, so its growth is missing.
 */
void counter_add_other(struct counter *c, uint64_t reading, unsigned bits);

/* Note that a sample has no reading. */
void counter_missing(struct counter *c);

/* Note that the node was booted, or the counter set to 0: the next reading counts from 0. */
void counter_restart(struct counter *c);

/* Note that the counter was opened again: growth up to the next reading is missing. */
void counter_reopen(struct counter *c);

/*
 * Tell if the counter fell so often that its growth is unknown. This is true if the counter only
 * fell. It is also true if it fell at least twice, and falls and dips are at least a third of the
 * steps that changed it: random values fall in every second step. Call this after counter_end().
 */
bool counter_is_set_back(const struct counter *c);

/* Return true if the counter is slightly below its last accepted reading. */
static inline bool counter_dips(const struct counter *c)
{
	return c->low > 0 && !c->waiting;
}

/* Return the number of steps with unknown growth. */
static inline uint32_t counter_lost(const struct counter *c)
{
	return c->steps[DELTA_RESET] + c->steps[DELTA_MISSING];
}

/* End the readings: decide about a fall or dip that is still open. */
void counter_end(struct counter *c);
