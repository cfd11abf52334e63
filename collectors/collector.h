/* SPDX-License-Identifier: BSD-3-Clause */
/* collector.h - what a file in this folder ends in: see HOWTO-COLLECTOR in CONTRIBUTING.md */
#pragma once

#include "schema/metric.h"
#include "schema/sample.h"

/*
 * A collector is one file that ends in one of these, named <file>_collector,
 * and one line in collectors.am.
 */
struct collector {
	const char *name;	/* the record's type */
	const char *summary;	/* a few words, lower case */
	const char *source;	/* where the values come from, for the manual */
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

	const void *data;	/* what a file of several types tells them apart by: sample.data */
	bool off;	/* collected only where the configuration asks for it */
	bool isolate;	/* its source can hang: collected by a worker process with a deadline */
	unsigned start_ms;	/* isolated: so long a new worker may take for its first answer */
};

#define METRICS(table) .metrics = (table), .n_metrics = ARRAY_SIZE(table)

extern const struct collector *const collectors[];	/* in byte order of their names */
extern const size_t n_collectors;

const struct collector *collector_find(const char *name);	/* or NULL */
