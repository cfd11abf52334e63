/* SPDX-License-Identifier: BSD-3-Clause */
/* delta.c - what a counter counted between samples: wraps, dips, resets and gaps */
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

static void step(struct counter *c, enum delta_how how, uint64_t n)
{
	c->steps[how]++;
	c->total += n;
	c->moves += n > 0 || how != DELTA_OK;
	if (how != DELTA_OK)
		c->inferred += n;
}

/* The decrease was a reset: .low was counted since. */
static void settle_reset(struct counter *c)
{
	step(c, DELTA_RESET, c->low);
	c->resets++;
	c->to_0 += c->low == 0;
	c->last = c->low;
	c->waiting = false;
}

/* Readings above 2^bits are not of that width (mlx5 keeps 64 bits in InfiniBand's 32-bit files). */
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

static enum delta_how how_it_grew(const struct counter *c)
{
	return c->waiting ? DELTA_DIP : c->booted ? DELTA_RESET : DELTA_OK;
}

void counter_add(struct counter *c, uint64_t reading, unsigned bits)
{
	uint64_t n;

	if (c->waiting && reading < c->last)
		settle_reset(c);
	if (!c->started || c->reopened) {
		c->started = true;
	} else if (reading >= c->last) {
		step(c, how_it_grew(c), reading - c->last);
	} else if (delta_wraps(c->last, reading, bits, &n)) {
		step(c, DELTA_WRAPPED, n);
	} else {
		c->low = reading;
		c->waiting = true;
		return;
	}
	c->last = reading;
	c->waiting = c->booted = c->reopened = false;
}

void counter_missing(struct counter *c)
{
	c->steps[DELTA_MISSING]++;
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
		settle_reset(c);
}

bool counter_is_set_back(const struct counter *c)
{
	return c->resets > 1 && 3 * ((uint64_t)c->resets + c->steps[DELTA_DIP]) >= c->moves;
}
