/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - counters and gauges of the node are followed while jobs run on it */
#include "agent/summary.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static void drop_devices(struct summary *s)
{
	for (size_t f = 0; f < SUMMARY_FIGURES; f++) {
		struct summary_followed *w = &s->followed[f];
		for (size_t i = 0; i < w->n; i++)
			free(w->device[i].name);
		free(w->device);
		w->device = NULL;
		w->n = 0;
		w->full = false;
	}
}

void summary_free(struct summary *s)
{
	drop_devices(s);
	free(s->job);
	*s = (struct summary){ 0 };
}

static struct summary_job *find_job(const struct summary *s, struct str id)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(id, str_of(s->job[i].id)))
			return &s->job[i];
	return NULL;
}

static struct summary_job *add_job(struct summary *s, struct str id, int64_t since_us)
{
	s->job = xrealloc(s->job, (s->n + 1) * sizeof(*s->job));
	struct summary_job *j = &s->job[s->n++];
	*j = (struct summary_job){ .since_us = since_us };
	str_copy(j->id, sizeof(j->id), id);
	return j;
}

void summary_forget(struct summary *s, struct str id)
{
	struct summary_job *j = find_job(s, id);
	if (!j)
		return;
	*j = s->job[--s->n];
	if (s->n == 0)
		summary_free(s);
}

void summary_begin(struct summary *s, struct str id, int64_t since_us)
{
	summary_forget(s, id);
	add_job(s, id, since_us)->fresh = true;
}

void summary_end(struct summary *s, struct str id)
{
	struct summary_job *j = find_job(s, id);
	if (!j)
		j = add_job(s, id, 0);
	j->ending = true;
}

void summary_keep(struct summary *s, const struct jobs *jobs)
{
	for (size_t i = s->n; i-- > 0; ) {
		const struct job *job = jobs_find(jobs, str_of(s->job[i].id));
		if (!job || job->since_us != s->job[i].since_us)
			s->job[i] = s->job[--s->n];
	}
	for (size_t i = 0; i < jobs->n; i++)
		if (!find_job(s, str_of(jobs->job[i].id)))
			add_job(s, str_of(jobs->job[i].id), jobs->job[i].since_us);
	if (s->n == 0)
		summary_free(s);
}

static size_t find_key(const struct collector *c, const char *key)
{
	size_t i = 0;
	while (key && i < c->n_metrics && strcmp(c->metrics[i].name, key) != 0)
		i++;
	return key && i < c->n_metrics ? i : SIZE_MAX;
}

static void find_columns(struct summary *s)
{
	for (size_t f = 0; f < SUMMARY_FIGURES; f++) {
		const struct summary_figure *is = &summary_figures[f];
		struct summary_followed *w = &s->followed[f];
		size_t t = 0;
		while (t < n_collectors && strcmp(collectors[t]->name, is->type) != 0)
			t++;
		w->type = t < n_collectors ? t : SIZE_MAX;
		w->key = t < n_collectors ? find_key(collectors[t], is->key) : SIZE_MAX;
		for (size_t i = 0; t < n_collectors && i < ARRAY_SIZE(is->less); i++)
			w->less[i] = find_key(collectors[t], is->less[i]);
	}
}

static bool is_in_sum(const struct summary_figure *f, const char *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(f->not_device) && f->not_device[i]; i++)
		if (fnmatch(f->not_device[i], device, 0) == 0)
			return false;
	return true;
}

/* Devices come in the same order each time: the one that is expected is looked at first. */
static struct summary_device *find_device(struct summary_followed *w, size_t f, size_t expected,
					  struct str name)
{
	if (expected < w->n && str_eq(name, str_of(w->device[expected].name)))
		return &w->device[expected];
	for (size_t i = 0; i < w->n; i++)
		if (str_eq(name, str_of(w->device[i].name)))
			return &w->device[i];
	if (w->n == SUMMARY_DEVICES_MAX) {
		w->full = true;
		return NULL;
	}
	if ((w->n & (w->n - 1)) == 0)
		w->device = xrealloc(w->device, (w->n ? 2 * w->n : 1) * sizeof(*w->device));
	struct summary_device *d = &w->device[w->n++];
	*d = (struct summary_device){ .name = xstrdup(name) };
	d->counts = is_in_sum(&summary_figures[f], d->name);
	return d;
}

static uint32_t lost(const struct counter *c)
{
	return c->steps[DELTA_RESET] + c->steps[DELTA_MISSING];
}

