/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.c - what each figure of a node did from one of its samples to the next */
#include "figures/figure_steps.h"

#include <stdlib.h>
#include <string.h>
#include "figures/devices.h"
#include "figures/limits.h"

struct sum {
	uint32_t read, stepped;
	bool broken;
	double n;
};

void steps_init(struct steps *s, struct figures table)
{
	s->table = table;
	s->step = xrealloc(NULL, table.n * sizeof(*s->step));
	s->last = xrealloc(NULL, table.n * sizeof(*s->last));
	s->most = xrealloc(NULL, table.n * sizeof(*s->most));
	for (size_t i = 0; i < table.n; i++) {
		const struct limit *l = limit_of(&table.row[i]);
		s->most[i] = l ? l->each : 0;
	}
	steps_break(s);
}

void steps_free(struct steps *s)
{
	free(s->step);
	free(s->last);
	free(s->most);
}

void steps_break(struct steps *s)
{
	memset(s->step, 0, s->table.n * sizeof(*s->step));
	memset(s->last, 0, s->table.n * sizeof(*s->last));
	s->before = 0;
}

static bool is_beyond(double n, double most, int64_t usec)
{
	return most > 0 && n > most * limit_seconds((double)usec / 1e6);
}

/* A device that has a row in this sample; it can do so many a second, 0: not known. */
static void add_reading(struct sum *sum, struct reading *r, const struct last *last, int64_t now,
			double most)
{
	const struct counter *c = &r->counter;
	uint32_t plain = c->steps[DELTA_OK] + c->steps[DELTA_WRAPPED], steps = 0;

	for (int h = 0; h < DELTA_HOWS; h++)
		steps += c->steps[h];
	bool first = c->started && !r->reported.usec, moved = steps != r->reported.steps;
	if (!first && !moved && !c->waiting)
		return;		/* this row does not have the key */
	sum->read++;
	if (c->waiting || r->saturated)
		sum->broken = true;
	else if (moved && (steps != r->reported.steps + 1 || plain != r->reported.plain + 1))
		sum->broken = true;
	else if (moved && !first && r->reported.usec != last->usec)
		sum->broken = true;	/* the device was away */
	else if (moved)
		sum->stepped++;
	double n = (double)(c->total - r->reported.total) * r->scale;
	sum->broken |= is_beyond(n, most, now - last->usec);
	sum->n += n;
	r->reported.total = c->total;
	r->reported.plain = plain;
	r->reported.steps = steps;
	r->reported.usec = now;
}

static void add_device(struct sum *sum, const struct steps *s, struct device *d, int64_t now)
{
	for (size_t k = 0; k < d->n; k++) {
		struct reading *r = &d->reading[k];
		const struct last *last = &s->last[d->first + k];
		struct sum aside = { 0 };	/* others count the same */
		bool counts = !d->left_out || !s->table.row[d->first + k].once;
		struct sum *to = counts ? &sum[d->first + k] : &aside;
		if (d->seen_usec == now)
			add_reading(to, r, last, now, s->most[d->first + k]);
		else if (r->reported.usec && r->reported.usec == last->usec)
			to->broken = true;	/* the device has gone */
	}
}

static void end_counter(struct steps *s, size_t i, const struct sum *sum, int64_t now)
{
	struct step *step = &s->step[i];
	struct last *last = &s->last[i];
	int64_t from = last->usec ? last->usec : s->table.row[i].from_0 ? s->before : 0;

	*step = (struct step){ STEP_NONE };
	if (sum->read == 0) {
		if (sum->broken)
			last->usec = 0;
		return;
	}
	*step = (struct step){ STEP_BROKEN, .to = now };
	if (!sum->broken && sum->stepped > 0 && from)
		*step = (struct step){ STEP_KNOWN, from, now, sum->n, 0 };
	last->usec = now;
}

static void take_gauge(struct steps *s, size_t i, struct tally *t, int64_t now)
{
	struct last *last = &s->last[i];
	uint32_t devices;
	double v;

	s->step[i] = (struct step){ STEP_NONE };
	if (!tally_gauge(t, i, &v, &devices)) {
		last->usec = 0;
		return;
	}
	bool known = last->usec && devices == last->devices;
	s->step[i] = (struct step){ known ? STEP_KNOWN : STEP_BROKEN, last->usec, now, v,
				    last->gauge };
	*last = (struct last){ now, v, devices };
}

void steps_take(struct steps *s, const struct job_sample *t)
{
	struct devices *d = tally_devices(t->tally);
	struct sum *sum = xrealloc(NULL, s->table.n * sizeof(*sum));
	int64_t now = t->record->usec;

	if (t->booted)
		steps_break(s);
	memset(sum, 0, s->table.n * sizeof(*sum));
	for (size_t i = 0; i < d->n; i++)
		add_device(sum, s, &d->device[i], now);
	for (size_t i = 0; i < s->table.n; i++) {
		if (figure_is_counter(&s->table.row[i]))
			end_counter(s, i, &sum[i], now);
		else
			take_gauge(s, i, t->tally, now);
	}
	s->before = now;
	free(sum);
}
