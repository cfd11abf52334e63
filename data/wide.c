/* SPDX-License-Identifier: BSD-3-Clause */
/* wide.c - rows of one type as a table: a line per device and time, a column per key */
#include "data/wide.h"

#include <stdlib.h>
#include "base/csv.h"
#include "base/vec.h"

/* "rx_bytes", or "rx_bytes (B)" */
static void put_name(const struct wide *w, struct buf *b, const struct record_key *key)
{
	struct buf name CLEANUP(buf_free) = { 0 }, unit CLEANUP(buf_free) = { 0 };
	if (w->units)
		record_put_unit(&unit, key, w->rates);
	buf_addf(&name, unit.n ? "%s (" STR_FMT ")" : "%s", key->name, STR_ARG(buf_str(&unit)));
	csv_str(b, buf_str(&name));
}

static void begin(struct wide *w, struct buf *b, const struct record_type *type)
{
	w->begun = true;
	w->n = type->n_keys;
	w->name = xrealloc(NULL, w->n * sizeof(*w->name));
	w->place = xrealloc(NULL, w->n * sizeof(*w->place));
	csv_raw(b, STR("time,host,jobs,device"));
	for (size_t i = 0; i < w->n; i++) {
		w->name[i] = xstrdup(str_of(type->key[i].name));
		put_name(w, b, &type->key[i]);
	}
	csv_end(b);
}

const char *wide_fit(struct wide *w, struct buf *b, const struct record_type *type)
{
	size_t found = 0;
	if (type == w->layout)
		return NULL;
	if (!w->begun)
		begin(w, b, type);
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

void wide_put(const struct wide *w, struct buf *b, struct str head, const struct record_row *row)
{
	buf_add(b, head);
	w->text(b, row->device);
	for (size_t i = 0; i < w->n; i++) {
		size_t k = (size_t)w->place[i];
		if (w->place[i] >= 0 && row_has(row, k))	/* else it is not known: empty */
			row_put_value(b, row, k);
		buf_add_char(b, ',');
	}
	csv_end(b);
}

void wide_free(struct wide *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->name[i]);
	free(w->name);
	free(w->place);
	*w = (struct wide){ 0 };
}
