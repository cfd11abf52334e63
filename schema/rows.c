/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c - the values of one type in one sample: one row for each device */
#include "schema/rows.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/* limit of .below, the header lines about devices on top of others, in bytes */
#define BELOW_MAX (256u << 10)

void rows_init(struct rows *r, const struct metric *m, size_t n)
{
	*r = (struct rows){ .metrics = m, .n_metrics = n };
}

void rows_free(struct rows *r)
{
	free(r->present);
	buf_free(&r->names);
	buf_free(&r->below);
	*r = (struct rows){ 0 };
}

void rows_grow(struct rows *r, size_t rows)
{
	size_t words = rows_words(r), cap = vec_cap(r->cap ? r->cap : 2, rows, sizeof(*r->name));
	struct rows old = *r;
	r->present = xrealloc(NULL, cap * ((words + r->n_metrics) * sizeof(*r->value) +
					   sizeof(*r->name)));
	r->name = (void *)(r->present + cap * words);
	r->value = (void *)(r->name + cap);
	r->cap = cap;
	if (!old.cap)
		return;
	memcpy(r->present, old.present, old.cap * words * sizeof(*r->present));
	memcpy(r->name, old.name, old.cap * sizeof(*r->name));
	memcpy(r->value, old.value, old.cap * r->n_metrics * sizeof(*r->value));
	free(old.present);
}

/*
 * Return true if the row had this device name in the last sample. The name is then still in .names.
 */
static bool rows_has_same_name(const struct rows *r, size_t row, struct str device)
{
	if (row >= r->known)
		return false;
	const struct row_name *name = &r->name[row];
	return name->plain && name->n == device.n &&
	       str_same(r->names.p + name->at, device.p, device.n);
}

static void rows_put_name(struct rows *r, struct str device, bool escaped)
{
	if (r->n == ROWS_OF_TYPE_MAX)
		rows_drop(r);	/* too many devices: overwrite the last row */
	rows_reserve(r, r->n + 1);
	size_t row = r->n, at = r->names.n;
	buf_add_word(&r->names, device, escaped);
	size_t n = r->names.n - at;
	r->name[row] = (struct row_name){
		.at = (uint32_t)at, .n = (uint32_t)n & INT32_MAX / 2,
		.plain = !memchr(r->names.p + at, '\\', n),
	};
	r->known = row;		/* the stored names of all further rows are overwritten */
}

static inline struct row rows_begin_row(struct rows *r)
{
	size_t words = rows_words(r), row = r->n++;
	r->name[row].reopened = 0;
	uint64_t *present = r->present + row * words;
	if (words > 0)		/* 0 words: the type has no keys on this node */
		present[0] = 0;
	for (size_t w = 1; w < words; w++)
		present[w] = 0;
	return (struct row){ r->value + row * r->n_metrics, present };
}

COLD static struct row rows_add_named(struct rows *r, struct str device, bool escaped)
{
	rows_put_name(r, device, escaped);
	return rows_begin_row(r);
}

static inline struct row rows_add_row(struct rows *r, struct str device, bool escaped)
{
	if (!rows_has_same_name(r, r->n, device))
		return rows_add_named(r, device, escaped);
	r->names.n += device.n;
	return rows_begin_row(r);
}

struct row rows_add(struct rows *r, struct str device)
{
	return rows_add_row(r, device, false);
}

struct row rows_add_escaped(struct rows *r, struct str device)
{
	return rows_add_row(r, device, true);
}

void rows_drop(struct rows *r)
{
	r->n--;
	r->names.n = r->name[r->n].at;
}

void rows_reopened(struct rows *r)
{
	r->name[r->n - 1].reopened = 1;
	r->reopened = true;
}

void rows_below(struct rows *r)
{
	r->below.n = r->below_line = 0;
	r->below_known = r->below_new = true;
}

void rows_below_unknown(struct rows *r)
{
	r->below.n = r->below_line = 0;
	r->below_known = false;
}

static bool rows_line_is_of(struct str line, struct str device)
{
	struct str word;
	return str_take_word(&line, &word) && str_eq(word, device);
}

static void rows_add_lower(struct rows *r, struct str device, struct str lower, bool escaped)
{
	if (r->below.n && rows_line_is_of(str_skip(buf_str(&r->below), r->below_line), device)) {
		r->below.n--;
	} else {
		r->below_line = r->below.n;
		buf_add(&r->below, device);
	}
	buf_add_char(&r->below, ' ');
	buf_add_word(&r->below, lower, escaped);
	buf_add_char(&r->below, '\n');
}

void rows_stands_on(struct rows *r, struct str device, struct str lower, bool escaped)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	if (!r->below_known)
		return;
	buf_add_word(&name, device, escaped);
	rows_add_lower(r, buf_str(&name), lower, escaped);
	if (r->below.n > BELOW_MAX)
		rows_below_unknown(r);
}

bool rows_has_below(const struct rows *r, struct str device)
{
	struct str text = buf_str(&r->below), line;
	while (str_take_line(&text, &line))
		if (rows_line_is_of(line, device))
			return true;
	return false;
}
