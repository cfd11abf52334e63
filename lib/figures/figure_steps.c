/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.c - change of each figure of a node from one sample to the next ("step") */
#include "figures/figure_steps.h"

#include <stdlib.h>
#include <string.h>
#include "figures/devices.h"
#include "figures/limits.h"

struct step_sum {
	uint32_t read, stepped;
	bool broken;
	double n;
};

struct newest {
	int64_t usec;
	uint32_t sample;
	size_t cpus;	/* number of CPUs; 0: unknown */
};

void steps_init(struct steps *s, struct figures table)
{
	size_t end;

	s->table = table;
	s->step = xrealloc(NULL, table.n * sizeof(*s->step));
	s->last = xrealloc(NULL, table.n * sizeof(*s->last));
	s->limit = xrealloc(NULL, table.n * sizeof(*s->limit));
	for (size_t i = 0; i < table.n; i++) {
		const struct limit *l = limit_of(table, i);
		s->limit[i] = (struct step_limit){
			l, l && l->within ? figures_find(table, l->within) : table.n
		};
	}
	figures_of_type(table, STR("cpu"), &s->cpu, &end);
	steps_break(s);
}

void steps_free(struct steps *s)
{
	free(s->step);
	free(s->last);
	free(s->limit);
}

void steps_break(struct steps *s)
{
	memset(s->step, 0, s->table.n * sizeof(*s->step));
	memset(s->last, 0, s->table.n * sizeof(*s->last));
	s->before = 0;
}

static bool steps_is_beyond(double n, double most, int64_t usec)
{
	return most > 0 && n > most * limit_seconds((double)usec / 1e6);
}

static uint32_t steps_count(const struct counter *c)
{
	uint32_t n = 0;

	for (int h = 0; h < DELTA_HOWS; h++)
		n += c->steps[h];
	return n;
}

/* Whether the change of the counter since the last reported reading is unknown. */
static bool steps_is_uneven(const struct device_reading *r)
{
	const struct counter *c = &r->counter;

	return c->waiting || r->saturated || c->uneven != r->reported.uneven ||
	       steps_count(c) > r->reported.steps + 1;
}

/*
 * Add the change of one counter of a device that is in the newest sample. most: largest possible
 * growth per second; 0: unknown.
 */
static void steps_add_reading(struct step_sum *sum, struct device_reading *r,
			      const struct last *last,
			      const struct newest *now, double most)
{
	const struct counter *c = &r->counter;
	uint32_t steps = steps_count(c);
	bool first = c->started && !r->reported.usec;
	bool dips = counter_dips(c) && r->seen == now->sample;
	bool moved = steps != r->reported.steps || dips;
	if (!first && !moved && !c->waiting)
		return;		/* the device's row does not have the key */
	sum->read++;
	if (steps_is_uneven(r))
		sum->broken = true;
	else if (moved && !first && r->reported.usec != last->usec)
		sum->broken = true;	/* the device was absent from the previous sample */
	else if (moved)
		sum->stepped++;
	double n = (double)(c->total - r->reported.total) * r->scale;
	sum->broken |= steps_is_beyond(n, most, now->usec - last->usec);
	sum->n += n;
	r->reported.total = c->total;
	r->reported.steps = steps;
	r->reported.uneven = c->uneven;
	r->reported.usec = now->usec;
}

static void steps_add_device(struct step_sum *sum, const struct steps *s, struct device *d,
			     const struct newest *now)
{
	for (size_t k = 0; k < d->n; k++) {
		struct device_reading *r = &d->reading[k];
		const struct last *last = &s->last[d->first + k];
		/* changes of devices that other devices already count; this sum is discarded */
		struct step_sum aside = { 0 };
		bool counts = !d->left_out || !s->table.row[d->first + k].once;
		struct step_sum *to = counts ? &sum[d->first + k] : &aside;
		if (d->seen_usec == now->usec)
			steps_add_reading(to, r, last, now,
					  limit_most(s->limit[d->first + k].of, d->name,
						     now->cpus));
		else if (r->reported.usec && r->reported.usec == last->usec)
			to->broken = true;	/* the device is absent from this sample */
	}
}

static void steps_finish_counter(struct steps *s, size_t i, const struct step_sum *sum, int64_t now)
{
	struct step *step = &s->step[i];
	struct last *last = &s->last[i];
	int64_t from = last->usec ? last->usec : s->table.row[i].starts_at_zero ? s->before : 0;

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

static bool steps_gauge_is_beyond(const struct steps *s, size_t i, struct tally *t, double v,
				  uint32_t devices)
{
	const struct step_limit *l = &s->limit[i];
	double whole;

	if (l->of && l->of->each > 0 && v > 1.01 * l->of->each * devices)
		return true;
	return l->within < s->table.n && tally_gauge(t, l->within, &whole, &devices) && v > whole;
}

static void steps_take_gauge(struct steps *s, size_t i, struct tally *t, int64_t now)
{
	struct last *last = &s->last[i];
	uint32_t devices;
	double v;

	s->step[i] = (struct step){ STEP_NONE };
	if (!tally_gauge(t, i, &v, &devices) || steps_gauge_is_beyond(s, i, t, v, devices)) {
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
	struct step_sum *sum = xrealloc(NULL, s->table.n * sizeof(*sum));
	struct newest now = { t->record->usec, tally_samples(t->tally), 0 };

	if (t->booted)
		steps_break(s);
	memset(sum, 0, s->table.n * sizeof(*sum));
	for (size_t i = 0; i < d->n; i++)
		now.cpus += d->device[i].first == s->cpu;
	for (size_t i = 0; i < d->n; i++)
		steps_add_device(sum, s, &d->device[i], &now);
	for (size_t i = 0; i < s->table.n; i++) {
		if (figure_is_counter(&s->table.row[i]))
			steps_finish_counter(s, i, &sum[i], now.usec);
		else
			steps_take_gauge(s, i, t->tally, now.usec);
	}
	s->before = now.usec;
	free(sum);
}
