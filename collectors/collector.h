/* SPDX-License-Identifier: BSD-3-Clause */
/* collector.h - what a file in this folder ends in: see HOWTO-COLLECTOR in CONTRIBUTING.md */
#pragma once

#include "schema/metric.h"
#include "schema/sample.h"

struct pmu_counter;	/* see collectors/pmu/pmu.h */

/* What a collector keeps open that others may want, each more than the one before. */
enum collector_holds {
	HOLDS_NOTHING,
	HOLDS_COUNTERS,	/* that begin at 0 when they are opened: nothing for a single sample */
	HOLDS_HARDWARE,	/* the same, and a processor has few of them: a job may ask for them */
};

/*
 * A collector is one file that ends in one of these, named <file>_collector,
 * and one word in collectors.am.
 */
struct collector {
	const char *name;	/* the record's type */
	const char *summary;	/* a few words, lower case */
	const char *source;	/* where the values come from, for the manual; KEY is any key */
	const char *device;	/* what a device of it is, for the manual */
	const struct metric *metrics;
	size_t n_metrics;

	/*
	 * Adds rows to an empty sample. 0, or -ENOENT: this node has no such thing (s->why says
	 * what was looked for), or another -errno: it could not be read this time.
	 */
	int (*collect)(struct sample *s);

	/*
	 * Of an isolated type, or NULL: asked at each look for devices, in the agent's own process,
	 * so it must not touch what can hang. 0: a worker finds out; -ENOENT and s->why as above:
	 * none is needed.
	 */
	int (*present)(struct sample *s);

	/*
	 * Of a type that opens counters of perf, or NULL: the i-th that the last sample opened, or
	 * would have opened; false behind the last.
	 */
	bool (*planned)(const struct sample *s, size_t i, struct pmu_counter *ret);

	const void *data;	/* what a file of several types tells them apart by: sample.data */
	enum collector_holds holds;
	bool off;	/* collected only where the configuration asks for it */
	bool isolate;	/* its source can hang: collected by a worker process with a deadline */
	unsigned start_ms;	/* isolated: so long a new worker may take for its first answer */

	/*
	 * Or NULL: puts what .source does not say of where this key comes from, for the manual.
	 * Without it, that is the metric's .key.
	 */
	void (*where)(const struct collector *c, size_t key, struct buf *to);
};

#define METRICS(table) .metrics = (table), .n_metrics = ARRAY_SIZE(table)

extern const struct collector *const collectors[];	/* in byte order of their names */
extern const size_t n_collectors;

const struct collector *collector_find(const char *name);	/* or NULL */

/* Adds to an empty buffer where a key comes from; nothing if .source and its name say it. */
void collector_put_where(const struct collector *c, size_t key, struct buf *to);
