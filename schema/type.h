/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h - static description of a type: its keys, and texts for the manual */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/keys.h"
#include "schema/metric.h"

/* Hardware counters of a type: index of the first key of each kind, or TYPE_NO_KEY. */
struct type_counters {
	signed char ctl, ctr, fixed;	/* control registers, counters, fixed counters */
	/* the events come from the configuration, not from a table of the processor */
	bool named;
};
#define TYPE_NO_KEY -1

/*
 * A type. schema/types/NAME.c defines it as NAME_type, and schema.am lists it. The collector of the
 * same name reads its values.
 */
struct type {
	const char *name;
	const char *about;	/* summary in a few words, lower case */
	/* source of the values, for the manual; KEY stands for the key's name */
	const char *source;
	const char *device;	/* what a device of the type is; for the manual */
	const struct metric *metrics;
	size_t n_metrics;
	bool off;	/* the type is collected only if the configuration enables it */
	bool isolate;	/* the source can hang, so a worker process reads it, with a timeout */
	const struct type_counters *counters;	/* NULL: no hardware counters */

	/*
	 * Append the source of one key for the manual, if .source is not precise enough. If this
	 * function is NULL, .key of struct metric is used.
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
 * Return true if a list of type names, separated by blanks or commas, contains this name. An empty
 * list means all types except proc.
 */
bool type_is_listed(struct str list, struct str name);
/*
 * Check a list of types, the value of a configuration key. Unknown names pmc_* are accepted,
 * because a site can define such types. If a type is unknown, appends a message to `why` and
 * returns false.
 */
bool type_list_check(const struct key *k, const char *list, struct buf *why);

/*
 * Append the source of one key. Appends nothing if the type's .source and the key's name are enough
 * to find the value.
 */
void type_put_where(const struct type *t, size_t key, struct buf *to);

/* Append the summary, device and source of a type as members of a JSON object. */
void type_put_json(struct buf *b, const struct type *t);

/*
 * Append the description of a key as members of a JSON object. bits: 0 means 64. help: NULL if
 * unknown.
 */
void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help);
