/* SPDX-License-Identifier: BSD-3-Clause */
/* collector.h - what a file in this folder ends in: see HOWTO-COLLECTOR in CONTRIBUTING.md */
#pragma once

#include "base/system/privileges.h"
#include "collectors/bpf/programs.h"
#include "collectors/source.h"
#include "schema/type.h"

struct pmu_counter;	/* see collectors/pmu/pmu.h */

/* Counters that a collector holds and other programs may want; each includes the one before. */
enum collector_holds {
	HOLDS_NOTHING,
	HOLDS_COUNTERS,	/* counters from 0 at opening: nothing for a single sample */
	HOLDS_HARDWARE,	/* the same, and a processor has few of them: a job may ask for them */
};

/*
 * A collector is one file that ends in one of these, named <file>_collector, and one word in
 * collectors.am. Its type stands in schema/types/.
 */
struct collector {
	const struct type *type;	/* summary and keys: schema/types/ */

	/*
	 * Adds rows to an empty sample. 0, or -ENOENT: this node has no such thing (s->why says
	 * what was looked for), or another -errno: it could not be read this time.
	 */
	int (*collect)(struct source *s);

	/*
	 * Or NULL: reads again, between two samples, what would be gone at the next one, and keeps
	 * it for that; due: some seconds have passed, else only if something came or went, or
	 * s->shared->ended can be read.
	 */
	void (*reread)(struct source *s, bool due);

	/*
	 * Of an isolated type, or NULL: asked at each look for devices, in the agent's own process,
	 * so it must not touch what can hang. 0: a worker finds out; -ENOENT and s->why as above:
	 * none is needed.
	 */
	int (*present)(struct source *s);

	/*
	 * Of a type that opens counters of perf, or NULL: the i-th that the last sample opened, or
	 * would have opened; false after the last.
	 */
	bool (*planned)(const struct source *s, size_t i, struct pmu_counter *ret);

	const void *data;	/* for collect(), as source.data: it may serve several types */
	enum collector_holds holds;
	uint64_t needs;	/* capabilities that some of its files want, besides those of .holds */
	enum program_name program;	/* reads some keys of the type, where it can be loaded */
	unsigned start_ms;	/* isolated: so long a new worker may take for its first answer */
};

extern const struct collector *const collectors[];	/* as types[] has them */
extern const size_t n_collectors;

const struct collector *collector_find(const char *name);	/* or NULL */

/* Capabilities without which it may lack something: see base/system/privileges.h. */
uint64_t collector_needs(const struct collector *c);
