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
	/* unit in the schema (U=), or ""; it may begin with a number: "512B" */
	const char *unit;
	enum metric_kind kind;
	unsigned bits;		/* width (W=); 64 if not given */
	unsigned scale;	/* number in front of .unit_name, or 1 */
	const char *unit_name;	/* unit without the number: "B" for "512B" */
	/*
	 * slow key ("R=S" in the schema): it is read less often, so that rows tagged "@fast" lack
	 * it; see nodometer-raw(5)
	 */
	bool slow;
};

/*
 * A record type, valid as long as its source. Within a source, the same schema always has the same
 * struct, so pointers can be compared.
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
	 * NULL, or the exact values with fractions and signs; .value then has rounded values, and 0
	 * for negative ones
	 */
	const double *real;
	/* mask of the values that were read; NULL: all of them */
	const uint64_t *present;
	/*
	 * for each counter: time, in microseconds, at which it was 0 or first seen, set by
	 * unfold(); or NULL
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

/* Append a number with all its digits, as in JSON, CSV and raw files. */
void row_put_value(struct buf *b, const struct record_row *row, size_t key);

/*
 * Append the unit of a key or, if `rates` is set, that of the rate of a counter: "KB", "512B/s",
 * "1/s". Appends nothing if there is none.
 */
void record_put_unit(struct buf *b, const struct record_key *key, bool rates);

/* The rows of one type, at least one row. */
struct record_rows {
	const struct record_type *type;
	const struct record_row *row;
	size_t n;
};

/* end of the year 9999: the sum of two times fits into 64 bits */
#define RECORD_USEC_MAX 253402300799999999

/* A record. Its data belong to the source, which may overwrite them with the next record. */
struct record {
	int64_t usec;		/* microseconds since the epoch, up to RECORD_USEC_MAX */
	const struct str *job;	/* jobs on the node; none if it is idle */
	size_t n_jobs;
	struct str host;	/* host name in the record, or empty */
	const struct mark *mark;
	size_t n_marks;
	/* rows by type; a type occurs twice if its rows are not adjacent in the file */
	const struct record_rows *rows;
	size_t n_types;
	size_t n_rows;		/* rows of all types */
	/* first line of the record, counted from 1; in binary files, number of entry or record */
	uint64_t line;
	bool restart;	/* a header precedes the record: the writer or node may have restarted */
	struct below *below;	/* devices on top of others, from the newest header */
};

/* Return the index of the key in the type, or -1. */
int record_key_find(const struct record_type *t, const char *key);

/*
 * Return the number of bits of a counter. For types block and nfsd, it is known even without W= in
 * the header.
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
 * Return the row "-" of type nodometer, which is for the whole agent, and set *type to its type.
 * Returns NULL if it is not the last row of the record.
 */
const struct record_row *record_own_row(const struct record *r, const struct record_type **type);
