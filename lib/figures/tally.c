/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c - what one node counted from the first sample of a job to its last */
#include "figures/tally.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "schema/boot.h"
#include "schema/marks.h"
#include "figures/devices.h"
#include "figures/limits.h"
#include "figures/plan.h"

/* The sum of a gauge over the devices of one sample, and of the one before that had it. */
struct moment {
	bool seen;
	double sum;
	uint32_t devices;
	struct value_before before;
};

/*
 * Whether the rows of the job itself hold all of it: its control group is removed before its end.
 * All zero: there were no rows of this run.
 */
struct job_rows {
	bool gone;		/* the newest was written when the group was gone, */
	uint64_t lacks;		/* or any was: what was missing then */
	uint32_t sample;	/* of the newest, from 1 on */
};

struct tally {
	struct str job;
	struct figures table;
	const char *device;	/* NULL: any */
	struct plan *plan;
	size_t n_plans, at;	/* .at: of the row before */
	struct devices devices;
	struct devices_type related[DEVICES_TYPES];
	size_t n_related;
	struct procs procs;
	struct job_rows job_rows;
	struct value *value;	/* gauges */
	bool *full;		/* of a figure: more devices than we keep */
	struct moment *moment;
	const struct limit **limit;	/* of each figure, NULL: none */
	bool hooked;		/* a hook marked the begin of the job: before that it did nothing */
	bool begins_job;	/* in the newest sample, any job */
	uint32_t samples;
	int64_t usec;		/* of the newest sample */
	int64_t from, until;	/* of the earliest and the latest */
	int64_t up_us;		/* since the boot, at the first sample; 0: not known */
	uint64_t left_out;
};

static void *zeroed(size_t n, size_t size)
{
	void *p = xrealloc(NULL, n * size);
	memset(p, 0, n * size);
	return p;
}

/* The types of which devices may stand on others. */
static void find_related(struct tally *t)
{
	for (size_t i = 0, first = 0; i < t->table.n && t->n_related < DEVICES_TYPES; i++) {
		struct str type = str_of(t->table.row[i].type);
		if (!str_eq(type, str_of(t->table.row[first].type)))
			first = i;
		struct devices_type *last = &t->related[t->n_related];
		if (t->table.row[i].once && (!t->n_related || last[-1].first != first))
			t->related[t->n_related++] = (struct devices_type){ first, type };
	}
}

struct tally *tally_new(struct str job, struct figures table, const char *device)
{
	struct tally *t = zeroed(1, sizeof(*t));
	t->job = job;
	t->table = table;
	t->device = device;
	find_related(t);
	t->value = zeroed(table.n, sizeof(*t->value));
	t->full = zeroed(table.n, sizeof(*t->full));
	t->moment = zeroed(table.n, sizeof(*t->moment));
	t->limit = zeroed(table.n, sizeof(const struct limit *));
	for (size_t i = 0; i < table.n; i++)
		t->limit[i] = limit_of(&table.row[i]);
	return t;
}

void tally_limit(struct tally *t, size_t devices)
{
	t->devices.most = devices;
	t->devices.no_twins = true;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	tally_new_file(t);
	devices_free(&t->devices);
	procs_free(&t->procs);
	free(t->plan);
	free(t->value);
	free(t->full);
	free(t->moment);
	free(t->limit);
	free(t);
}

static void forget_moments(struct tally *t)
{
	memset(t->moment, 0, t->table.n * sizeof(*t->moment));
}

void tally_new_file(struct tally *t)
{
	for (size_t i = 0; i < t->n_plans; i++)
		plan_free(&t->plan[i]);
	t->n_plans = 0;
	procs_new_file(&t->procs);
}

void tally_boot(struct tally *t)
{
	forget_moments(t);
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		for (size_t k = 0; k < d->n; k++)
			if (!t->table.row[d->first + k].elsewhere)
				counter_restart(&d->reading[k].counter);
	}
}

/* No names: all devices. */
static void reopen(struct tally *t, struct str type, struct str names)
{
	size_t first, end;

	if (!figures_of_type(t->table, type, &first, &end))
		return;
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		if (d->first != first || (names.n && !str_has_word(names, str_of(d->name))))
			continue;
		for (size_t k = 0; k < d->n; k++)
			if (t->table.row[first].from_0 || t->table.row[first].job_row)
				counter_restart(&d->reading[k].counter);
			else
				counter_reopen(&d->reading[k].counter);
	}
}

