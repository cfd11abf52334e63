/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c - what one node counted from the first sample of a job to its last */
#include "report/tally.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "formats/raw_marks.h"
#include "report/devices.h"

/* Where a figure's values stand in the rows of a type. */
struct column {
	int key, less[2];	/* -1: not there */
	double scale;
	unsigned bits;
};

struct plan {
	const struct raw_type *type;
	size_t first, n;	/* of the tally's figures */
	bool procs;
	struct column *column;
};

/* The sum of a gauge over the devices of one sample. */
struct moment {
	bool seen;
	double sum;
	uint32_t devices;
};

struct tally {
	struct str job;
	struct figures table;
	const char *device;	/* NULL: any */
	struct plan *plan;
	size_t n_plans, at;	/* .at: of the row before */
	struct devices devices;
	struct procs procs;
	struct value *value;	/* gauges */
	struct moment *moment;
	uint32_t samples;
	int64_t usec;		/* of the newest sample */
	uint64_t left_out;
};

static void *zeroed(size_t n, size_t size)
{
	void *p = xrealloc(NULL, n * size);
	memset(p, 0, n * size);
	return p;
}

struct tally *tally_new(struct str job, struct figures table, const char *device)
{
	struct tally *t = zeroed(1, sizeof(*t));
	t->job = job;
	t->table = table;
	t->device = device;
	t->value = zeroed(table.n, sizeof(*t->value));
	t->moment = zeroed(table.n, sizeof(*t->moment));
	return t;
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
	free(t->moment);
	free(t);
}

void tally_new_file(struct tally *t)
{
	for (size_t i = 0; i < t->n_plans; i++)
		free(t->plan[i].column);
	t->n_plans = 0;
	procs_new_file(&t->procs);
}

void tally_boot(struct tally *t)
{
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		for (size_t k = 0; k < d->n; k++)
			if (!t->table.row[d->first + k].elsewhere)
				counter_restart(&d->reading[k].counter);
	}
}

static bool has_word(struct str words, struct str word)
{
	struct str one;
	while (str_take_word(&words, &one))
		if (str_eq(one, word))
			return true;
	return false;
}

/* "TYPE[ DEVICE...]": all devices where none is named. */
static void reopen(struct tally *t, struct str words)
{
	struct str type;
	size_t first, end;

	if (!str_take_word(&words, &type) || !figures_of_type(t->table, type, &first, &end))
		return;
	words = str_trim(words);
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		if (d->first != first || (words.n && !has_word(words, str_of(d->name))))
			continue;
		for (size_t k = 0; k < d->n; k++)
			if (t->table.row[first].from_0)
				counter_restart(&d->reading[k].counter);
			else
				counter_reopen(&d->reading[k].counter);
	}
}

void tally_marks(struct tally *t, const struct raw_group *g)
{
	for (size_t i = 0; i < g->n_marks; i++) {
		struct str mark = g->mark[i];
		if (str_take_prefix(&mark, STR(RAW_MARK_RESTART " ")))
			reopen(t, mark);
	}
}

void tally_clear(struct tally *t)
{
	devices_clear(&t->devices);
	procs_clear(&t->procs);
	memset(t->value, 0, t->table.n * sizeof(*t->value));
	t->samples = 0;
}

/* The key, or what newer files call it: "MemUsed" is "mem_used" in host_mem. */
static int find_key(const struct raw_type *t, const char *key)
{
	char snake[64];
	size_t n = 0;

	if (!key)
		return -1;
	int k = raw_key_find(t, key);
	if (k >= 0)
		return k;
	for (const char *c = key; *c && n < sizeof(snake) - 2; c++) {
		if (isupper((unsigned char)*c) && c > key)
			snake[n++] = '_';
		snake[n++] = (char)tolower((unsigned char)*c);
	}
	snake[n] = '\0';
	return raw_key_find(t, snake);
}

static void plan_column(struct column *c, const struct figure *f, const struct raw_type *t)
{
	c->key = find_key(t, f->key);
	c->less[0] = find_key(t, f->less[0]);
	c->less[1] = find_key(t, f->less[1]);
	if (c->key < 0)
		return;
	if ((f->less[0] && c->less[0] < 0) || (f->less[1] && c->less[1] < 0))
		c->key = -1;
	const struct raw_key *k = &t->key[find_key(t, f->key)];
	c->scale = figure_scale(f, k->unit_name, k->scale);
	c->bits = k->bits;
}

static struct plan *make_plan(struct tally *t, const struct raw_type *type)
{
	size_t first, end;

	t->plan = xrealloc(t->plan, (t->n_plans + 1) * sizeof(*t->plan));
	struct plan *p = &t->plan[t->n_plans++];
	*p = (struct plan){ .type = type, .procs = strcmp(type->name, "proc") == 0 ||
						   strcmp(type->name, "host_proc") == 0 };
	if (!figures_of_type(t->table, str_of(type->name), &first, &end))
		return p;
	p->first = first;
	p->n = end - first;
	p->column = zeroed(p->n, sizeof(*p->column));
	for (size_t i = 0; i < p->n; i++)
		plan_column(&p->column[i], &t->table.row[first + i], type);
	return p;
}

/* Rows of a type stand together, mostly. */
static struct plan *find_plan(struct tally *t, const struct raw_type *type)
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

static bool read_key(const struct raw_row *row, int key, double *ret)
{
	if (key < 0 || (row->absent && row->absent[key]))
		return false;
	*ret = row->real ? row->real[key] : (double)row->value[key];
	return true;
}

