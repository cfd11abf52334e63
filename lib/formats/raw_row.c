/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_row.c - parse rows of a raw file, "type device value ..." */
#include "formats/raw_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/digits.h"
#include "base/vec.h"

void raw_rows_free(struct raw_rows *rows)
{
	free(rows->row);
	free(rows->type);
	free(rows->value);
	free(rows->real);
	*rows = (struct raw_rows){ 0 };
}

void raw_rows_clear(struct raw_rows *rows)
{
	rows->n = rows->n_types = rows->n_values = 0;
	rows->kept = NULL;
	rows->last_is_whole = false;
}

void raw_rows_move(struct raw_rows *rows, const char *from, const char *to)
{
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i].device.p = to + ((uintptr_t)rows->row[i].device.p - (uintptr_t)from);
}

void raw_rows_finish(struct raw_rows *rows)
{
	struct record_row *row = rows->row;
	const uint64_t *value = rows->value;
	for (size_t i = 0; i < rows->n_types; i++) {
		struct record_rows *t = &rows->type[i];
		size_t end = i + 1 < rows->n_types ? t[1].n : rows->n;
		size_t n_keys = t->type->n_keys;
		t->n = end - t->n;
		t->row = row;
		for (const struct record_row *last = row + t->n; row < last; row++) {
			row->value = value;
			if (row->real)
				row->real = rows->real + (value - rows->value);
			value += n_keys;
		}
	}
}

static void raw_rows_reserve(struct raw_rows *rows, size_t n_values)
{
	rows->row = vec_reserve(rows->row, &rows->cap, rows->n + 1, sizeof(*rows->row));
	rows->value = vec_reserve(rows->value, &rows->cap_values, rows->n_values + n_values,
				  sizeof(*rows->value));
}

static double *reserve_real(struct raw_rows *rows)
{
	rows->real = vec_reserve(rows->real, &rows->cap_real, rows->cap_values,
				 sizeof(*rows->real));
	return rows->real + rows->n_values;
}

static inline bool raw_row_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/*
 * Parse a number of 1 to 19 digits. Returns its end, or NULL for any other text, which the caller
 * then parses with raw_row_take_value(). Reads up to 8 bytes beyond the number.
 */
static inline const char *raw_row_take_number(const char *p, uint64_t *value)
{
	static const uint64_t power[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	uint64_t x = digits_load(p), v;
	unsigned n = digits_count(x);
	if (n == 1) {		/* fast path: most values are 0 */
		*value = x & 15;
		return p + 1;
	}
	if (n < 8) {
		*value = digits_join_some(x, n | (n == 0));
		return n ? p + n : NULL;
	}
	v = digits_join(x);
	x = digits_load(p + 8);
	n = digits_count(x);
	if (n < 8) {
		*value = n ? v * power[n] + digits_join_some(x, n) : v;
		return p + 8 + n;
	}
	v = v * 100000000 + digits_join(x);
	x = digits_load(p + 16);
	n = digits_count(x);
	if (n > 3)
		return NULL;
	*value = n ? v * power[n] + digits_join_some(x, n) : v;
	return p + 16 + n;
}

/*
 * Parse the fast form of a row: n numbers, each after one blank, and a newline. Returns the next
 * line, or NULL if the row has another form. As part of raw_rows_add(), the loop would lack
 * registers.
 */
NOINLINE static const char *raw_row_take_numbers(const char *p, uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (*p != ' ')
			return NULL;
		p = raw_row_take_number(p + 1, &value[i]);
		if (!p)
			return NULL;
	}
	while (raw_row_is_blank(*p))
		p++;
	return *p == '\n' ? p + 1 : NULL;
}

static inline bool names_type(const struct schema_type *t, const char *p, const char *end)
{
	return t && (size_t)(end - p) > t->name_n && memcmp(p, t->name, t->name_n) == 0 &&
	       raw_row_is_blank(p[t->name_n]);
}

static struct str raw_row_word_at(const char *p)
{
	size_t n = 0;
	while (!raw_row_is_blank(p[n]) && p[n] != '\n')
		n++;
	return (struct str){ p, n };
}

/*
 * Find the type of a row. Before the search, try two types: that of the previous row, and the type
 * that followed this type last time.
 */
