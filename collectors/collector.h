/* SPDX-License-Identifier: BSD-3-Clause */
/* collector.h - the interface of a collector; see doc/howto-collector.md */
#pragma once

#include "base/system/privileges.h"
#include "collectors/bpf/programs.h"
#include "collectors/source.h"
#include "schema/type.h"

struct pmu_counter;	/* see collectors/pmu/pmu.h */

/*
 * Counters that a collector opens and that other programs may need. Each value implies all earlier
 * ones of the enumeration.
 */
enum collector_holds {
	HOLDS_NOTHING,
	/* counters that start at 0 when opened, so that a single sample of them is useless */
	HOLDS_COUNTERS,
	HOLDS_HARDWARE,	/* scarce counters of a processor, which a job may reserve */
};

/*
 * The definition of a collector. Each file in this folder defines FILE_collector, and is listed in
 * collectors.am. Its type is in schema/types/.
 */
struct collector {
	const struct type *type;	/* the type's name, summary and keys */

	/*
	 * Add rows to an empty sample. Returns 0; -ENOENT if this node lacks the source (s->why
	 * gives the reason); any other -errno if reading failed this time.
	 */
	int (*collect)(struct source *s);

	/*
	 * Optional: read, between two samples, data that would be gone at the next sample. If due
	 * is false, the last call was at most a few seconds ago: read only if a device came or
	 * went, or if the descriptor s->shared->ended is readable.
	 */
	void (*reread)(struct source *s, bool due);

	/*
	 * Optional, for types read by a worker: check whether the source may exist. Called in the
	 * agent's own process at each rescan, so it must not touch anything that can hang. Returns
	 * 0 to let a worker find out, or -ENOENT with s->why set if no worker is needed.
	 */
	int (*present)(struct source *s);

	/*
	 * Optional, for types that open perf counters: get counter i of the last sample, even if
	 * opening the counter failed. Returns false after the last counter.
	 */
	bool (*planned)(const struct source *s, size_t i, struct pmu_counter *ret);

	/* becomes source.data, so that one collect() can serve several types */
	const void *data;
	enum collector_holds holds;
	/* capabilities that some files require, in addition to those that .holds implies */
	uint64_t needs;
	/* BPF program that reads some of the keys, if the program can be loaded */
	enum program_name program;
	/* timeout of the first answer of a new worker, for types read by a worker */
	unsigned start_ms;
};

extern const struct collector *const collectors[];	/* in the order of types[] */
extern const size_t n_collectors;

/* Find a collector by its type's name. Returns NULL if there is none. */
const struct collector *collector_find(const char *name);

/*
 * Get the capabilities without which the collector may miss values; see base/system/privileges.h.
 */
uint64_t collector_needs(const struct collector *c);