void tally_marks(struct tally *t, const struct record *r)
{
	for (size_t i = 0; i < r->n_marks; i++) {
		const struct mark *m = &r->mark[i];
		if (m->kind == MARK_RESTART)
			reopen(t, m->subject, m->rest);
		t->hooked |= m->kind == MARK_BEGIN && str_eq(m->subject, t->job) &&
			     str_has_word(m->rest, STR("source=hook"));
	}
}

void tally_clear(struct tally *t)
{
	devices_clear(&t->devices);
	procs_clear(&t->procs);
	forget_moments(t);
	t->job_rows = (struct job_rows){ 0 };
	memset(t->value, 0, t->table.n * sizeof(*t->value));
	memset(t->full, 0, t->table.n * sizeof(*t->full));
	t->hooked = false;
	t->samples = 0;
}

static struct plan *make_plan(struct tally *t, const struct record_type *type)
{
	t->plan = xrealloc(t->plan, (t->n_plans + 1) * sizeof(*t->plan));
	struct plan *p = &t->plan[t->n_plans++];
	plan_init(p, t->table, type);
	p->compare &= !t->devices.no_twins;
	return p;
}

/* Types follow one another as in the record before, mostly. */
static struct plan *find_plan(struct tally *t, const struct record_type *type)
{
	for (size_t n = 0; n < t->n_plans; n++, t->at++) {
		if (t->at >= t->n_plans)
			t->at = 0;
		if (t->plan[t->at].type == type)
			return &t->plan[t->at];
	}
	t->at = t->n_plans;
	return make_plan(t, type);
}

static bool read_key(const struct record_row *row, int key, double *ret)
{
	if (key < 0 || !row_has(row, (size_t)key))
		return false;
	*ret = row_double(row, (size_t)key);
	return true;
}

static void add_gauge(struct tally *t, size_t i, const struct column *c,
		      const struct record_row *row)
{
	const struct figure *f = &t->table.row[i];
	double v, less;

	if (!read_key(row, c->key, &v))
		return;
	for (int k = 0; k < 2; k++) {
		if (!f->less[k])
			continue;
		if (!read_key(row, c->less[k], &less))
			return;
		v -= less;
	}
	t->moment[i].seen = true;
	t->moment[i].devices++;
	t->moment[i].sum += v * c->scale;
	if ((t->limit[i] && t->limit[i]->each > 0 && v * c->scale > 1.01 * t->limit[i]->each) ||
	    (f->unit == UNIT_BYTES && v < 0))
		t->value[i].beyond++;
}

/* A gauge of a device that may turn out to stand on others: see end_gauges(). */
static void keep_gauge(struct tally *t, size_t i, const struct column *c,
		       const struct record_row *row, struct reading *r)
{
	const struct moment before = t->moment[i];
	add_gauge(t, i, c, row);
	r->gauge = t->moment[i].sum - before.sum;
	r->gauge_at = t->moment[i].devices > before.devices ? t->samples + 1 : 0;
	t->moment[i] = before;
}

static void keep_largest(const struct column *c, const struct record_row *row, struct reading *r)
{
	double v;
	if (!read_key(row, c->key, &v))
		return;
	if (!r->gauge_at || v * c->scale > r->gauge)
		r->gauge = v * c->scale;
	r->gauge_at = 1;
}

/* When it was read, and when it went wrong: for who asks since when it is right. */
static void note_reading(struct reading *r, uint32_t sample)
{
	if (!r->first) {
		r->first = sample;
		r->begun = r->counter.total;
	}
	r->seen = sample;
	if (r->counter.waiting)
		r->waited = sample;
	if (counter_lost(&r->counter) != r->lost)
		r->bad = sample;
	r->lost = counter_lost(&r->counter);
}

