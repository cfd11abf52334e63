/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h - what is known of a type without reading it: its keys, and the text of its manual */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/keys.h"
#include "schema/metric.h"

/* Where the keys of hardware counters stand among the metrics: the first of each kind. */
struct type_counters {
	signed char ctl, ctr, fixed;	/* TYPE_NO_KEY: there is none of this kind */
	bool named;			/* by the configuration, not by a table */
};
#define TYPE_NO_KEY -1

/*
 * A type is one file of schema/types/ that ends in one of these, named <file>_type, and one word in
 * schema.am. The collector of the same name reads it.
 */
struct type {
	const char *name;	/* in the record */
	const char *about;	/* a few words, lower case */
	const char *source;	/* where the values come from, for the manual; KEY is any key */
	const char *device;	/* kind of its devices, for the manual */
	const struct metric *metrics;
	size_t n_metrics;
	bool off;	/* collected only where the configuration asks for it */
	bool isolate;	/* the source can hang: a worker process reads it, with a deadline */
	const struct type_counters *counters;	/* NULL: it has no hardware counters */

	/*
	 * Or NULL: puts what .source does not say of where this key comes from, for the manual.
	 * Without it, that is the metric's .key.
	 */
	void (*where)(const struct type *t, size_t key, struct buf *to);
};

#define METRICS(table) .metrics = (table), .n_metrics = ARRAY_SIZE(table)

#define TYPE(name) extern const struct type name##_type;
#include "schema/types.inc"
#undef TYPE

extern const struct type *const types[];	/* in byte order of their names */
extern const size_t n_types;

const struct type *type_find(const char *name);	/* or NULL */

/*
 * Whether a list of types, with blanks or commas between them, has this one; an empty list is all
 * but proc.
 */
bool type_is_listed(struct str list, struct str name);
/* A key's check: all of a list can be types. pmc_* are a site's own. */
bool type_list_check(const struct key *k, const char *list, struct buf *why);

/* Adds to an empty buffer where a key comes from; nothing if .source and its name say it. */
void type_put_where(const struct type *t, size_t key, struct buf *to);

/* Members of a JSON object. */
void type_put_json(struct buf *b, const struct type *t);	/* summary, device, source */

/* bits 0 is 64; help NULL: not known, and left out. */
void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help);
