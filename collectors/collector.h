/* SPDX-License-Identifier: BSD-3-Clause */
/* collector.h - the interface of a collector; see doc/howto-collector.md */
#pragma once

#include "base/system/privileges.h"
#include "collectors/bpf/programs.h"
#include "collectors/source.h"
#include "schema/type.h"

struct pmu_counter;	/* see collectors/pmu/pmu.h */

/*
 * Kinds of counters that a collector opens, and that other programs may need. A collector of one
 * kind may also open counters of the kinds listed before it.
 */
enum collector_holds {
	HOLDS_NOTHING,
	/* counters that start at 0 when opened, so a single sample shows nothing */
	HOLDS_COUNTERS,
	HOLDS_HARDWARE,	/* scarce counters of a processor, which a job may reserve */
};

/*
 * A collector. The collector of type NAME is the variable NAME_collector; collectors.am lists its
 * file. The keys are in schema/types/.
 */
struct collector {
	const struct type *type;	/* the type's name, summary and keys */

	/*
	 * Add the rows of a sample. Returns 0; -ENOENT if this node lacks the source (reason in
	 * s->why); or another -errno if reading failed this time.
	 */
	int (*collect)(struct source *s);

	/*
	 * Optional: between two samples, read data that would be gone at the next sample. If due is
	 * false, the last call was at most a few seconds ago: read only if a device came or went,
	 * or if the descriptor s->shared->ended is readable.
	 */
	void (*reread)(struct source *s, bool due);

	/*
	 * Optional, for types read by a worker process: check if the source may exist. The agent
	 * itself calls this at each rescan, so the function must not touch anything that may hang.
	 * Returns 0 to let a worker try, or -ENOENT with s->why set: no worker is needed.
	 */
	int (*present)(struct source *s);

	/*
	 * Optional, for types that open perf counters: get counter i of the last sample, whether or
	 * not it could be opened. Returns false after the last counter.
	 */
	bool (*planned)(const struct source *s, size_t i, struct pmu_counter *ret);

	/* copied to .data of struct source, for a collect() that serves several types */
	const void *data;
	enum collector_holds holds;
	/* capabilities that the collector's files need, in addition to those for .holds */
	uint64_t needs;
	/* BPF program that reads some of the type's keys, if the program can be loaded */
	enum program_name program;
	/* timeout for the first answer of a new worker, in ms; 0: the usual timeout */
	unsigned start_ms;
};

extern const struct collector *const collectors[];	/* in the order of types[] */
extern const size_t n_collectors;

/* Find a collector by its type's name. Returns NULL if there is none. */
const struct collector *collector_find(const char *name);

/*
 * Get the capabilities that the collector needs to read all values; see base/system/privileges.h.
 */
uint64_t collector_needs(const struct collector *c);
