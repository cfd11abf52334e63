/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - a record from any source: time, jobs, marks, and rows of all types */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"
#include "schema/below.h"
#include "schema/marks.h"
#include "schema/metric.h"

#define RECORD_KEYS_MAX 4096	/* limit of keys of one type */

struct record_key {
	const char *name;
	/* unit in the schema (U=), or ""; may have a number: "512B", "4B" */
	const char *unit;
	enum metric_kind kind;
	unsigned bits;		/* width (W=); 64 if not given */
	unsigned scale;	/* number before the unit, or 1; value * scale has the unit .unit_name */
	const char *unit_name;	/* unit without the number: "B" for "512B" */
	/*
	 * slow key: its schema option is "R=S". The program that wrote the file reads the key less
	 * often, and rows tagged "@fast" lack the key; see nodometer-raw(5).
	 */
	bool slow;
};

/* A type of a source, valid as long as the source. The same schema always has the same pointer. */
struct record_type {
	const char *name;
	const struct record_key *key;
	size_t n_keys;
};

struct record_row {
	struct str device;
	const uint64_t *value;	/* a value for each key of the type, in the same order */
	/*
	 * NULL, or the values with their fractions and signs; .value then has these values rounded
	 * to integers, with 0 for negative values
	 */
	const double *real;
	/* a bit for each value, set if the value was read; NULL: all values were read */
	const uint64_t *present;
	/* times when each counter was 0 or first seen, set by unfold(); else NULL */
	const int64_t *since;
};

static inline bool row_has(const struct record_row *row, size_t key)
{
	return !row->present || (row->present[key / 64] >> key % 64 & 1);
}

/* Tell if a value has a fraction or sign, which .value cannot hold. */
static inline bool row_is_real(const struct record_row *row, size_t key)
{
	return row->real && row->real[key] != (double)row->value[key];
}

static inline double row_double(const struct record_row *row, size_t key)
{
	return row->real ? row->real[key] : (double)row->value[key];
}

/* Append a value with all digits, as a number for JSON, CSV and raw files. */
void row_put_value(struct buf *b, const struct record_row *row, size_t key);

/*
 * Append the unit of a key, or of its rate if it is a counter: "KB", "512B/s", "1/s". Appends
 * nothing if the key has no unit.
 */
void record_put_unit(struct buf *b, const struct record_key *key, bool rates);

/* The rows of one type, at least one row. */
struct record_rows {
	const struct record_type *type;
	const struct record_row *row;
	size_t n;
};

/* end of year 9999; sums of two times fit into 64 bits */
#define RECORD_USEC_MAX 253402300799999999

/* A record. Its data belong to the source and are valid until the source makes the next record. */
struct record {
	int64_t usec;		/* microseconds since the epoch, up to RECORD_USEC_MAX */
	const struct str *job;	/* jobs on the node; none on an idle node */
	size_t n_jobs;
	struct str host;	/* host name in the record, or empty */
	const struct mark *mark;
	size_t n_marks;
	/* rows by type; a type appears twice if its rows are not adjacent in the file */
	const struct record_rows *rows;
	size_t n_types;
	size_t n_rows;		/* rows of all types */
	uint64_t line;		/* first line of the record in the file, counted from 1 */
	bool restart;	/* a header precedes the record: the writer or the node started again */
	struct below *below;	/* devices on top of other devices, from the newest header */
};

/* Return the index of the key in the type, or -1. */
int record_key_find(const struct record_type *t, const char *key);

/*
 * Return the width of a key's counter. For types block and nfsd, the width is known even if the
 * header has no W=.
 */
unsigned record_key_bits(const struct record_type *t, const struct record_key *k);

/* Take the next job off a list such as "7,8". "-" means no job. */
bool record_take_job(struct str *jobs, struct str *job);

bool record_has_job(const struct record *r, struct str job);
bool record_has_mark(const struct record *r, enum mark_kind kind, struct str job);
bool record_begins_job(const struct record *r);
/* Append the jobs, such as "7,8", or "-" if there are none. */
void record_put_jobs(struct buf *b, const struct record *r);

/*
 * Return the row of type nodometer for the whole agent, and set *type to its type. Returns NULL if
 * this row is not the last row of the record.
 */
const struct record_row *record_own_row(const struct record *r, const struct record_type **type);
