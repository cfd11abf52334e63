/* SPDX-License-Identifier: BSD-3-Clause */
/* delta.c - growth of a counter between samples: wraps, dips, resets and gaps */
#include "schema/delta.h"

const char *delta_how_name(enum delta_how how)
{
	static const char *const names[DELTA_HOWS] = {
		[DELTA_OK]      = "ok",
		[DELTA_WRAPPED] = "wrapped",
		[DELTA_DIP]     = "dip",
		[DELTA_RESET]   = "reset",
		[DELTA_MISSING] = "missing",
	};

	return names[how];
}

/* number of equal readings after a fall that prove that it was a reset, not a dip */
#define STANDS_MAX 10

#define NOISE 2	/* a fall by at most this number is noise, however small the counter is */

static bool counter_fell(uint64_t from, uint64_t to)
{
	return to < from && from - to > NOISE;
}

static void counter_step(struct counter *c, enum delta_how how, uint64_t n)
{
	c->steps[how]++;
	c->total += n;
	c->moves += n > 0 || how != DELTA_OK;
	if (how != DELTA_OK)
		c->inferred += n;
	if (how == DELTA_RESET || (how == DELTA_DIP && !counter_dips(c)))
		c->uneven++;
}

/*
 * Treat the fall to .low as a reset to 0, after which the counter grew to .low. If .set is true,
 * the counter was set to .low instead, and its growth is unknown.
 */
static void counter_settle_reset(struct counter *c)
{
	if (c->set)
		counter_missing(c);
	else
		counter_step(c, DELTA_RESET, c->low);
	c->resets++;
	c->falls += counter_fell(c->last, c->low);
	c->to_0 += c->low == 0;
	c->high = c->high > c->last ? c->high : c->last;
	c->last = c->low;
	c->low = c->stood = 0;
	c->waiting = false;
}

/*
 * If the earlier reading is 2^bits or more, the counter is wider than declared, and did not wrap:
 * mlx5 has 64-bit values in InfiniBand's files of 32-bit counters.
 */
bool delta_wraps(uint64_t from, uint64_t to, unsigned bits, uint64_t *n)
{
	if (bits == 0 || bits >= 64 || from >> bits != 0)
		return false;
	*n = (to - from) & (((uint64_t)1 << bits) - 1);
	return *n <= (uint64_t)1 << (bits - 1);
}

bool delta_was_set_to_0(uint64_t from, uint64_t to, unsigned bits)
{
	return bits != 0 && bits < 64 && to < from && to <= from >> 10;
}

static void counter_grow(struct counter *c, uint64_t reading)
{
	bool returned = c->waiting || counter_dips(c);

	if (c->high && reading >= c->high)
		counter_step(c, DELTA_DIP, reading - c->high);
	else
		counter_step(c, returned ? DELTA_DIP : c->booted ? DELTA_RESET : DELTA_OK,
			     reading - c->last);
	if (reading > c->last)
		c->high = 0;
}

/* Handle a reading above half of .last: keep .last until the counter exceeds it again. */
static void counter_dip(struct counter *c, uint64_t reading)
{
	uint64_t before = counter_dips(c) ? c->low : c->last;

	c->moves += reading != before;
	c->falls += counter_fell(before, reading);
	if (reading > before)
		c->withheld += reading - before;
	c->low = reading;
}

/*
 * End a dip from which the counter has not recovered. If the counter fell by more than an eighth of
 * its last value, it may have been reset to 0, and its low reading may be growth since then: store
 * the reading in .withheld, and do not add it to .total.
 */
static void counter_end_dip(struct counter *c)
{
	counter_step(c, DELTA_DIP, 0);
	if (c->low < c->last - c->last / 8)
		c->withheld = c->low;
	c->low = 0;
}

void counter_add(struct counter *c, uint64_t reading, unsigned bits)
{
	uint64_t n;

	if (c->waiting && reading < c->last && (reading != c->low || ++c->stood == STANDS_MAX))
		counter_settle_reset(c);
	if (!c->started || c->reopened) {
		c->started = true;
	} else if (reading >= c->last) {
		counter_grow(c, reading);
	} else if (delta_wraps(c->last, reading, bits, &n) && (!c->most || n <= c->most)) {
		counter_step(c, DELTA_WRAPPED, n);
	} else if (reading > c->last / 2) {
		counter_dip(c, reading);
		return;
	} else {
		if (!c->waiting)
			c->set = c->most && reading > c->most;
		c->low = reading;
		c->waiting = true;
		return;
	}
	c->last = reading;
	c->low = c->stood = 0;
	c->waiting = c->booted = c->reopened = false;
}

void counter_add_other(struct counter *c, uint64_t reading, unsigned bits)
{
	bool waited = c->waiting;

	counter_add(c, reading, bits);
	if (c->waiting && !waited)
		c->set = true;
}

void counter_missing(struct counter *c)
{
	c->steps[DELTA_MISSING]++;
	c->uneven++;
}

void counter_restart(struct counter *c)
{
	if (!c->started)
		return;
	counter_end(c);
	c->last = 0;
	c->booted = true;
}

void counter_reopen(struct counter *c)
{
	if (!c->started || c->reopened)
		return;
	counter_end(c);
	c->reopened = true;
	counter_missing(c);
}

void counter_end(struct counter *c)
{
	if (c->waiting)
		counter_settle_reset(c);
	else if (counter_dips(c))
		counter_end_dip(c);
	c->high = 0;
}

bool counter_is_set_back(const struct counter *c)
{
	bool only_fell = c->falls > 0 && c->total == 0 && c->steps[DELTA_OK] == 0;
	return only_fell ||
	       (c->falls > 1 && 3 * ((uint64_t)c->falls + c->steps[DELTA_DIP]) >= c->moves);
}