static struct schema_type *raw_row_find_type(struct raw_rows *rows, const struct raw_schema *s,
					     const char *p, const char *end)
{
	struct schema_type *last = rows->last;
	if (names_type(last, p, end))
		return last;
	if (last && last->next_row && last->next_row->in_force &&
	    names_type(last->next_row, p, end))
		return rows->last = last->next_row;

	struct schema_type *t = raw_schema_find(s, raw_row_word_at(p));
	if (t && last)
		last->next_row = t;
	if (t)
		rows->last = t;
	return t;
}

/* Copy at most 40 characters of text for a message; "?" replaces unprintable characters. */
static struct str raw_row_printable(struct str text, char to[41])
{
	size_t n = text.n < 40 ? text.n : 40;
	for (size_t i = 0; i < n; i++)
		to[i] = text.p[i] > ' ' && text.p[i] < 0x7f ? text.p[i] : '?';
	return (struct str){ to, n };
}

static bool bad_value(struct raw_rows *rows, const struct record_type *t, size_t key,
		      struct str word, const char *what)
{
	char name[41], text[41];
	struct str key_name = raw_row_printable(str_of(t->key[key].name),
						name), value = raw_row_printable(word, text);
	snprintf(rows->why, sizeof(rows->why), "key " STR_FMT ": \"" STR_FMT "\" %s",
		 STR_ARG(key_name), STR_ARG(value), what);
	return false;
}

static size_t raw_row_skip_digits(struct str *s)
{
	size_t n = 0;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	*s = str_skip(*s, n);
	return n;
}

static void skip_sign(struct str *s)
{
	if (str_peek(*s) == '-' || str_peek(*s) == '+')
		*s = str_skip(*s, 1);
}

/* Return true if s is a decimal number such as -12, 3.5 or 1e+09. strtod(3) would accept more. */
static bool is_decimal(struct str s)
{
	skip_sign(&s);
	size_t digits = raw_row_skip_digits(&s);
	if (str_take_prefix(&s, STR(".")))
		digits += raw_row_skip_digits(&s);
	if (!digits)
		return false;
	if (str_take_prefix(&s, STR("e")) || str_take_prefix(&s, STR("E"))) {
		skip_sign(&s);
		if (!raw_row_skip_digits(&s))
			return false;
	}
	return s.n == 0;
}

/* Round to the nearest unsigned integer; negative values become 0. */
static uint64_t raw_row_round(double v)
{
	if (v <= 0)
		return 0;
	return v >= 0x1p64 ? UINT64_MAX : (uint64_t)(v + 0.5);
}

/* Parse a value of any form. The caller has checked that a blank or newline follows. */
static bool raw_row_take_value(struct raw_rows *rows, const struct record_type *t, size_t key,
			       struct str word)
{
	struct record_row *row = &rows->row[rows->n];
	uint64_t *value = rows->value + rows->n_values + key;
	struct str rest = word;
	if (str_take_u64(&rest, value) && rest.n == 0) {
		if (row->real)
			reserve_real(rows)[key] = (double)*value;
		return true;
	}
	rest = word;
	if (raw_row_skip_digits(&rest) == word.n)
		return bad_value(rows, t, key, word, "does not fit into 64 bits");
	if (!is_decimal(word))
		return bad_value(rows, t, key, word, "is not a number");
	double v = strtod(word.p, NULL), *real = reserve_real(rows);
	if (!isfinite(v))
		return bad_value(rows, t, key, word, "is out of range");
	if (!row->real)
		for (size_t i = 0; i < key; i++)
			real[i] = (double)rows->value[rows->n_values + i];
	row->real = real;
	real[key] = v;
	*value = raw_row_round(v);
	return true;
}

static bool bad_row(struct raw_rows *rows, const char *what, struct str word)
{
	char text[41];
	struct str name = raw_row_printable(word, text);
	snprintf(rows->why, sizeof(rows->why), "%s \"" STR_FMT "\"", what, STR_ARG(name));
	return false;
}

/*
 * Parse the tag after the device, if there is one: "@fast" if the row lacks the slow keys (see
 * struct record_key), "@full" if the row has them.
 */
static bool raw_row_take_tag(struct raw_rows *rows, const struct schema_type *t, struct str *line)
{
	struct str rest = *line, tag;
	if (!str_take_word(&rest, &tag) || *tag.p != '@')
		return true;
	if (str_eq(tag, STR("@fast")))
		rows->row[rows->n].present = t->fast_present;
	else if (!str_eq(tag, STR("@full")))
		return bad_row(rows, "unknown tag", tag);
	*line = rest;
	return true;
}

