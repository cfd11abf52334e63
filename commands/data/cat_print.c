/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_print.c - print records as JSON lines, as CSV, or as a table of one type */
#include "data/cat_print.h"

#include <stdlib.h>
#include "base/buf.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/log.h"
#include "base/vec.h"
#include "schema/record.h"

/* Append the name of a column, such as "rx_bytes" or, with units, "rx_bytes (B)". */
static void print_put_name(const struct wide *w, struct buf *b, const struct record_key *key)
{
	struct buf name CLEANUP(buf_free) = { 0 }, unit CLEANUP(buf_free) = { 0 };
	if (w->units)
		record_put_unit(&unit, key, w->rates);
	buf_addf(&name, unit.n ? "%s (" STR_FMT ")" : "%s", key->name, STR_ARG(buf_str(&unit)));
	csv_str(b, buf_str(&name));
}

static void wide_begin(struct wide *w, struct buf *b, const struct record_type *type)
{
	w->begun = true;
	w->n = type->n_keys;
	w->name = xrealloc(NULL, w->n * sizeof(*w->name));
	w->place = xrealloc(NULL, w->n * sizeof(*w->place));
	csv_raw(b, STR("time,host,jobs,device"));
	for (size_t i = 0; i < w->n; i++) {
		w->name[i] = xstrdup(str_of(type->key[i].name));
		print_put_name(w, b, &type->key[i]);
	}
	csv_end(b);
}

/*
 * Adapt the table to the schema of a row; at the first row, print the titles. Returns a key that
 * has no column, or NULL.
 */
static const char *wide_fit(struct wide *w, struct buf *b, const struct record_type *type)
{
	size_t found = 0;
	if (type == w->layout)
		return NULL;
	if (!w->begun)
		wide_begin(w, b, type);
	w->layout = type;
	for (size_t i = 0; i < w->n; i++) {
		w->place[i] = record_key_find(type, w->name[i]);
		found += w->place[i] >= 0;
	}
	for (size_t k = 0; found < type->n_keys && k < type->n_keys; k++) {
		size_t i = 0;
		while (i < w->n && strcmp(w->name[i], type->key[k].name) != 0)
			i++;
		if (i == w->n)
			return type->key[k].name;
	}
	return NULL;
}

/*
 * Append a line: `head`, which ends with a comma, the device, and its values. A field is empty if
 * its value is unknown.
 */
static void wide_put(const struct wide *w, struct buf *b, struct str head,
		     const struct record_row *row)
{
	buf_add(b, head);
	w->text(b, row->device);
	for (size_t i = 0; i < w->n; i++) {
		size_t k = (size_t)w->place[i];
		if (w->place[i] >= 0 && row_has(row, k))
			row_put_value(b, row, k);
		buf_add_char(b, ',');
	}
	csv_end(b);
}

static void wide_free(struct wide *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->name[i]);
	free(w->name);
	free(w->place);
	*w = (struct wide){ 0 };
}

static void json_head(struct buf *b, const struct record *g, struct str host)
{
	json_open(b, NULL, '{');
	json_raw(b, "time", STR(""));
	buf_add_time(b, g->usec);
	json_str(b, "host", host);
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < g->n_jobs; i++)
		json_str(b, NULL, g->job[i]);
	json_close(b, ']');
}

static void json_units(const struct print *p, struct buf *b, const struct record_type *type,
		       const struct record_row *row)
{
	json_open(b, "units", '{');
	for (size_t key = 0; key < type->n_keys; key++) {
		struct buf unit CLEANUP(buf_free) = { 0 };
		record_put_unit(&unit, &type->key[key], p->rates);
		if (unit.n && row_has(row, key))
			json_str(b, type->key[key].name, buf_str(&unit));
	}
	json_close(b, '}');
}

static void json_row(struct print *p, const struct record_type *type, const struct record_row *row)
{
	struct buf *b = &p->out;
	buf_add(b, buf_str(&p->head));
	json_str(b, "type", str_of(type->name));
	json_str(b, "device", row->device);
	json_open(b, "values", '{');
	for (size_t key = 0; key < type->n_keys; key++) {
		const char *name = type->key[key].name;
		if (!row_has(row, key))
			continue;
		if (row_is_real(row, key))
			json_double(b, name, row->real[key]);
		else
			json_u64(b, name, row->value[key]);
	}
	json_close(b, '}');
	if (p->units)
		json_units(p, b, type, row);
	buf_add(b, STR("}\n"));
}

static void csv_head(const struct print *p, struct buf *b, const struct record *g, struct str host)
{
	buf_add_time(b, g->usec);
	csv_raw(b, STR(""));
	p->text(b, host);
	struct buf jobs CLEANUP(buf_free) = { 0 };
	record_put_jobs(&jobs, g);
	p->text(b, buf_str(&jobs));
}

static void csv_rows(struct print *p, const struct record_type *type, const struct record_row *row)
{
	struct buf *b = &p->out;
	for (size_t key = 0; key < type->n_keys; key++) {
		if (!row_has(row, key))
			continue;
		buf_add(b, buf_str(&p->head));
		csv_str(b, str_of(type->name));
		p->text(b, row->device);
		csv_str(b, str_of(type->key[key].name));
		row_put_value(b, row, key);
		if (p->units) {
			buf_add_char(b, ',');
			record_put_unit(b, &type->key[key], p->rates);
		}
		buf_add_char(b, '\n');
	}
}

static void wide_row(struct print *p, const char *file, const struct record_type *type,
		     const struct record_row *row)
{
	const char *lost = wide_fit(&p->table, &p->out, type);
	if (lost)
		log_warning("%s: key %s of type %s has no column: the first schema lacks it",
			    file, lost, type->name);
	wide_put(&p->table, &p->out, buf_str(&p->head), row);
}

void print_begin(struct print *p)
{
	p->table.units = p->units;
	p->table.rates = p->rates;
	p->table.text = p->text;
	if (p->form == PRINT_CSV)
		buf_addf(&p->out, "time,host,jobs,type,device,key,value%s\n",
			 p->units ? ",unit" : "");
}

void print_head(struct print *p, const struct record *g, struct str host)
{
	p->head.n = 0;
	if (p->form == PRINT_JSON)
		json_head(&p->head, g, host);
	else
		csv_head(p, &p->head, g, host);
}

void print_mark(struct print *p, struct str mark)
{
	if (p->form != PRINT_JSON)
		return;
	buf_add(&p->out, buf_str(&p->head));
	json_str(&p->out, "mark", mark);
	buf_add(&p->out, STR("}\n"));
}

void print_row(struct print *p, const char *file, const struct record_type *type,
	       const struct record_row *row)
{
	switch (p->form) {
	case PRINT_JSON: json_row(p, type, row); break;
	case PRINT_CSV:  csv_rows(p, type, row); break;
	case PRINT_WIDE: wide_row(p, file, type, row); break;
	}
}

void print_free(struct print *p)
{
	wide_free(&p->table);
	buf_free(&p->head);
	buf_free(&p->out);
}