static void add_counter(const struct tally *t, struct device *d, size_t i, const struct figure *f,
			const struct column *c, int key, const struct record_row *row)
{
	struct reading *r = &d->reading[i];
	bool has = key >= 0 && row_has(row, (size_t)key);
	if (!has && f->ctl_mask && r->counter.started)
		counter_reopen(&r->counter);	/* another event now */
	if (!has)
		return;
	uint64_t v = row->value[key];
	r->scale = c->scale;
	if (f->saturates && v == UINT32_MAX)
		r->saturated = true;
	r->before = r->counter.total;
	if (t->begins_job && delta_was_set_to_0(r->counter.last, v, c->bits))
		counter_restart(&r->counter);
	if (!r->counter.started && (f->job_row || (f->from_0 && d->begun_at > 0)))
		counter_add(&r->counter, 0, c->bits);
	counter_add(&r->counter, v, c->bits);
	note_reading(r, t->samples + 1);
}

static struct device *find_device(struct tally *t, const struct plan *p,
				  const struct record_row *row)
{
	struct device *d = devices_find(&t->devices, p->first, p->n, row->device, t->samples);
	if (!d) {
		t->left_out++;
		for (size_t i = 0; i < p->n; i++)
			t->full[p->first + i] = true;
		return NULL;
	}
	d->seen_at = t->samples;
	d->seen_usec = t->usec;
	if (p->compare)
		d->values = plan_hash(p, row, &d->moved);
	return d;
}

/* 0 of a row without the key, as older agents wrote. */
static uint64_t key_value(const struct record_type *type, const struct record_row *row,
			  const char *name)
{
	int k = record_key_find(type, name);
	return k < 0 || !row_has(row, (size_t)k) ? 0 : row->value[k];
}

static void take_job_row(struct job_rows *j, const struct record_type *type,
			 const struct record_row *row, uint32_t samples)
{
	j->gone = key_value(type, row, "age") > 0;
	if (j->gone)
		j->lacks |= ~key_value(type, row, "whole");
	j->sample = samples + 1;
}

static void add_row(struct tally *t, const struct plan *p, const struct record_row *row)
{
	struct device *d = NULL;
	for (size_t i = 0; i < p->n; i++) {
		const struct figure *f = &t->table.row[p->first + i];
		const struct column *c = &p->column[i];
		if (!figure_counts(f, row->device, t->job))
			continue;
		if (f->job_row && i == 0)
			take_job_row(&t->job_rows, p->type, row, t->samples);
		if (!figure_is_counter(f) && !f->once)
			add_gauge(t, p->first + i, c, row);
		if (!figure_is_counter(f) && !f->once && !f->each)
			continue;
		if (!d && !(d = find_device(t, p, row)))
			return;
		if (figure_is_counter(f))
			add_counter(t, d, i, f, c, plan_key(p, f, c, row), row);
		else if (f->each)
			keep_largest(c, row, &d->reading[i]);
		else
			keep_gauge(t, p->first + i, c, row, &d->reading[i]);
	}
}

/* Of devices that are now known to stand on no other. */
static void end_gauges(struct tally *t)
{
	for (size_t n = 0; n < t->n_related; n++) {
		const struct devices_of *of = &t->devices.of[n];
		for (size_t i = 0; i < of->n; i++) {
			const struct device *d = &t->devices.device[of->number[i]];
			for (size_t k = 0; k < d->n && !d->left_out; k++) {
				struct moment *m = &t->moment[d->first + k];
				if (d->reading[k].gauge_at != t->samples + 1)
					continue;
				m->seen = true;
				m->devices++;
				m->sum += d->reading[k].gauge;
			}
		}
	}
}

static void end_moment(struct tally *t, size_t i, bool edge)
{
	struct moment *m = &t->moment[i];
	const struct figure *f = &t->table.row[i];
	const struct value_sample s = { m->sum, t->usec, edge && !f->job_row };

	if (!m->seen || (f->how == FIGURE_ADDED && t->samples == 0))
		return;		/* the first one speaks of the time before */
	value_take(&t->value[i], &m->before, f->how, &s);
}

/* A name may look like a pattern: "[::1]:1094". */
static bool is_asked_for(const struct tally *t, const struct record_row *row)
{
	char name[256];
	if (!t->device || str_eq(row->device, str_of(t->device)))
		return true;
	return str_copy(name, sizeof(name), row->device) && fnmatch(t->device, name, 0) == 0;
}

static void add_rows(struct tally *t, const struct record_rows *rows)
{
	const struct plan *p = find_plan(t, rows->type);
	if (!p->procs && p->n == 0)
		return;
	for (size_t i = 0; i < rows->n; i++) {
		const struct record_row *row = &rows->row[i];
		if (!is_asked_for(t, row))
			continue;
		if (p->procs)
			procs_row(&t->procs, rows->type, row);
		else
			add_row(t, p, row);
	}
}

