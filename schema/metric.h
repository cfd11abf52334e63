/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h - keys: names, kinds and units of columns */
#pragma once

#include "base/base.h"

enum metric_kind {
	COUNTER,	/* only grows; wraps at its width, .bits; schema option E */
	GAUGE,		/* rises and falls; no schema option */
	CONTROL,	/* value of a control register; schema option C */
};

/*
 * A key: one column of values in the rows of a type. Schema lines, parsers and the manual are
 * generated from tables of keys.
 */
struct metric {
	/* name in records; also the name in the kernel's file or other source, if .key is NULL */
	const char *name;
	enum metric_kind kind;
	const char *unit;	/* unit in the schema (U=); "" for a plain count */
	const char *help;
	const char *key;	/* name in the source, if it differs from .name */
	unsigned char bits;	/* width of a counter in bits, as in the schema (W=); 0 means 64 */
};

/* Return the name of a kind, such as "counter". */
const char *metric_kind_name(enum metric_kind kind);
/*
 * Return the unit without the number at its start: "B" for "512B". Sets *scale to the number, or to
 * 1.
 */
const char *metric_unit_split(const char *unit, unsigned *scale);
/*
 * Return the name of a unit: "words of 4 bytes" for "4B". Returns NULL if the unit is "" or
 * unknown.
 */
const char *metric_unit_name(const char *unit);
