/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c - the value of a figure on one node */
#include "figures/value.h"

/* Add the interval since the last sample to .area, .low, .high and .weight. */
static void value_integrate(struct value *v, struct value_before *b, const struct value_sample *s)
{
	if (b->usec && s->usec > b->usec) {
		double seconds = (double)(s->usec - b->usec) / 1e6;
		v->area += (b->sum + s->sum) / 2 * seconds;
		v->low += (b->sum < s->sum ? b->sum : s->sum) * seconds;
		v->high += (b->sum > s->sum ? b->sum : s->sum) * seconds;
		v->weight += seconds;
	}
	*b = (struct value_before){ s->sum, s->usec };
}

/* Whether n, read at `usec`, replaces the value of a FIGURE_PEAK or FIGURE_LIMIT. */
static bool value_is_kept(const struct value *v, enum figure_how how, double n, int64_t usec)
{
	if (!v->seen || how == FIGURE_PEAK)
		return !v->seen || n > v->n;
	return n < NO_LIMIT && (usec >= v->at || v->n >= NO_LIMIT);
}

static bool value_keeps_one_sample(enum figure_how how)
{
	return how == FIGURE_PEAK || how == FIGURE_LIMIT;
}

void value_take(struct value *v, struct value_before *before, enum figure_how how,
		const struct value_sample *s)
{
	if (how == FIGURE_MEAN)
		value_integrate(v, before, s);
	if (s->edge && how != FIGURE_ADDED) {
		v->edges++;
		if (!s->own || how != FIGURE_PEAK || s->sum <= 0)
			return;
	}
	if (!value_keeps_one_sample(how)) {
		v->n += s->sum;
		v->samples++;
	} else if (value_is_kept(v, how, s->sum, s->usec)) {
		v->n = s->sum;
		v->at = s->usec;
	}
	v->seen = true;
}

static void value_add_gauge(struct value *to, const struct value *from, const struct figure *f)
{
	to->edges += from->edges;
	to->area += from->area;
	to->low += from->low;
	to->high += from->high;
	to->weight += from->weight;
	if (!from->seen)
		return;
	if (!value_keeps_one_sample(f->how)) {
		to->n += from->n;
		to->samples += from->samples;
	} else if (value_is_kept(to, f->how, from->n, from->at)) {
		to->n = from->n;
		to->at = from->at;
	}
	to->seen = true;
}

void value_add(const struct figure *f, struct value *to, const struct value *from)
{
	to->at_least += from->at_least;
	to->beyond += from->beyond;
	to->below_0 += from->below_0;
	to->lacking = from->lacking > to->lacking ? from->lacking : to->lacking;
	if (!figure_is_counter(f)) {
		value_add_gauge(to, from, f);
		return;
	}
	to->seen |= from->seen;
	to->n += from->n;
	to->inferred += from->inferred;
	to->withheld += from->withheld;
	for (int h = 0; h < DELTA_HOWS; h++)
		to->steps[h] += from->steps[h];
	to->resets += from->resets;
	to->to_0 += from->to_0;
	to->doubles += from->doubles;
	to->late += from->late;
	to->gone += from->gone;
	to->gone_usec = from->gone_usec > to->gone_usec ? from->gone_usec : to->gone_usec;
	to->reopened += from->reopened;
	to->saturated += from->saturated;
	to->resetting += from->resetting;
	to->devices = from->devices > to->devices ? from->devices : to->devices;
	to->other_events += from->other_events;
}

double value_of(const struct figure *f, const struct value *v)
{
	if (f->how != FIGURE_MEAN || v->samples == 0)
		return v->n;
	return v->weight > 0 ? v->area / v->weight : v->n / v->samples;
}

bool value_known(const struct value *v)
{
	return v->seen && !value_unknown(v);
}

bool value_only_at_edges(const struct value *v)
{
	return v->edges > 0 && !v->seen;
}

bool value_unknown(const struct value *v)
{
	return v->saturated > 0 || v->resetting > 0 || v->beyond > 0 ||
	       (v->below_0 > 0 && !v->seen);
}
