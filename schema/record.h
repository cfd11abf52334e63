/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - one record as it was read: time, jobs, marks, and rows of all types */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"
#include "schema/below.h"
#include "schema/metric.h"

#define RAW_KEYS_MAX 4096	/* of one type */

/* One key of a schema line. */
struct raw_key {
	const char *name;
	const char *unit;	/* what follows U=, "" if nothing; "512B" and "4B" scale: .scale */
	enum metric_kind kind;
	unsigned bits;		/* W=, 64 if none */
	unsigned scale;		/* in front of the unit, else 1: value x scale is in .unit_name */
	const char *unit_name;	/* the unit behind the number: "B" of "512B" */
	bool slow;		/* R=S: absent from rows tagged @fast */
};

/* One schema line. Valid until raw_reader_free(); the same line again gives the same pointer. */
struct raw_type {
	const char *name;
	const struct raw_key *key;
	size_t n_keys;
};

/* One line of statistics. */
struct raw_row {
	const struct raw_type *type;
	struct str device;
	const uint64_t *value;	/* n_keys of them, in the schema's order */
	const double *real;	/* NULL, or the same values where some have a fraction or a sign;
				   .value then holds the nearest whole number, 0 at least */
	const bool *absent;	/* NULL: all were there; else which were not */
};

/* One record group, whole. Everything in it is valid until the next raw_read_group(). */
struct raw_group {
	int64_t usec;		/* the epoch time in microseconds */
	struct str jobs;	/* "-", or job ids with commas between them */
	struct str host;	/* third word of the line, or empty */
	const struct str *mark;	/* without their "%" */
	size_t n_marks;
	const struct raw_row *row;
	size_t n_rows;
	uint64_t line;		/* where it begins in the file, from 1 */
	bool restart;		/* a header stands before it: writer or node started anew */
	struct below *below;	/* what the newest header says of devices; kept by the reader */
};

/* The key's place in the type, or -1. */
int raw_key_find(const struct raw_type *t, const char *key);