void tally_record(struct tally *t, const struct record *r, bool edge)
{
	for (size_t i = 0; i < t->table.n; i++) {
		t->moment[i].seen = false;
		t->moment[i].sum = 0;
		t->moment[i].devices = 0;
	}
	t->usec = r->usec;
	t->begins_job = record_begins_job(r);
	t->up_us = t->samples == 0 ? boot_clock(r) : t->up_us;
	t->from = t->samples == 0 || r->usec < t->from ? r->usec : t->from;
	t->until = t->samples == 0 || r->usec > t->until ? r->usec : t->until;
	for (size_t i = 0; i < r->n_types; i++)
		add_rows(t, &r->rows[i]);
	t->devices.changed |= r->restart;
	devices_relate(&t->devices, t->related, t->n_related, r->below, t->samples);
	end_gauges(t);
	for (size_t i = 0; i < t->table.n; i++)
		end_moment(t, i, edge);
	t->samples++;
}

static struct judge judge_of(const struct tally *t)
{
	struct judge j = {
		t->table, t->limit, (double)(t->until - t->from) / 1e6, 0, t->hooked,
		(double)t->up_us / 1e6,
	};
	for (size_t i = 0; i < t->devices.n; i++)
		j.cpus += strcmp(t->table.row[t->devices.device[i].first].type, "cpu") == 0;
	return j;
}

/* Adds a device to its figures, unless others count its work; .doubles: only their names say so. */
static void fold_device(const struct tally *t, const struct device *d, const struct judge *judge,
			struct value *value)
{
	const struct last_sample last = { t->samples - 1, t->usec, t->job_rows.gone };
	bool moved = false, other = device_changed(d, t->table.row + d->first, t->samples);
	for (size_t k = 0; k < d->n; k++) {
		const struct figure *f = &t->table.row[d->first + k];
		moved |= d->reading[k].counter.total > 0;
		value[d->first + k].other_events += other && f->ctl_mask;
		if ((d->ever_in || !f->once) && !(other && f->ctl_mask))
			device_fold(d, k, f, &last, &value[d->first + k]);
	}
	for (size_t k = 0; k < d->n; k++)
		value[d->first + k].doubles += moved && d->inferred;
	if (d->ever_in || !t->table.row[d->first].once)
		judge_device(judge, d, value);
}

static bool job_rows_lack(const struct job_rows *j, unsigned need, uint32_t samples)
{
	return (j->lacks & need) || (!j->gone && j->sample != samples);
}

/* Marks values of the job itself that may be too small, as no reading has all of them. */
static void fold_job_rows(const struct tally *t, struct value *value)
{
	const struct figure *f = t->table.row;
	for (size_t i = 0; i < t->table.n; i++)
		if (f[i].job_row && value[i].seen)
			value[i].at_least += job_rows_lack(&t->job_rows, f[i].job_row, t->samples);
}

void tally_peek(const struct tally *t, struct value *value)
{
	const struct judge judge = judge_of(t);

	for (size_t i = 0; i < t->devices.n; i++)
		fold_device(t, &t->devices.device[i], &judge, value);
	for (size_t i = 0; i < t->table.n; i++)
		if (!figure_is_counter(&t->table.row[i]))
			value_add(&t->table.row[i], &value[i], &t->value[i]);
	fold_job_rows(t, value);
	judge_gauges(&judge, value);
}

void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node)
{
	tally_peek(t, value);
	procs_merge(procs, &t->procs, node, judge_memory(t->table, value));
	tally_clear(t);
}

uint64_t tally_devices_left_out(const struct tally *t)
{
	return t->left_out;
}

struct devices *tally_devices(struct tally *t)
{
	return &t->devices;
}

uint32_t tally_samples(const struct tally *t)
{
	return t->samples;
}

int64_t tally_usec(const struct tally *t)
{
	return t->usec;
}

struct figures tally_figures(const struct tally *t)
{
	return t->table;
}

bool tally_is_full(const struct tally *t, size_t figure)
{
	return t->full[figure];
}

bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices)
{
	*sum = t->moment[figure].sum;
	*devices = t->moment[figure].devices;
	return t->moment[figure].seen;
}