static void add_gauge(struct tally *t, size_t i, const struct column *c, const struct raw_row *row)
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
}

static void add_counter(struct reading *r, const struct figure *f, const struct column *c,
			const struct raw_row *row, bool came_late)
{
	if (c->key < 0 || (row->absent && row->absent[c->key]))
		return;
	uint64_t v = row->value[c->key];
	r->scale = c->scale;
	if (f->saturates && v == UINT32_MAX)
		r->saturated = true;
	if (!r->counter.started && (f->own || (f->from_0 && came_late)))
		counter_add(&r->counter, 0, c->bits);
	counter_add(&r->counter, v, c->bits);
}

static void add_row(struct tally *t, const struct plan *p, const struct raw_row *row)
{
	struct device *d = NULL;
	for (size_t i = 0; i < p->n; i++) {
		const struct figure *f = &t->table.row[p->first + i];
		if (!figure_counts(f, row->device, t->job))
			continue;
		if (!figure_is_counter(f)) {
			add_gauge(t, p->first + i, &p->column[i], row);
			continue;
		}
		if (!d)
			d = devices_find(&t->devices, p->first, p->n, row->device, t->samples);
		if (!d) {
			t->left_out++;
			return;
		}
		d->seen_at = t->samples;
		d->seen_usec = t->usec;
		add_counter(&d->reading[i], f, &p->column[i], row, d->begun_at > 0);
	}
}

static void end_moment(struct tally *t, size_t i, int64_t usec)
{
	const struct moment *m = &t->moment[i];
	struct value *v = &t->value[i];
	enum figure_how how = t->table.row[i].how;

	if (!m->seen || (how == FIGURE_ADDED && t->samples == 0))
		return;		/* the first one speaks of the time before */
	if (how != FIGURE_PEAK) {
		v->n += m->sum;
		v->samples++;
	} else if (!v->seen || m->sum > v->n) {
		v->n = m->sum;
		v->at = usec;
	}
	v->seen = true;
}

/* A name may look like a pattern: "[::1]:1094". */
static bool is_asked_for(const struct tally *t, const struct raw_row *row)
{
	char name[256];
	if (!t->device || str_eq(row->device, str_of(t->device)))
		return true;
	return str_copy(name, sizeof(name), row->device) && fnmatch(t->device, name, 0) == 0;
}

void tally_group(struct tally *t, const struct raw_group *g)
{
	memset(t->moment, 0, t->table.n * sizeof(*t->moment));
	t->usec = g->usec;
	for (size_t i = 0; i < g->n_rows; i++) {
		if (!is_asked_for(t, &g->row[i]))
			continue;
		const struct plan *p = find_plan(t, g->row[i].type);
		if (p->procs)
			procs_row(&t->procs, &g->row[i]);
		else if (p->n > 0)
			add_row(t, p, &g->row[i]);
	}
	for (size_t i = 0; i < t->table.n; i++)
		end_moment(t, i, g->usec);
	t->samples++;
}

/* A counter that was read once has nothing to subtract from. */
static bool has_steps(const struct counter *c)
{
	for (int h = 0; h < DELTA_MISSING; h++)
		if (c->steps[h] > 0)
			return true;
	return false;
}

static void fold_reading(const struct tally *t, const struct device *d, size_t i, struct value *v)
{
	const struct figure *f = &t->table.row[d->first + i];
	struct reading *r = &d->reading[i];
	struct counter *c = &r->counter;

	if (!c->started)
		return;
	counter_end(c);
	v->reopened += c->steps[DELTA_MISSING] > 0;
	if (d->seen_at != t->samples - 1) {
		counter_missing(c);
		v->gone++;
		if (t->usec - d->seen_usec > v->gone_usec)
			v->gone_usec = t->usec - d->seen_usec;
	}
	v->late += !f->own && !f->from_0 && d->begun_at > 0;
	v->saturated += r->saturated;
	for (int h = 0; h < DELTA_HOWS; h++)
		v->steps[h] += c->steps[h];
	if (r->saturated || !has_steps(c))
		return;
	v->seen = true;
	v->n += (double)c->total * r->scale;
	v->inferred += (double)c->inferred * r->scale;
}

static void fold_gauge(struct value *to, const struct value *from, const struct figure *f)
{
	if (!from->seen)
		return;
	if (f->how != FIGURE_PEAK) {
		to->n += from->n;
		to->samples += from->samples;
	} else if (!to->seen || from->n > to->n) {
		to->n = from->n;
		to->at = from->at;
	}
	to->seen = true;
}

void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node)
{
	devices_mark_shared(&t->devices);
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		for (size_t k = 0; k < d->n && !d->in_others; k++)
			fold_reading(t, d, k, &value[d->first + k]);
	}
	for (size_t i = 0; i < t->table.n; i++)
		if (!figure_is_counter(&t->table.row[i]))
			fold_gauge(&value[i], &t->value[i], &t->table.row[i]);
	procs_merge(procs, &t->procs, node);
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

bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices)
{
	*sum = t->moment[figure].sum;
	*devices = t->moment[figure].devices;
	return t->moment[figure].seen;
}

double value_of(const struct figure *f, const struct value *v)
{
	return f->how == FIGURE_MEAN && v->samples > 0 ? v->n / v->samples : v->n;
}

bool value_known(const struct value *v)
{
	return v->seen && v->saturated == 0;
}
