/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c - growth of counters and values of gauges on one node during a job */
#include "figures/tally.h"

#include <stdlib.h>
#include <string.h>
#include "schema/boot.h"
#include "schema/marks.h"
#include "figures/devices.h"
#include "figures/limits.h"
#include "figures/plan.h"

/*
 * A gauge in the newest sample, summed over the devices. .before: the sum in the last earlier
 * sample that had the gauge.
 */
struct tally_moment {
	bool seen;
	bool unknown;		/* the gauge of a device is negative, so the sum is unknown */
	double sum;
	/* numbers of devices with the key, and without the key */
	uint32_t devices, lacking;
	struct value_before before;
};

/*
 * Whether the rows of the job itself, in type job, show all of its work: the job's cgroup may be
 * removed before the last sample. All zero: no rows yet.
 */
struct job_rows {
	bool gone;		/* the newest row was written after the cgroup was removed */
	/* mask of JOB_ROW_... bits that a row written after the cgroup was removed did not have */
	uint64_t lacks;
	uint32_t sample;	/* number, from 1, of the sample with the newest row */
};

struct tally {
	struct str job;
	struct figures table;
	const char *device;	/* fnmatch(3) pattern of the devices to count; NULL: all */
	struct plan *plan;
	size_t n_plans, at;	/* number of plans; index of the plan that was used last */
	struct devices devices;
	struct devices_type related[DEVICES_TYPES];
	size_t n_related;
	struct procs procs;
	struct job_rows job_rows;
	struct value *value;	/* values of gauges */
	/* for each figure: some of its devices were left out, because there were too many */
	bool *full;
	struct tally_moment *moment;
	const struct limit **limit;	/* limit of each figure; NULL: none */
	/* a hook marked the begin of the job: the job's own counters were 0 at the first sample */
	bool hooked;
	bool begins_job;	/* a mark in the newest sample begins a job */
	/* a header precedes the newest sample: another process may have written it */
	bool new_header;
	uint32_t samples;
	int64_t usec;		/* time of the newest sample */
	int64_t from, until;	/* times of the earliest and the latest sample */
	int64_t up_us;		/* microseconds from the boot to the first sample; 0: unknown */
	uint64_t left_out;
};

static void *tally_allocate_zeroed(size_t n, size_t size)
{
	void *p = xrealloc(NULL, n * size);
	memset(p, 0, n * size);
	return p;
}

/* Find the record types whose devices may be on top of others (schema/below.h). */
static void tally_find_related(struct tally *t)
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
	struct tally *t = tally_allocate_zeroed(1, sizeof(*t));
	t->job = job;
	t->table = table;
	t->device = device;
	tally_find_related(t);
	t->value = tally_allocate_zeroed(table.n, sizeof(*t->value));
	t->full = tally_allocate_zeroed(table.n, sizeof(*t->full));
	t->moment = tally_allocate_zeroed(table.n, sizeof(*t->moment));
	t->limit = tally_allocate_zeroed(table.n, sizeof(const struct limit *));
	for (size_t i = 0; i < table.n; i++)
		t->limit[i] = limit_of(table, i);
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

static void tally_forget_moments(struct tally *t)
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
	tally_forget_moments(t);
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		for (size_t k = 0; k < d->n; k++)
			if (!t->table.row[d->first + k].counts_after_reboot)
				counter_restart(&d->reading[k].counter);
	}
}

/*
 * Restart the counters of the devices in the list `names` or, if it is empty, of all devices of a
 * type.
 */
static void tally_restart_devices(struct tally *t, struct str type, struct str names)
{
	size_t first, end;

	if (!figures_of_type(t->table, type, &first, &end))
		return;
	for (size_t i = 0; i < t->devices.n; i++) {
		struct device *d = &t->devices.device[i];
		if (d->first != first || (names.n && !str_has_word(names, str_of(d->name))))
			continue;
		for (size_t k = 0; k < d->n; k++)
			if (t->table.row[first].starts_at_zero || t->table.row[first].job_row)
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
			tally_restart_devices(t, m->subject, m->rest);
		t->hooked |= m->kind == MARK_BEGIN && str_eq(m->subject, t->job) &&
			     str_has_word(m->rest, STR("source=hook"));
	}
}

void tally_clear(struct tally *t)
{
	devices_clear(&t->devices);
	procs_clear(&t->procs);
	tally_forget_moments(t);
	t->job_rows = (struct job_rows){ 0 };
	memset(t->value, 0, t->table.n * sizeof(*t->value));
	memset(t->full, 0, t->table.n * sizeof(*t->full));
	t->hooked = false;
	t->samples = 0;
}

