/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h - take one sample of every type and maintain the schema of this node */
#pragma once

#include "recorder/odd_devices.h"
#include "recorder/worker.h"
#include "collectors/collector.h"
#include "collectors/pmu/named.h"
#include "schema/cost.h"

enum type_use { USE_DEFAULT, USE_OFF, USE_ON, USE_ISOLATE };

/* Return true if a type is enabled: by the setting `use`, or by default. */
bool type_is_on(const struct collector *c, enum type_use use);

/*
 * Reasons to make a type's schema again. MISFIT_ROW: more rows than before fit no schema of the
 * type and are left out. MISFIT_KEY: all rows have a key that the schema lacks.
 */
enum { MISFIT_ROW = 1, MISFIT_KEY = 2 };

/*
 * State of a type on this node. Each sample uses the members up to .source.why, which fit in four
 * cache lines.
 */
struct type_state {
	/* copies of .c->collect and of the type's name */
	_Alignas(64) int (*collect)(struct source *s);
	struct str name;
	bool rereads;		/* this process also reads the type between samples */
	bool isolated;		/* a worker process reads the type, because its source can hang */
	/* the type had a row since the sampler was opened: the header has its schema */
	bool active;
	/* reasons why rows of the newest sample do not fit the schema, a mask of MISFIT_... */
	uint8_t misfits;
	int result;		/* result of the last collect() */
	uint64_t *mask;		/* mask of the keys in this node's schema, rows_words() words */
	/* mask of the keys that the first row had when the schema was made, rows_words() words */
	uint64_t *first;
	struct source source;
	/* schemas with fewer keys, for devices that lack some keys */
	struct schema_kinds kinds;
	const struct collector *c;
	bool on;
	/* the type is in live samples, see sampler_collect_live() */
	bool live;
	bool held_off;		/* not collected for now, as sampler_hold_off() decided */
	/* number of rows, and number of rows that fit no schema, when the schema was made */
	size_t rows, left_out;
	/* "$below" lines: the devices that each device is built on, see rows_below() */
	struct buf below;
	bool below_known;	/* the devices that each device is built on are known */
	uint32_t below_turn;	/* how often .below has changed */
	struct worker worker;
};

struct sampler {
	struct files root;
	struct shared shared;
	/* all known types in the order of the registry, then types from the configuration */
	struct type_state *type;
	size_t n;
	struct type_state **found;	/* types that the newest full (not live) sample collected */
	size_t n_found;
	struct type_state **collected;	/* types that the newest sample, full or live, collected */
	struct cost *cost;		/* cost of each type in .collected */
	size_t n_collected;
	struct type_state *cost_type;	/* type nodometer, which reports the costs */
	/* collect no type that holds at least these resources; .held_why is the reason */
	enum collector_holds held_from;
	char held_why[SOURCE_WHY_MAX];
	/* time that all worker processes together have to reply in a sample */
	int64_t deadline_ns;
	struct buf restarts;	/* marks for the types whose counters were opened in this sample */
	const struct listener *listener;	/* told about types that hang; may be NULL */
	/* .below of a type has changed; the caller clears it after sampler_put_below() */
	bool below_changed;
	int64_t scanned_ns;	/* monotonic time at which devices were last looked for, or 0 */
	int64_t cpu_ns;			/* CPU time of this process at the last sample */
	uint64_t boot_us;		/* CLOCK_BOOTTIME of the sample */
};

/*
 * Open a sampler, which must not be moved afterwards. use has n_collectors entries; NULL uses the
 * defaults. Returns 0, or -errno if root cannot be opened.
 */
int sampler_init(struct sampler *s, const char *root, const enum type_use *use,
		 int64_t deadline_ns) MUST_CHECK;
/*
 * Initialize as sampler_init() does, but with an open root. The sampler owns the descriptor and
 * closes it.
 */
void sampler_init_in(struct sampler *s, const struct files *root, const enum type_use *use,
		     int64_t deadline_ns);
void sampler_free(struct sampler *s);

/* Add types from the configuration, which is borrowed. Call this before the first sample. */
void sampler_add_named(struct sampler *s, const struct named_types *named);

/*
 * Take a sample of every enabled type except type nodometer. A type that fails or hangs does not
 * affect other types. Returns true if the schema has changed, so that a new header is needed. Does
 * not allocate or open files in steady state.
 */
bool sampler_collect(struct sampler *s);

/*
 * Take a sample of the types that sampler_set_live() has selected ("" selects all types but proc)
 * and that the newest full sample has found. If .restarts is not empty, counters were opened: the
 * caller must write this sample to the archive, because only this sample has their start values.
 * Returns true if the schema has changed.
 */
bool sampler_collect_live(struct sampler *s);
void sampler_set_live(struct sampler *s, struct str list);

/*
 * Read the types that must be read between samples, see .reread in collector.h. `due` is true if
 * the last reading is more than a few seconds ago: then all of these types are read.
 * sampler_looks_between() only checks for such types. Both return true if this node has such a
 * type.
 */
bool sampler_look_between(struct sampler *s, bool due);
bool sampler_looks_between(const struct sampler *s);
/* Return true if a type to be read between samples was missing in the newest sample. */
bool sampler_lacks_between(const struct sampler *s);

/* Enable or disable a type from the next sample on. The next sample looks for all devices again. */
void sampler_use(struct sampler *s, const struct type *type, bool use);
/*
 * Stop collecting types that hold at least these resources, and close their files and counters.
 * `why` is reported as the reason. HOLDS_NOTHING: collect all types again.
 */
void sampler_hold_off(struct sampler *s, enum collector_holds from, const char *why);
/*
 * Return the name of a held-off type that still holds counters because its worker process hangs, or
 * NULL.
 */
const char *sampler_hangs_on(struct sampler *s);

/*
 * Make the next sample look for types and devices again, for example after a scheduler was started.
 */
void sampler_look_again(struct sampler *s);

static inline struct odd_devices type_odd_devices(const struct type_state *t)
{
	return (struct odd_devices){ t->c->type, &t->source.rows, t->mask, &t->kinds };
}

/*
 * Return the number of CPUs that the last sample of a type interrupted, at most: to read a group of
 * perf counters of another CPU, the kernel interrupts that CPU (kernel/events/core.c,
 * perf_event_read()). Each row of such a type is one group.
 */
size_t type_interrupts(const struct type_state *t);

/* Append the "!" lines of one type. */
void sampler_put_type(const struct type_state *t, struct buf *b);
/* Append the "!" lines of all types. */
void sampler_put_schema(const struct sampler *s, struct buf *b);
/* Append the "$below" lines of all types. */
void sampler_put_below(const struct sampler *s, struct buf *b);

/*
 * Append .restarts and all rows, type nodometer last. errors and stalls go into the row of type
 * nodometer: the numbers since the last sample.
 */
void sampler_put_rows(struct sampler *s, struct buf *b, uint64_t errors, uint64_t stalls);
