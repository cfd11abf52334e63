/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdsummary_keys.h - the keys in XRootD's summary packets and their meaning */
#pragma once

#include "base/str.h"

enum xrd_value_type { XRD_INT, XRD_INT64, XRD_CHAR };

enum xrd_value_kind {
	XRD_KEY_COUNTER,	/* never decreases while the server runs */
	XRD_KEY_GAUGE,		/* rises and falls */
	/* largest value so far; the difference of two readings has no meaning */
	XRD_KEY_MAXIMUM,
	XRD_KEY_TEXT,
	XRD_KEY_KINDS
};

struct xrd_summary_key {
	const char *key; /* key as in struct xrd_values; an element "i" stands for any number */
	enum xrd_value_type type;
	enum xrd_value_kind kind;
	const char *unit;	/* unit as in struct metric; "": a plain count */
	const char *text;
	bool optional;		/* sent only by some versions, roles or configurations */
};

/* All keys by block, from the System Monitoring Reference, 2.2, and from 5.5 servers. */
extern const struct xrd_summary_key xrd_summary_keys[];
extern const size_t xrd_summary_n_keys;

/* Return the name of a type, such as "int64". */
const char *xrd_value_type_name(enum xrd_value_type type);
/* Return the name of a kind, such as "counter". */
const char *xrd_value_kind_name(enum xrd_value_kind kind);
