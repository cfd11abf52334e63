/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h - static description of a type: its keys, and the text of its manual */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/keys.h"
#include "schema/metric.h"

/* Hardware counters of a type: index of the first key of each kind. */
struct type_counters {
	signed char ctl, ctr, fixed;	/* TYPE_NO_KEY: no key of this kind */
	bool named;	/* the counters come from the configuration, not from a table */
};
#define TYPE_NO_KEY -1

/*
 * A type, defined in schema/types/, named <file>_type and listed in schema.am. The collector of the
 * same name reads it.
 */
struct type {
	const char *name;
	const char *about;	/* summary in a few words, lower case */
	const char *source;	/* source of the values, for the manual; KEY stands for any key */
	const char *device;	/* what a device of the type is; for the manual */
	const struct metric *metrics;
	size_t n_metrics;
	bool off;	/* collected only if the configuration enables it */
	bool isolate;	/* the source can hang, so a worker process reads it, with a timeout */
	const struct type_counters *counters;	/* NULL: no hardware counters */

	/*
	 * Append the source of a key for the manual, if .source is not precise enough. NULL: use
	 * .key of the metric.
	 */
	void (*where)(const struct type *t, size_t key, struct buf *to);
};

#define METRICS(table) .metrics = (table), .n_metrics = ARRAY_SIZE(table)

#define TYPE(name) extern const struct type name##_type;
#include "schema/types.inc"
#undef TYPE

extern const struct type *const types[];	/* All types, sorted by name in byte order. */
extern const size_t n_types;

const struct type *type_find(const char *name);	/* Return the type of this name, or NULL. */

/*
 * Return true if a list of types, separated by blanks or commas, has this type. An empty list means
 * all types except proc.
 */
bool type_is_listed(struct str list, struct str name);
/*
 * Check a configuration key whose value is a list of types. Unknown names pmc_* are accepted,
 * because a site can define these types.
 */
bool type_list_check(const struct key *k, const char *list, struct buf *why);

/* Append the source of a key to an empty buffer; nothing if .source and the name are enough. */
void type_put_where(const struct type *t, size_t key, struct buf *to);

/* Append the summary, device and source of a type as members of a JSON object. */
void type_put_json(struct buf *b, const struct type *t);

/*
 * Append the description of a key as members of a JSON object. bits: 0 means 64. help: NULL if
 * unknown.
 */
void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help);
