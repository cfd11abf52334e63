/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdsummary_keys.h - what each key of XRootD's summary packets means, as a table */
#pragma once

#include "base/str.h"

enum xrd_value_type { XRD_INT, XRD_INT64, XRD_CHAR };

enum xrd_value_kind {
	XRD_KEY_COUNTER,	/* only grows while the server runs */
	XRD_KEY_GAUGE,		/* goes up and down */
	XRD_KEY_MAXIMUM,	/* the largest value so far: a difference of two means nothing */
	XRD_KEY_TEXT,
	XRD_KEY_KINDS
};

struct xrd_summary_key {
	const char *key;	/* as xrd_values gets it; an element "i" stands for any number */
	enum xrd_value_type type;
	enum xrd_value_kind kind;
	const char *unit;	/* as of struct metric: "" is a plain count */
	const char *text;
	bool optional;		/* of some versions, roles or configurations only */
};

/* By block: the System Monitoring Reference, 2.2, and what servers of 5.5 send besides. */
extern const struct xrd_summary_key xrd_summary_keys[];
extern const size_t xrd_summary_n_keys;

const char *xrd_value_type_name(enum xrd_value_type type);	/* "int64" */
const char *xrd_value_kind_name(enum xrd_value_kind kind);	/* "counter" */
