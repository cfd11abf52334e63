/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h - what one column of a record is */
#pragma once

#include "base/base.h"

enum metric_kind {
	COUNTER,	/* only grows; wraps at .bits: option E */
	GAUGE,		/* goes up and down: no option */
	CONTROL,	/* the value of a control register: option C */
};

/*
 * A key: one column of a record. The schema line, the parser's list of names and the manual are
 * made from the table of them; nothing restates it.
 */
struct metric {
	const char *name;	/* in the record; in the source too, unless .key says otherwise */
	enum metric_kind kind;
	const char *unit;	/* as the schema's U=, "" is a plain count */
	const char *help;
	const char *key;	/* the source's name of it, if not .name */
	unsigned char bits;	/* width of a hardware counter, as the schema's W=; 0 is 64 */
};

const char *metric_kind_name(enum metric_kind kind);	/* "counter" */
/* The unit after the number of "512B", the number in *scale; a plain unit is 1 and itself. */
const char *metric_unit_split(const char *unit, unsigned *scale);
const char *metric_unit_name(const char *unit);	/* "words of 4 bytes"; NULL: "", or unknown */
