/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h - a column of a record */
#pragma once

#include "base/base.h"

enum metric_kind {
	COUNTER,	/* only grows; wraps at its width, .bits; schema option E */
	GAUGE,		/* rises and falls; no schema option */
	CONTROL,	/* value of a control register; schema option C */
};

/*
 * A key: one column of a record. The schema lines, the parsers of names and the manual are all
 * generated from the tables of keys, so nothing repeats the tables.
 */
struct metric {
	const char *name;	/* name in the record, and in the source if .key is not set */
	enum metric_kind kind;
	const char *unit;	/* unit in the schema (U=); "" for a plain count */
	const char *help;
	const char *key;	/* name in the source, if it differs from .name */
	unsigned char bits;	/* width of a hardware counter, as in the schema (W=); 0 means 64 */
};

/* Return the name of a kind, such as "counter". */
const char *metric_kind_name(enum metric_kind kind);
/*
 * Split a unit such as "512B": returns "B", and sets *scale to the number, or to 1 if there is
 * none.
 */
const char *metric_unit_split(const char *unit, unsigned *scale);
/* Return the unit in words, such as "words of 4 bytes"; NULL if it is "" or unknown. */
const char *metric_unit_name(const char *unit);
