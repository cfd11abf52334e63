/* SPDX-License-Identifier: BSD-3-Clause */
/* delta.h - growth of a counter between samples: wraps, dips, resets and gaps */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the growth between two readings was found. The growth is exact only for DELTA_OK. */
enum delta_how {
	DELTA_OK,	/* difference of two readings */
	DELTA_WRAPPED,	/* the counter wrapped at 2^width */
	DELTA_DIP,	/* readings were lower for a while; the lower readings were ignored */
	DELTA_RESET,	/* the counter was set back, and counts from 0 again */
	DELTA_MISSING,	/* there is no reading to subtract */
	DELTA_HOWS,
};

/* Return "ok", "wrapped", "dip", "reset" or "missing". */
const char *delta_how_name(enum delta_how how);

/*
 * Return true if a counter of `bits` bits wrapped between the readings `from` and `to`, where to <
 * from. This is assumed if its growth *n across the wrap is at most half of 2^bits.
 */
bool delta_wraps(uint64_t from, uint64_t to, unsigned bits, uint64_t *n);

/*
 * Return true if the counter was set to 0 at the start of a job, as HPCPerfStats does with
 * processor counters. Call this only if a job began between the readings. The new reading must be
 * at most 1/1024 of the old reading, which happens after only one of a thousand wraps. Returns
 * false for counters of 64 bits (bits is 0 or 64).
 */
bool delta_was_set_to_0(uint64_t from, uint64_t to, unsigned bits);

/*
 * The state of one counter of one device, from sample to sample. All zero is a valid start.
 *
 * A reading that is lower than the previous reading means one of three things:
 * - A wrap, if the counter has W < 64 bits, and its growth across 2^W is at most half of 2^W, and
 *   at most .most if .most is set.
 * - A dip, if the reading is more than half of the previous reading. iowait may decrease (proc(5)),
 *   and so may steal, PSI and the energy counters of some devices. Nothing is counted until the
 *   counter exceeds the reading before the dip; counting continues from that reading.
 * - A fall, if the reading is half or less. Later readings show what it was. A dip: the counter
 *   stays at the low reading, then returns to the reading before the fall or above. A reset to 0:
 *   the counter changes from the low reading to any other value, stays there for ten samples, or
 *   has no more readings; the low reading is then its growth since the reset. If the low reading
 *   exceeds .most, the counter was set to another value than 0, and its growth is missing.
 */
struct counter {
	uint64_t total;			/* growth since the first reading */
	/* estimated part of .total: the growth of all steps except DELTA_OK */
	uint64_t inferred;
	/* growth that may have happened during dips; not in .total */
	uint64_t withheld;
	uint32_t steps[DELTA_HOWS];	/* number of steps (differences of readings), by kind */
	/* number of steps that are not the difference of two consecutive readings */
	uint32_t uneven;
	uint32_t moves;			/* number of readings that differ from the reading before */
	uint32_t resets;		/* number of resets that are not due to a boot */
	uint32_t falls;	/* number of falls by more than 2 units that are not due to a boot */
	uint32_t to_0;			/* number of resets after which the first reading was 0 */
	/* largest possible growth until the next reading, set before counter_add(); 0: no limit */
	uint64_t most;
	uint64_t last;			/* reading to subtract from the next reading */
	uint64_t low;	/* newest reading, if it is below .last; else 0 */
	/* largest reading before a reset; 0: no reset, or the counter has grown since the reset */
	uint64_t high;
	uint8_t stood;	/* number of samples that repeated the reading .low */
	bool started;
	/* the counter fell to half or less, and it is not known yet if this was a dip or a reset */
	bool waiting;
	/* the counter was set to another value than 0 when it fell, so .low is not its growth */
	bool set;
	bool booted;			/* the next reading is growth since 0 */
	bool reopened;	/* the next reading adds nothing: the counter was opened again */
};

/* Add the next reading of a counter. bits: width of the counter; 0 means 64. */
void counter_add(struct counter *c, uint64_t reading, unsigned bits);

/*
 * Add a reading that another process took than the previous reading. If the counter fell to half or
 * less, it may have restarted at any value, so its growth is missing.
 */
void counter_add_other(struct counter *c, uint64_t reading, unsigned bits);

/* Note that a sample has no reading of the counter. */
void counter_missing(struct counter *c);

/* Note that the node was booted, or the counter set to 0: the next reading counts from 0. */
void counter_restart(struct counter *c);

/* Note that the counter was opened again: its growth up to the next reading is unknown. */
void counter_reopen(struct counter *c);

/*
 * Return true if the counter fell so often that its growth is unknown: it only fell; or it fell at
 * least twice, and falls and dips are at least a third of its changes. (Random values fall in half
 * of their changes.) Call this after counter_end().
 */
bool counter_is_set_back(const struct counter *c);

/* Return true if the counter is in a dip: below its last accepted reading, but above half of it. */
static inline bool counter_dips(const struct counter *c)
{
	return c->low > 0 && !c->waiting;
}

/* Return the number of steps of unknown growth: resets and missing readings. */
static inline uint32_t counter_lost(const struct counter *c)
{
	return c->steps[DELTA_RESET] + c->steps[DELTA_MISSING];
}

/*
 * Note that no more readings follow. If the last reading was a fall to half or less, count it as a
 * reset; if the counter is in a dip, end the dip.
 */
void counter_end(struct counter *c);