static void count(struct summary_device *d, uint64_t value, unsigned bits, bool anew,
		  uint32_t tick)
{
	uint32_t before = lost(&d->counter);
	if (anew)
		counter_reopen(&d->counter);
	counter_add(&d->counter, value, bits);
	if (!d->first)
		d->first = tick;
	d->seen = tick;
	if (d->counter.waiting)
		d->waited = tick;
	if (lost(&d->counter) != before)
		d->bad = tick;
}

static bool has(const struct sample *s, size_t row, size_t key)
{
	return sample_present(s, row)[key / 64] >> key % 64 & 1;
}

/* The value of a gauge at this moment, less what is to be subtracted, if all of it was read. */
static bool moment(const struct sample *s, size_t row, const struct summary_followed *w,
		   double *sum)
{
	double v = (double)sample_values(s, row)[w->key];
	for (size_t i = 0; i < ARRAY_SIZE(w->less) && w->less[i] != SIZE_MAX; i++) {
		if (!has(s, row, w->less[i]))
			return false;
		v -= (double)sample_values(s, row)[w->less[i]];
	}
	*sum += v > 0 ? v : 0;
	return true;
}

static void take_own(struct summary *summary, size_t f, struct str device, uint64_t value)
{
	struct summary_job *j = find_job(summary, device);
	if (!j)
		return;
	if (j->figure[f].own_seen && value < j->figure[f].own) {
		if (summary_figures[f].how == SUMMARY_OWN_PEAK)
			value = j->figure[f].own;
		else
			j->figure[f].own_bad = true;
	}
	j->figure[f].own = value;
	j->figure[f].own_seen = summary->tick;
}

static void take_value(struct summary *summary, size_t f, const struct sample *s, size_t row)
{
	struct summary_followed *w = &summary->followed[f];
	uint64_t value = sample_values(s, row)[w->key];
	struct summary_device *d;

	switch (summary_figures[f].how) {
	case SUMMARY_COUNTED:
		d = find_device(w, f, row, sample_device(s, row));
		if (d)
			count(d, value, s->metrics[w->key].bits, s->name[row].anew,
			      summary->tick);
		w->seen = true;
		break;
	case SUMMARY_PEAK:
	case SUMMARY_MEAN:
		w->seen |= moment(s, row, w, &w->moment);
		break;
	case SUMMARY_OWN:
	case SUMMARY_OWN_PEAK:
		take_own(summary, f, sample_device(s, row), value);
		break;
	}
}

static void follow(struct summary *summary, const struct sampler *sampler, size_t f)
{
	struct summary_followed *w = &summary->followed[f];
	w->seen = false;
	w->moment = 0;
	if (w->key == SIZE_MAX)
		return;
	const struct sample *s = &sampler->type[w->type].sample;
	for (size_t row = 0; row < s->n_rows; row++)
		if (has(s, row, w->key))
			take_value(summary, f, s, row);
}

static uint64_t total(const struct summary_followed *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->n; i++)
		if (w->device[i].counts)
			sum += w->device[i].counter.total;
	return sum;
}

static void set_base(const struct summary *s, struct summary_job *j)
{
	for (size_t f = 0; f < SUMMARY_FIGURES; f++)
		j->figure[f].base = total(&s->followed[f]);
	j->begin = s->tick;
	j->fresh = false;
}

/* A gauge says nothing of a job in the samples before its first and behind its last process. */
static void take_gauges(const struct summary *s, struct summary_job *j)
{
	for (size_t f = 0; f < SUMMARY_FIGURES; f++) {
		const struct summary_followed *w = &s->followed[f];
		double *n = &j->figure[f].n;
		if (!w->seen)
			continue;
		j->figure[f].samples++;
		if (summary_figures[f].how == SUMMARY_MEAN)
			*n += w->moment;
		else if (w->moment > *n)
			*n = w->moment;
	}
}

static void mark_shared(struct summary *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += !s->job[i].ending;
	for (size_t i = 0; i < s->n; i++)
		s->job[i].shared |= n > 1 && !s->job[i].ending;
}

void summary_take(struct summary *s, const struct sampler *sampler)
{
	if (s->n == 0)
		return;
	if (s->tick++ == 0)
		find_columns(s);
	for (size_t f = 0; f < SUMMARY_FIGURES; f++)
		follow(s, sampler, f);
	mark_shared(s);
	for (size_t i = 0; i < s->n; i++) {
		struct summary_job *j = &s->job[i];
		if (j->fresh)
			set_base(s, j);
		else if (!j->ending)
			take_gauges(s, j);
	}
}
