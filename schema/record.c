/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - find keys, jobs and rows of a record */
#include "schema/record.h"

#include <string.h>
#include "base/json.h"
#include "schema/type.h"

/* Types with counters that wrap at 32 bits even if the header of the record lacks W=. */
static const struct type *const narrow_types[] = { &block_type, &nfsd_type };

unsigned record_key_bits(const struct record_type *t, const struct record_key *k)
{
	const struct type *type = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(narrow_types) && k->bits >= 64; i++)
		if (strcmp(t->name, narrow_types[i]->name) == 0)
			type = narrow_types[i];
	for (size_t i = 0; type && i < type->n_metrics; i++)
		if (strcmp(type->metrics[i].name, k->name) == 0)
			return type->metrics[i].bits ? type->metrics[i].bits : 64;
	return k->bits;
}

int record_key_find(const struct record_type *t, const char *key)
{
	for (size_t i = 0; i < t->n_keys; i++)
		if (strcmp(t->key[i].name, key) == 0)
			return (int)i;
	return -1;
}

void row_put_value(struct buf *b, const struct record_row *row, size_t key)
{
	if (row_is_real(row, key))
		json_put_double(b, row->real[key]);
	else
		buf_add_u64(b, row->value[key]);
}

void record_put_unit(struct buf *b, const struct record_key *key, bool rates)
{
	bool rate = rates && key->kind == COUNTER;
	buf_add(b, str_of(rate && !key->unit[0] ? "1" : key->unit));
	if (rate)
		buf_add(b, STR("/s"));
}

bool record_take_job(struct str *jobs, struct str *job)
{
	while (jobs->n) {
		if (!str_take_until(jobs, ',', job)) {
			*job = *jobs;
			jobs->n = 0;
		}
		if (job->n && !str_eq(*job, STR("-")))
			return true;
	}
	return false;
}

bool record_has_job(const struct record *r, struct str job)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (str_eq(r->job[i], job))
			return true;
	return false;
}

bool record_has_mark(const struct record *r, enum mark_kind kind, struct str job)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == kind && str_eq(r->mark[i].subject, job))
			return true;
	return false;
}

bool record_begins_job(const struct record *r)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_BEGIN)
			return true;
	return false;
}

void record_put_jobs(struct buf *b, const struct record *r)
{
	if (r->n_jobs == 0)
		buf_add_char(b, '-');
	for (size_t i = 0; i < r->n_jobs; i++) {
		if (i > 0)
			buf_add_char(b, ',');
		buf_add(b, r->job[i]);
	}
}

const struct record_row *record_own_row(const struct record *r, const struct record_type **type)
{
	const struct record_rows *last = r->n_types ? &r->rows[r->n_types - 1] : NULL;

	if (!last || strcmp(last->type->name, "nodometer") != 0 ||
	    !str_eq(last->row[last->n - 1].device, STR("-")))
		return NULL;
	*type = last->type;
	return &last->row[last->n - 1];
}
