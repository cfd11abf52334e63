/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * since.c - values of a node's figures from a given sample on, such as the first sample of each job
 */
#include "figures/since.h"

#include <stdlib.h>
#include <string.h>
#include "figures/devices.h"

void since_free(struct since *s)
{
	free(s->figure);
	*s = (struct since){ 0 };
}

/*
 * Return the growth of a figure's counters since the first sample of the tally, summed over all
 * devices. Sets *scale to the factor that converts the sum to the unit of the figure.
 */
static uint64_t since_sum_devices(struct tally *t, size_t figure, double *scale)
{
	const struct devices *d = tally_devices(t);
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		size_t k = figure - d->device[i].first;
		if (figure < d->device[i].first || k >= d->device[i].n)
			continue;
		const struct device_reading *r = &d->device[i].reading[k];
		sum += below_part_of(&r->part, r->counter.total);
		*scale = r->first ? r->scale : *scale;
	}
	return sum;
}

void since_begin(struct since *s, struct tally *t)
{
	struct figures table = tally_figures(t);
	size_t bytes = table.n * sizeof(*s->figure);
	double scale;

	since_free(s);
	s->begin = tally_samples(t);
	s->figure = memset(xrealloc(NULL, bytes), 0, bytes);
	for (size_t i = 0; i < table.n; i++)
		if (figure_is_counter(&table.row[i]))
			s->figure[i].base = since_sum_devices(t, i, &scale);
}

void since_take(struct since *s, struct tally *t, bool edge)
{
	struct figures table = tally_figures(t);
	struct value_sample one = { .usec = tally_usec(t) };
	uint32_t devices;

	for (size_t i = 0; i < table.n; i++) {
		struct since_figure *f = &s->figure[i];
		one.edge = edge && !figure_holds_at_edge(&table.row[i]);
		one.own = table.row[i].job_row != 0;
		if (!figure_is_counter(&table.row[i]) && tally_gauge(t, i, &one.sum, &devices))
			value_take(&f->gauge, &f->before, table.row[i].how, &one);
	}
}

static enum since_state since_worse_state(enum since_state a, enum since_state b)
{
	return a > b ? a : b;
}

static enum since_state since_reading_state(const struct since *s, const struct device_reading *r,
					    uint32_t newest)
{
	if (!r->first || (r->part.out && r->out <= s->begin) || r->seen < s->begin)
		return SINCE_ABSENT;
	if (r->counter.waiting || r->bad > s->begin || r->waited == s->begin)
		return SINCE_UNKNOWN;
	return r->first > s->begin || r->seen < newest ? SINCE_PART : SINCE_KNOWN;
}

static enum since_state since_counter_value(const struct since *s, struct tally *t, size_t figure,
					    double *value)
{
	enum since_state state = tally_is_full(t, figure) ? SINCE_UNKNOWN : SINCE_ABSENT;
	const struct devices *d = tally_devices(t);
	double scale = 1;

	for (size_t i = 0; i < d->n; i++) {
		size_t k = figure - d->device[i].first;
		if (figure >= d->device[i].first && k < d->device[i].n)
			state = since_worse_state(state,
						  since_reading_state(s, &d->device[i].reading[k],
									     tally_samples(t)));
	}
	uint64_t n = since_sum_devices(t, figure, &scale) - s->figure[figure].base;
	*value = (double)n * scale;
	return state;
}

static enum since_state since_gauge_value(const struct since *s, struct tally *t, size_t figure,
					  double *value)
{
	const struct value *v = &s->figure[figure].gauge;
	uint32_t devices;
	double sum;

	if (!v->seen)
		return tally_gauge(t, figure, &sum, &devices) ? SINCE_UNKNOWN : SINCE_ABSENT;
	*value = value_of(&tally_figures(t).row[figure], v);
	return SINCE_KNOWN;
}

enum since_state since_value(const struct since *s, struct tally *t, size_t figure, double *value)
{
	if (!s->begin)
		return SINCE_ABSENT;
	return figure_is_counter(&tally_figures(t).row[figure]) ? since_counter_value(s, t, figure,
										      value) :
								   since_gauge_value(s, t, figure,
										     value);
}

enum since_state own_value(const struct tally *t, size_t figure, double *value)
{
	struct figures table = tally_figures(t);
	size_t bytes = table.n * sizeof(struct value);
	struct value *all = memset(xrealloc(NULL, bytes), 0, bytes);

	tally_peek(t, all);
	struct value v = all[figure];
	free(all);
	*value = value_of(&table.row[figure], &v);
	if (v.steps[DELTA_RESET])
		return SINCE_UNKNOWN;
	if (!v.seen)
		return SINCE_ABSENT;
	return v.at_least ? SINCE_PART : SINCE_KNOWN;
}
