/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - what was read of one type at one moment: values, one row per device */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "schema/metric.h"

#define ROWS_OF_TYPE_MAX 65536	/* more devices of one type than any node has */

/*
 * Owns its memory and keeps it from moment to moment; rows_free() ends it. n x n_metrics values,
 * row by row, with one bit for each value that was really read: missing is not zero. Device names
 * are made safe when they are added.
 */
struct rows {
	const struct metric *metrics;
	size_t n_metrics;

	size_t n, cap;
	uint64_t *value;
	uint64_t *present;	/* rows_words() words per row; names and values lie behind them */
	struct row_name {
		uint32_t at;		/* into .names */
		uint32_t n : 30;
		uint32_t plain : 1;	/* without escapes: the text that was added */
		uint32_t reopened : 1;	/* see rows_reopened() */
	} *name;
	struct buf names;
	size_t known;		/* so many rows still have the name of the last moment, unless n */
	bool reopened;		/* rows_reopened() was said of one, which may be dropped again */

	bool below_known, below_new;	/* looked for; newly, since a reader set this to false */
	struct buf below;	/* lines "DEVICE LOWER...", see rows_below(); kept by the clear */
	size_t below_line;	/* the newest of them */
};

static inline size_t rows_words(const struct rows *r)
{
	return (r->n_metrics + 63) / 64;
}

/* A row while it is filled; valid until the next one is added. */
struct row {
	uint64_t *value;
	uint64_t *present;
};

static inline void row_set(struct row r, size_t key, uint64_t value)
{
	r.value[key] = value;
	r.present[key / 64] |= (uint64_t)1 << key % 64;
}

static inline bool row_is_set(struct row r, size_t key)
{
	return r.present[key / 64] >> key % 64 & 1;
}

static inline void row_add(struct row r, size_t key, uint64_t value)	/* to what is set */
{
	row_set(r, key, row_is_set(r, key) ? r.value[key] + value : value);
}

void rows_init(struct rows *r, const struct metric *m, size_t n);
void rows_free(struct rows *r);

static inline void rows_clear(struct rows *r)	/* keeps the memory */
{
	r->known = r->n > r->known ? r->n : r->known;
	r->n = 0;
	r->reopened = false;
	r->names.n = 0;
}

/*
 * A new row with nothing present in it. Blanks, control characters, backslashes and bytes that are
 * not ASCII become octal escapes (\040) as in /proc/mounts, an empty name becomes "-".
 */
struct row rows_add(struct rows *r, struct str device);
/* The same for a name that has its octal escapes already: its backslashes stay as they are. */
struct row rows_add_escaped(struct rows *r, struct str device);
COLD void rows_grow(struct rows *r, size_t rows);	/* rows_reserve() where there is no room */

static inline void rows_reserve(struct rows *r, size_t rows)	/* memory for that many rows */
{
	if (rows > r->cap)
		rows_grow(r, rows);
}

COLD void rows_drop(struct rows *r);	/* takes the newest row back: it was not read whole */

static inline struct str rows_device(const struct rows *r, size_t row)
{
	return (struct str){ r->names.p + r->name[row].at, r->name[row].n };
}

/*
 * The newest row is of counters that were opened since the last moment, at 0: nothing can be
 * subtracted from its values of before.
 */
void rows_reopened(struct rows *r);

static inline const uint64_t *rows_values(const struct rows *r, size_t row)
{
	return r->value + row * r->n_metrics;
}

static inline const uint64_t *rows_present(const struct rows *r, size_t row)
{
	return r->present + row * rows_words(r);
}

/*
 * Lines for the header about devices that stand on others (schema/below.h). A collector that knows
 * them calls rows_below(), then rows_stands_on() for each line. Names may be those of devices
 * without rows, and are made safe unless they are. More than 256 KB are dropped, and then nothing
 * is known.
 */
void rows_below(struct rows *r);
void rows_below_unknown(struct rows *r);	/* the kernel's files say nothing */
void rows_stands_on(struct rows *r, struct str device, struct str lower, bool escaped);
bool rows_has_below(const struct rows *r, struct str device);	/* a line of this name */
