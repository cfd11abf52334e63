/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - the values of one type in one sample: one row for each device */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "schema/metric.h"

#define ROWS_OF_TYPE_MAX 65536	/* limit of rows of one type, far more than any node has devices */

/*
 * The rows of one type in a sample: n * n_metrics values, row by row, and a bit for each value that
 * was read, because a missing value is not zero. Device names are stored with escapes. The memory
 * is reused for the next sample; rows_free() releases it.
 */
struct rows {
	const struct metric *metrics;
	size_t n_metrics;

	size_t n, cap;
	uint64_t *value;
	/* masks of the values that were read, rows_words() each */
	uint64_t *present;
	struct row_name {
		uint32_t at;		/* offset in .names */
		uint32_t n : 30;
		/* the stored name has no escapes: it equals the device name that was passed */
		uint32_t plain : 1;
		/* counters of the row were opened since the last sample: see rows_reopened() */
		uint32_t reopened : 1;
	} *name;
	struct buf names;
	/* number of rows, from row 0 on, whose stored names from the last sample are still valid */
	size_t known;
	/* rows_reopened() was called for some row of this sample */
	bool reopened;

	/*
	 * .below_known: .below is valid, even if empty; .below_new: .below was set since a reader
	 * last cleared this flag
	 */
	bool below_known, below_new;
	/* lines "DEVICE LOWER..." for the header; see rows_below(). rows_clear() keeps them */
	struct buf below;
	size_t below_line;	/* offset in .below of its last line */
};

static inline size_t rows_words(const struct rows *r)
{
	return (r->n_metrics + 63) / 64;
}

/* A row that is being filled; valid until the next row is added. */
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

/* Add to the value of a key, or set the value if the key has none yet. */
static inline void row_add(struct row r, size_t key, uint64_t value)
{
	row_set(r, key, row_is_set(r, key) ? r.value[key] + value : value);
}

void rows_init(struct rows *r, const struct metric *m, size_t n);
void rows_free(struct rows *r);

/* Remove all rows, but keep the memory and the stored names. */
static inline void rows_clear(struct rows *r)
{
	r->known = r->n > r->known ? r->n : r->known;
	r->n = 0;
	r->reopened = false;
	r->names.n = 0;
}

/*
 * Add a row without values. In the device name, blanks, control characters, backslashes and bytes
 * beyond ASCII become octal escapes such as \040, as in /proc/mounts. An empty name becomes "-". If
 * there are ROWS_OF_TYPE_MAX rows already, the new row replaces the last one.
 */
struct row rows_add(struct rows *r, struct str device);
/* Add a row whose device name is already escaped. */
struct row rows_add_escaped(struct rows *r, struct str device);
/* Get more memory for rows_reserve(). */
COLD void rows_grow(struct rows *r, size_t rows);

/* Make room for `rows` rows in total. */
static inline void rows_reserve(struct rows *r, size_t rows)
{
	if (rows > r->cap)
		rows_grow(r, rows);
}

/* Drop the newest row, because it could not be read completely. */
COLD void rows_drop(struct rows *r);

static inline struct str rows_device(const struct rows *r, size_t row)
{
	return (struct str){ r->names.p + r->name[row].at, r->name[row].n };
}

/*
 * Note that the counters of the newest row were opened since the last sample. Readers of the record
 * then do not subtract earlier readings: the growth up to this row is unknown.
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
 * Clear .below, the header lines about devices on top of others (schema/below.h), before adding all
 * of them with rows_stands_on().
 */
void rows_below(struct rows *r);
/* Note that the kernel does not show which devices are on top of others. */
void rows_below_unknown(struct rows *r);
/*
 * Note in .below that `device`, which may have no row, is on top of the device `lower`. escaped:
 * the names are already escaped. If .below exceeds 256 KB, it is cleared, as by
 * rows_below_unknown().
 */
void rows_stands_on(struct rows *r, struct str device, struct str lower, bool escaped);
/* Return true if .below has a line for this device. Its name must be escaped. */
bool rows_has_below(const struct rows *r, struct str device);
