/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - one record, whoever made it: time, jobs, marks, rows of all types */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"
#include "schema/below.h"
#include "schema/marks.h"
#include "schema/metric.h"

#define RECORD_KEYS_MAX 4096	/* of one type */

struct record_key {
	const char *name;
	const char *unit;	/* after U=, "" if there is none; "512B" and "4B" scale: .scale */
	enum metric_kind kind;
	unsigned bits;		/* W=, 64 if none */
	unsigned scale;		/* in front of the unit, else 1: value x scale is in .unit_name */
	const char *unit_name;	/* the unit after the number: "B" of "512B" */
	bool slow;		/* R=S: not in rows tagged @fast */
};

/* A type of one source. Valid as long as that; the same schema again is the same pointer. */
struct record_type {
	const char *name;
	const struct record_key *key;
	size_t n_keys;
};

struct record_row {
	struct str device;
	const uint64_t *value;	/* as many as the type has keys, in their order */
	const double *real;	/* NULL, or the same values where some have a fraction or a sign;
				   .value then holds the nearest whole number, 0 at least */
	const uint64_t *present;	/* NULL: all were read; else a bit for each that was */
	const int64_t *since;	/* NULL, or of unfold(): when each counter was 0 or first seen */
};

static inline bool row_has(const struct record_row *row, size_t key)
{
	return !row->present || (row->present[key / 64] >> key % 64 & 1);
}

/* Whether a value has a fraction or a sign, so that .value has not all of it. */
static inline bool row_is_real(const struct record_row *row, size_t key)
{
	return row->real && row->real[key] != (double)row->value[key];
}

static inline double row_double(const struct record_row *row, size_t key)
{
	return row->real ? row->real[key] : (double)row->value[key];
}

/* All of its digits, as a number of JSON, CSV and raw files. */
void row_put_value(struct buf *b, const struct record_row *row, size_t key);

/* "KB", "512B/s", "1/s": of a key's values, or of a counter's rates; nothing: it has no unit. */
void record_put_unit(struct buf *b, const struct record_key *key, bool rates);

/* The rows of one type, at least one. */
struct record_rows {
	const struct record_type *type;
	const struct record_row *row;
	size_t n;
};

#define RECORD_USEC_MAX 253402300799999999	/* the end of year 9999: sums of times fit, too */

/* Everything in it belongs to its source and is valid until that makes the next one. */
struct record {
	int64_t usec;		/* the epoch time in microseconds, up to RECORD_USEC_MAX */
	const struct str *job;	/* jobs that own the node; an idle one has none */
	size_t n_jobs;
	struct str host;	/* the record's own, or empty */
	const struct mark *mark;
	size_t n_marks;
	const struct record_rows *rows;	/* by type; one whose rows are scattered comes again */
	size_t n_types;
	size_t n_rows;		/* of all types */
	uint64_t line;		/* where it begins in the file, from 1 */
	bool restart;		/* a header is before it: the writer or the node started again */
	struct below *below;	/* which devices stand on which, as the newest header has it */
};

/* The key's place in the type, or -1. */
int record_key_find(const struct record_type *t, const char *key);

/* Takes the next of "7,8" off its front; "-" is none. */
bool record_take_job(struct str *jobs, struct str *job);

bool record_has_job(const struct record *r, struct str job);
bool record_begins_job(const struct record *r);
void record_put_jobs(struct buf *b, const struct record *r);	/* "7,8", "-" of none */

/* The last row, and its type, if that is nodometer's own, of the whole agent; else NULL. */
const struct record_row *record_own_row(const struct record *r, const struct record_type **type);
