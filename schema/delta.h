/* SPDX-License-Identifier: BSD-3-Clause */
/* delta.h - what a counter counted between samples: wraps, dips, resets and gaps */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How a step of a counter came about; what is not DELTA_OK is inferred. */
enum delta_how {
	DELTA_OK,	/* the difference of two readings */
	DELTA_WRAPPED,	/* went through 2^width */
	DELTA_DIP,	/* a reading went back and the next recovered: it was left out */
	DELTA_RESET,	/* went back for good: counts from 0 again */
	DELTA_MISSING,	/* there was no reading to subtract from */
	DELTA_HOWS,
};

const char *delta_how_name(enum delta_how how);	/* "ok", "wrapped", "dip", "reset", "missing" */

/*
 * Whether a counter of this width that went from one reading back to another has gone through
 * 2^bits; *n is what it counted then.
 */
bool delta_wraps(uint64_t from, uint64_t to, unsigned bits, uint64_t *n);

/*
 * HPCPerfStats sets a processor's counters, which all have a width, to 0 at the begin of a job, and
 * reads them at once: whether this one fell so far. One that went through 2^bits then is as near to
 * 0 once in a thousand times.
 */
bool delta_was_set_to_0(uint64_t from, uint64_t to, unsigned bits);

/*
 * Follows one counter of one device from sample to sample. All zero is a valid new one. A decrease
 * of a counter of W < 64 bits is a wrap if the way forward through 2^W is at most half of 2^W; any
 * other decrease waits for the next reading: one that is back at or above the reading before the
 * decrease makes it a dip, another makes it a reset.
 */
struct counter {
	uint64_t total;			/* counted since the first reading */
	uint64_t inferred;		/* the part of total that is not from DELTA_OK steps */
	uint32_t steps[DELTA_HOWS];	/* how many steps of each kind */
	uint32_t moves;			/* steps at which it did not stay as it was */
	uint32_t resets, to_0;		/* not by a boot; those of them that add nothing */
	uint64_t last;			/* the newest reading that is believed */
	uint64_t low;			/* the reading that went back, while .waiting */
	bool started, waiting;
	bool booted;			/* the next reading counts from 0 */
	bool reopened;			/* nothing is subtracted from the next reading */
};

/* Takes the next reading of a counter of this width (0 and 64: 64 bits). */
void counter_add(struct counter *c, uint64_t reading, unsigned bits);

/* There was no reading in a sample that should have had one. */
void counter_missing(struct counter *c);

/* The node was booted, or the counter set to 0: what is read next counts from 0. */
void counter_restart(struct counter *c);

/* The counter was opened again: its growth from the last reading to the next is missing. */
void counter_reopen(struct counter *c);

/*
 * Whether the counter went back in a third of the steps at which it moved, more than once, and not
 * by a boot: something sets it back all the time, and nobody knows how much it counted. Values
 * without any order go back in every second step, and then one in three of these counts as a dip.
 * To be asked after counter_end().
 */
bool counter_is_set_back(const struct counter *c);

/* Steps so far of which nobody knows what was counted. */
static inline uint32_t counter_lost(const struct counter *c)
{
	return c->steps[DELTA_RESET] + c->steps[DELTA_MISSING];
}

/* No reading comes any more: a decrease that still waits was a reset. */
void counter_end(struct counter *c);
