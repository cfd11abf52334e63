/* SPDX-License-Identifier: BSD-3-Clause */
/* value_files.c - collect devices that are directories with one file per key */
#include "collectors/value_files.h"

#include <string.h>

static void collect_device(struct source *s, const struct value_files *where, const char *name)
{
	struct str text, number = str_skip(str_of(name), strlen(where->prefix)), rest = number;
	uint64_t v;
	bool found = false;
	if (!where->any_name && (!str_take_u64(&rest, &v) || rest.n))
		return;

	struct row row = rows_add(&s->rows, where->by_number ? number : str_of(name));
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		const struct metric *m = &s->rows.metrics[i];
		if (source_read_in(s, where->dir, name, m->key ? m->key : m->name, &text) < 0 ||
		    !str_take_u64(&text, &v))
			continue;
		row_set(row, i, v);
		found = true;
	}
	if (!found)
		rows_drop(&s->rows);
}

int value_files_add(struct source *s, const struct value_files *where)
{
	int n = source_devices(s, where->dir, where->prefix);
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		collect_device(s, where, source_device_name(s, (size_t)i));
	return s->rows.n ? 0 : source_absent(s, "no /%s/%s%s has a file to read", where->dir,
					     where->prefix, where->any_name ? "NAME" : "N");
}

int value_files_collect(struct source *s)
{
	return value_files_add(s, s->data);
}