static struct plan *tally_make_plan(struct tally *t, const struct record_type *type)
{
	t->plan = xrealloc(t->plan, (t->n_plans + 1) * sizeof(*t->plan));
	struct plan *p = &t->plan[t->n_plans++];
	plan_init(p, t->table, type);
	p->compare &= !t->devices.no_twins;
	return p;
}

/*
 * Find or make the plan of a record type. The search begins at the plan used last, since records
 * usually have the same order of types.
 */
static struct plan *tally_find_plan(struct tally *t, const struct record_type *type)
{
	for (size_t n = 0; n < t->n_plans; n++, t->at++) {
		if (t->at >= t->n_plans)
			t->at = 0;
		if (t->plan[t->at].type == type)
			return &t->plan[t->at];
	}
	t->at = t->n_plans;
	return tally_make_plan(t, type);
}

static bool tally_read_key(const struct record_row *row, int key, double *ret)
{
	if (key < 0 || !row_has(row, (size_t)key))
		return false;
	*ret = row_double(row, (size_t)key);
	return true;
}

/* Whether a value is negative: the kernel prints -4 kB as 2^64 - 4. */
static bool tally_is_below_0(const struct record_row *row, int key)
{
	return !row->real && row->value[key] > INT64_MAX;
}

static void tally_add_gauge(struct tally *t, size_t i, const struct plan_column *c,
			    const struct record_row *row)
{
	const struct figure *f = &t->table.row[i];
	double v, less;

	if (!tally_read_key(row, c->key, &v))
		return;
	bool below_0 = tally_is_below_0(row, c->key);
	for (int k = 0; k < 2; k++) {
		if (!f->less[k])
			continue;
		if (!tally_read_key(row, c->less[k], &less))
			return;
		below_0 |= tally_is_below_0(row, c->less[k]);
		v -= less;
	}
	if (below_0 || (f->unit == UNIT_BYTES && v < 0)) {
		t->moment[i].unknown = true;
		return;
	}
	t->moment[i].seen = true;
	t->moment[i].devices++;
	t->moment[i].sum += v * c->scale;
	if (t->limit[i] && t->limit[i]->each > 0 && v * c->scale > 1.01 * t->limit[i]->each)
		t->value[i].beyond++;
}

/*
 * Keep a gauge of a device that may be on top of another device. tally_finish_gauges() adds the
 * gauge to the sum if the device is not on top of another.
 */
static void tally_keep_gauge(struct tally *t, size_t i, const struct plan_column *c,
			     const struct record_row *row, struct device_reading *r)
{
	const struct tally_moment before = t->moment[i];
	tally_add_gauge(t, i, c, row);
	r->gauge = t->moment[i].sum - before.sum;
	r->gauge_at = t->moment[i].devices > before.devices ? t->samples + 1 : 0;
	bool unknown = t->moment[i].unknown;
	t->moment[i] = before;
	t->moment[i].unknown = unknown;
}

static void tally_keep_largest(const struct plan_column *c, const struct record_row *row,
			       struct device_reading *r)
{
	double v;
	if (!tally_read_key(row, c->key, &v))
		return;
	if (!r->gauge_at || v * c->scale > r->gauge)
		r->gauge = v * c->scale;
	r->gauge_at = 1;
}

/*
 * Note that a counter was read in a sample, and whether it lost counts. since.c uses this for
 * values from a given sample on.
 */
static void tally_note_reading(struct device_reading *r, uint32_t sample)
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

/*
 * Return how much a counter can have grown since its last reading, in the counter's unit; 0 if
 * unknown.
 */
static uint64_t tally_most_since(const struct tally *t, const struct device *d, size_t i)
{
	const struct device_reading *r = &d->reading[i];
	double most = limit_most(t->limit[d->first + i], d->name, 0) / r->scale;

	if (t->usec < r->usec)
		return 0;
	most *= limit_seconds((double)(t->usec - r->usec) / 1e6);
	return most < 0x1p63 ? (uint64_t)most : 0;
}

static void tally_take_reading(const struct tally *t, struct device *d, size_t i, uint64_t v,
			       unsigned bits)
{
	struct device_reading *r = &d->reading[i];

	if (v < r->counter.last)
		r->counter.most = tally_most_since(t, d, i);
	if (t->new_header)
		counter_add_other(&r->counter, v, bits);
	else
		counter_add(&r->counter, v, bits);
	r->usec = t->usec;
	tally_note_reading(r, t->samples + 1);
}

