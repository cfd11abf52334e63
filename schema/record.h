/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - a record from any source: its time, jobs, marks, and rows of all types */
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
	/* unit in the schema (U=), or ""; a unit may begin with a number: "512B" */
	const char *unit;
	enum metric_kind kind;
	unsigned bits;		/* width in bits (W=); 64 if not given */
	unsigned scale;	/* number at the start of .unit, or 1 */
	const char *unit_name;	/* .unit without the number: "B" for "512B" */
	/*
	 * slow key ("R=S" in the schema): the agent reads it less often, and rows tagged "@fast"
	 * lack it; see nodometer-raw(5)
	 */
	bool slow;
};

/*
 * A type as declared in a source: its name and its schema. Valid as long as the source. Within a
 * source, equal schemas of a type have the same struct, so pointers can be compared.
 */
struct record_type {
	const char *name;
	const struct record_key *key;
	size_t n_keys;
};

struct record_row {
	struct str device;
	const uint64_t *value;	/* a value for each key of the type, in the same order */
	/*
	 * exact values, if some have fractions or signs; .value then has the rounded values, and 0
	 * for negative values. NULL: .value is exact
	 */
	const double *real;
	/* mask of the values that were read; NULL: all values */
	const uint64_t *present;
	/*
	 * for each counter: time, in microseconds since the epoch, at which it was last 0 or was
	 * first seen; set by unfold(), else NULL
	 */
	const int64_t *since;
};

static inline bool row_has(const struct record_row *row, size_t key)
{
	return !row->present || (row->present[key / 64] >> key % 64 & 1);
}

/* Return true if a value has a fraction or sign, which .value cannot hold. */
static inline bool row_is_real(const struct record_row *row, size_t key)
{
	return row->real && row->real[key] != (double)row->value[key];
}

static inline double row_double(const struct record_row *row, size_t key)
{
	return row->real ? row->real[key] : (double)row->value[key];
}

/* Append the value of a key with all digits, as JSON, CSV and raw files need it. */
void row_put_value(struct buf *b, const struct record_row *row, size_t key);

/*
 * Append the unit of a key, such as "KB". If `rates` is true and the key is a counter, append the
 * unit of its rate: "512B/s", or "1/s" for a plain count. Appends nothing if there is no unit.
 */
void record_put_unit(struct buf *b, const struct record_key *key, bool rates);

/* The rows of one type, at least one row. */
struct record_rows {
	const struct record_type *type;
	const struct record_row *row;
	size_t n;
};

/* end of the year 9999, in microseconds since the epoch; the sum of two times fits into 64 bits */
#define RECORD_USEC_MAX 253402300799999999

/* A record. Its data belong to its source, and are valid until the source reads the next record. */
struct record {
	int64_t usec;		/* microseconds since the epoch, up to RECORD_USEC_MAX */
	const struct str *job;	/* jobs on the node; none if the node is idle */
	size_t n_jobs;
	struct str host;	/* host name in the record, or empty */
	const struct mark *mark;
	size_t n_marks;
	/*
	 * rows, grouped by type; a type occurs more than once if its rows are not adjacent in the
	 * file
	 */
	const struct record_rows *rows;
	size_t n_types;
	size_t n_rows;		/* rows of all types */
	/*
	 * number of the record's first line, from 1; in binary files, number of the entry or record
	 */
	uint64_t line;
	/* a header precedes the record: the writing program or the node may have restarted */
	bool restart;
	struct below *below;	/* devices on top of others, from the newest header */
};

/* Return the index of the key in the type, or -1 if there is none. */
int record_key_find(const struct record_type *t, const char *key);

/*
 * Return the width of a counter in bits. For types block and nfsd, the width is known even if the
 * header lacks W=.
 */
unsigned record_key_bits(const struct record_type *t, const struct record_key *k);

/* Take the next job off a list such as "7,8", but skip "-" (no job). Returns false at the end. */
bool record_take_job(struct str *jobs, struct str *job);

bool record_has_job(const struct record *r, struct str job);
bool record_has_mark(const struct record *r, enum mark_kind kind, struct str job);
bool record_begins_job(const struct record *r);
/* Append the jobs, such as "7,8", or "-" if there are none. */
void record_put_jobs(struct buf *b, const struct record *r);

/*
 * Return the row of type nodometer with device "-", which describes the whole agent, and set *type
 * to this type. Returns NULL if the last row of the record is another row.
 */
const struct record_row *record_own_row(const struct record *r, const struct record_type **type);