static bool raw_row_take_values(struct raw_rows *rows, const struct record_type *t, struct str line)
{
	const struct record_row *row = &rows->row[rows->n];
	struct str word;
	size_t wanted = 0, got = 0;
	for (size_t key = 0; key < t->n_keys; key++) {
		if (!row_has(row, key)) {
			raw_row_take_value(rows, t, key, STR("0"));
			continue;
		}
		wanted++;
		if (!str_take_word(&line, &word))
			continue;
		got++;
		if (!raw_row_take_value(rows, t, key, word))
			return false;
	}
	while (str_take_word(&line, &word))
		got++;
	if (got == wanted)
		return true;

	char text[41];
	struct str name = raw_row_printable(str_of(t->name), text);
	snprintf(rows->why, sizeof(rows->why), "type " STR_FMT " has %zu keys, this row %zu values",
		 STR_ARG(name), wanted, got);
	return false;
}

/* Parse a row of any form. Returns false and sets rows->why if the row is malformed. */
static bool raw_rows_parse_any(struct raw_rows *rows, const struct schema_type *t, struct str line)
{
	struct str type, device;
	if (!str_take_word(&line, &type))
		return bad_row(rows, "not a row", line);
	if (!t)
		return bad_row(rows, "no schema line for type", type);
	if (!str_take_word(&line, &device))
		return bad_row(rows, "a row without device and values, type", type);
	if (str_has(device, '\0'))	/* after a crash, a block of the file may consist of NULs */
		return bad_row(rows, "a device with a NUL, type", type);
	rows->row[rows->n] = (struct record_row){ .device = device };
	if (t->kind_of) {
		rows->row[rows->n].present = t->kind_present;
		return raw_row_take_values(rows, &t->kind_of->type, line);
	}
	return raw_row_take_tag(rows, t, &line) && raw_row_take_values(rows, &t->type, line);
}

static void raw_rows_begin_type(struct raw_rows *rows, const struct schema_type *t)
{
	rows->type = vec_reserve(rows->type, &rows->cap_types, rows->n_types + 1,
				 sizeof(*rows->type));
	rows->type[rows->n_types++] = (struct record_rows){ .type = &t->type, .n = rows->n };
	rows->kept = t;
}

static inline void raw_rows_keep_row(struct raw_rows *rows, const struct schema_type *t)
{
	if (rows->kept != t)
		raw_rows_begin_type(rows, t);
	rows->n++;
	rows->n_values += t->type.n_keys;
	rows->last_is_whole = true;
}

static inline bool raw_rows_is_full(const struct raw_rows *rows, const struct schema_type *t)
{
	return rows->n == RAW_ROWS_MAX ||
	       (t && t->type.n_keys > RAW_VALUES_MAX - rows->n_values);
}

static bool raw_rows_add_any(struct raw_rows *rows, const struct schema_type *t, const char *p,
			     const char *end, const char **next)
{
	const struct schema_type *as = t && t->kind_of ? t->kind_of : t;
	const char *nl = memchr(p, '\n', (size_t)(end - p));
	struct str line = str_trim((struct str){ p, (size_t)(nl - p) });
	*next = nl + 1;
	rows->last_is_whole = false;
	if (raw_rows_is_full(rows, as)) {
		snprintf(rows->why, sizeof(rows->why), "too many rows in one group");
		return false;
	}
	raw_rows_reserve(rows, as ? as->type.n_keys : 0);
	if (!raw_rows_parse_any(rows, t, line))
		return false;
	raw_rows_keep_row(rows, as);
	return true;
}

bool raw_rows_add(struct raw_rows *rows, const struct raw_schema *s, const char *p,
		  const char *end, const char **next)
{
	struct schema_type *t = raw_row_find_type(rows, s, p, end);
	if (!t || t->kind_of || !raw_row_is_blank(p[t->name_n]) || raw_rows_is_full(rows, t))
		return raw_rows_add_any(rows, t, p, end, next);

	raw_rows_reserve(rows, t->type.n_keys);
	const char *device = p + t->name_n + 1, *at = device;
	while (!raw_row_is_blank(*at) && *at != '\n' && *at)
		at++;
	const char *rest = raw_row_take_numbers(at, rows->value + rows->n_values, t->type.n_keys);
	if (!rest || at == device)
		return raw_rows_add_any(rows, t, p, end, next);

	rows->row[rows->n] = (struct record_row){ .device = { device, (size_t)(at - device) } };
	raw_rows_keep_row(rows, t);
	*next = rest;
	return true;
}