static void tally_add_counter(const struct tally *t, struct device *d, size_t i,
			      const struct figure *f,
			      const struct plan_column *c, int key, const struct record_row *row)
{
	struct device_reading *r = &d->reading[i];
	bool has = key >= 0 && row_has(row, (size_t)key);
	if (!has && f->ctl_mask && r->counter.started)
		/*
		 * the control register was changed: the counter counts another event than the
		 * figure's
		 */
		counter_reopen(&r->counter);
	if (!has)
		return;
	uint64_t v = row->value[key];
	r->scale = c->scale;
	if (f->saturates && v == UINT32_MAX)
		r->saturated = true;
	r->before = r->counter.total;
	if (t->begins_job && delta_was_set_to_0(r->counter.last, v, c->bits))
		counter_restart(&r->counter);
	if (!r->counter.started && (f->job_row || (f->starts_at_zero && d->begun_at > 0)))
		counter_add(&r->counter, 0, c->bits);
	tally_take_reading(t, d, i, v, c->bits);
}

static struct device *tally_find_device(struct tally *t, const struct plan *p,
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

/* Return the value of a key; 0 if the row lacks it, as rows of older agents may. */
static uint64_t tally_key_value(const struct record_type *type, const struct record_row *row,
				const char *name)
{
	int k = record_key_find(type, name);
	return k < 0 || !row_has(row, (size_t)k) ? 0 : row->value[k];
}

static void tally_take_job_row(struct job_rows *j, const struct record_type *type,
			       const struct record_row *row, uint32_t samples)
{
	j->gone = tally_key_value(type, row, "age") > 0;
	if (j->gone)
		j->lacks |= ~tally_key_value(type, row, "whole");
	j->sample = samples + 1;
}

/*
 * Whether a row lacks a key. Slow keys, which only some samples have (see struct record_key), do
 * not count.
 */
static bool tally_row_lacks(const struct record_type *type, const struct record_row *row, int key)
{
	return key >= 0 && !type->key[key].slow && !row_has(row, (size_t)key);
}

static void tally_add_row(struct tally *t, const struct plan *p, const struct record_row *row)
{
	struct device *d = NULL;
	for (size_t i = 0; i < p->n; i++) {
		const struct figure *f = &t->table.row[p->first + i];
		const struct plan_column *c = &p->column[i];
		if (!figure_counts(f, row->device, t->job))
			continue;
		if (f->job_row && i == 0)
			tally_take_job_row(&t->job_rows, p->type, row, t->samples);
		t->moment[p->first + i].lacking += tally_row_lacks(p->type, row, c->key);
		if (!figure_is_counter(f) && !f->once)
			tally_add_gauge(t, p->first + i, c, row);
		if (!figure_is_counter(f) && !f->once && !f->each)
			continue;
		if (!d && !(d = tally_find_device(t, p, row)))
			return;
		if (figure_is_counter(f))
			tally_add_counter(t, d, i, f, c, plan_key(p, f, c, row), row);
		else if (f->each)
			tally_keep_largest(c, row, &d->reading[i]);
		else
			tally_keep_gauge(t, p->first + i, c, row, &d->reading[i]);
	}
}

/*
 * Add the gauges that tally_keep_gauge() kept in this sample, except those of devices on top of
 * others.
 */
static void tally_finish_gauges(struct tally *t)
{
	for (size_t n = 0; n < t->n_related; n++) {
		const struct devices_of *of = &t->devices.of[n];
		for (size_t i = 0; i < of->n; i++) {
			const struct device *d = &t->devices.device[of->number[i]];
			for (size_t k = 0; k < d->n && !d->left_out; k++) {
				struct tally_moment *m = &t->moment[d->first + k];
				if (d->reading[k].gauge_at != t->samples + 1)
					continue;
				m->seen = true;
				m->devices++;
				m->sum += d->reading[k].gauge;
			}
		}
	}
}

static void tally_finish_moment(struct tally *t, size_t i, bool edge)
{
	struct tally_moment *m = &t->moment[i];
	const struct figure *f = &t->table.row[i];

	if (!m->seen && !m->lacking && !m->unknown)
		return;		/* no device has this figure in this sample */
	if (m->lacking > t->value[i].lacking)
		t->value[i].lacking = m->lacking;
	if (m->unknown) {
		m->before = (struct value_before){ 0 };
		t->value[i].below_0++;
		return;
	}
	if (!m->seen || (f->how == FIGURE_ADDED && t->samples == 0))
		return;	/* the first value of a FIGURE_ADDED covers time before the job */
	const struct value_sample s = {
		m->sum, t->usec, edge && !figure_holds_at_edge(f), f->job_row != 0,
	};
	value_take(&t->value[i], &m->before, f->how, &s);
}

static void tally_add_rows(struct tally *t, const struct record_rows *rows)
{
	const struct plan *p = tally_find_plan(t, rows->type);
	if (!p->procs && p->n == 0)
		return;
	for (size_t i = 0; i < rows->n; i++) {
		const struct record_row *row = &rows->row[i];
		if (t->device && !device_matches(row->device, t->device))
			continue;
		if (p->procs)
			procs_row(&t->procs, rows->type, row);
		else
			tally_add_row(t, p, row);
	}
}

void tally_record(struct tally *t, const struct record *r, bool edge)
{
	for (size_t i = 0; i < t->table.n; i++) {
		t->moment[i].seen = t->moment[i].unknown = false;
		t->moment[i].sum = 0;
		t->moment[i].devices = t->moment[i].lacking = 0;
	}
	t->usec = r->usec;
	t->begins_job = record_begins_job(r);
	t->new_header = r->restart;
	t->up_us = t->samples == 0 ? boot_clock(r) : t->up_us;
	t->from = t->samples == 0 || r->usec < t->from ? r->usec : t->from;
	t->until = t->samples == 0 || r->usec > t->until ? r->usec : t->until;
	for (size_t i = 0; i < r->n_types; i++)
		tally_add_rows(t, &r->rows[i]);
	t->devices.changed |= r->restart;
	devices_relate(&t->devices, t->related, t->n_related, r->below, t->samples);
	tally_finish_gauges(t);
	for (size_t i = 0; i < t->table.n; i++)
		tally_finish_moment(t, i, edge);
	t->samples++;
}

static struct judge tally_make_judge(const struct tally *t)
{
	struct judge j = {
		t->table, t->limit, (double)(t->until - t->from) / 1e6, 0, t->hooked,
		(double)t->up_us / 1e6,
	};
	for (size_t i = 0; i < t->devices.n; i++)
		j.cpus += strcmp(t->table.row[t->devices.device[i].first].type, "cpu") == 0;
	return j;
}

/*
 * Add a device's counters to its figures, unless other devices count the same data. .doubles counts
 * devices that are left out because of their names or values, not because of a header.
 */
static void tally_fold_device(const struct tally *t, const struct device *d,
			      const struct judge *judge,
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

static bool tally_job_rows_lack(const struct job_rows *j, unsigned need, uint32_t samples)
{
	return (j->lacks & need) || (!j->gone && j->sample != samples);
}

/* Mark values of the job itself as lower bounds if its rows do not show all of its work. */
static void tally_fold_job_rows(const struct tally *t, struct value *value)
{
	const struct figure *f = t->table.row;
	for (size_t i = 0; i < t->table.n; i++)
		if (f[i].job_row && value[i].seen)
			value[i].at_least += tally_job_rows_lack(&t->job_rows, f[i].job_row,
								 t->samples);
}

/*
 * Some waits for a CPU were not read if tasks without a reading of their waits used more CPU time
 * than UNREAD_SECONDS plus the fraction UNREAD_PART of the job's CPU time. Less is normal: a helper
 * of "nodometer run" uses some tenths of a millisecond, and files are read one after the other.
 */
#define UNREAD_SECONDS .001
#define UNREAD_PART    .001

/*
 * Mark the waits for a CPU as a lower bound if the waits of some tasks of the job were not read.
 * When a task ends, the kernel forgets how long it waited, but keeps its CPU time.
 */
static void tally_fold_cpu_wait(const struct tally *t, struct value *value)
{
	enum { CPU, WAIT, OF, KEYS };
	static const char *const key[KEYS] = { "cpu", "cpu_wait", "cpu_wait_of" };
	struct value *found[KEYS] = { NULL };
	const struct figure *f = t->table.row;
	size_t first, end;

	if (!figures_of_type(t->table, STR("job"), &first, &end))
		return;
	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < KEYS && value[i].seen; k++)
			if (strcmp(f[i].key, key[k]) == 0)
				found[k] = &value[i];
	if (!found[CPU] || !found[WAIT])
		return;
	double read = found[OF] ? found[OF]->n : 0;
	found[WAIT]->at_least += read < found[CPU]->n * (1 - UNREAD_PART) - UNREAD_SECONDS;
}

/* Mark a sum over devices as a lower bound if some devices lack the key. */
static void tally_fold_lacking(const struct tally *t, struct value *value)
{
	for (size_t i = 0; i < t->table.n; i++) {
		if (t->value[i].lacking > value[i].lacking)
			value[i].lacking = t->value[i].lacking;
		value[i].at_least += figure_is_counter(&t->table.row[i]) && value[i].seen &&
				     t->value[i].lacking > 0;
	}
}

void tally_peek(const struct tally *t, struct value *value)
{
	const struct judge judge = tally_make_judge(t);

	for (size_t i = 0; i < t->devices.n; i++)
		tally_fold_device(t, &t->devices.device[i], &judge, value);
	for (size_t i = 0; i < t->table.n; i++)
		if (!figure_is_counter(&t->table.row[i]))
			value_add(&t->table.row[i], &value[i], &t->value[i]);
	tally_fold_lacking(t, value);
	tally_fold_job_rows(t, value);
	tally_fold_cpu_wait(t, value);
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
	return t->moment[figure].seen && !t->moment[figure].unknown;
}
