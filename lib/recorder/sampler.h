/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h - take one sample of every type and maintain the schema of this node */
#pragma once

#include "recorder/odd_devices.h"
#include "recorder/worker.h"
#include "collectors/collector.h"
#include "collectors/pmu/named.h"
#include "schema/cost.h"

enum type_use { USE_DEFAULT, USE_OFF, USE_ON, USE_ISOLATE };

/* Returns true if a type is collected. */
bool type_is_on(const struct collector *c, enum type_use use);

/*
 * Reasons to fit the schema again: more rows than before fit no schema, or all rows have a key that
 * the schema lacks.
 */
enum { MISFIT_ROW = 1, MISFIT_KEY = 2 };

/*
 * A type on this node. The members up to .source.why are used by each sample and fit in four cache
 * lines.
 */
struct type_state {
	/* copies of members of .c: .collect and .name */
	_Alignas(64) int (*collect)(struct source *s);
	struct str name;
	bool rereads;		/* is also read between samples, by this process */
	bool isolated;
	/* had a row since the sampler was opened, so it has a schema line */
	bool active;
	uint8_t misfits;	/* misfits in the newest sample: MISFIT_ROW, MISFIT_KEY */
	int result;		/* result of the last collect() */
	uint64_t *mask;		/* keys in the schema of this node, rows_words() words */
	/* keys of the first row when the schema was fitted, rows_words() words */
	uint64_t *first;
	struct schema_kinds kinds;	/* kinds: schemas of devices that lack some keys */
	struct source source;
	const struct collector *c;
	bool on;
	bool live;		/* included in live samples, see sampler_collect_live() */
	bool held_off;		/* not collected for now, see sampler_hold_off() */
	/* number of rows, and of rows without a schema, when the schema was fitted */
	size_t rows, left_out;
	struct buf below;	/* header lines about its devices, see rows_below() */
	bool below_known;	/* .below is known */
	uint32_t below_turn;	/* how often .below has changed */
	struct worker worker;
};

struct sampler {
	struct files root;
	struct shared shared;
	/* types of the registry in order, then types from the configuration */
	struct type_state *type;
	size_t n;
	struct type_state **found;	/* types collected by the newest full sample */
	size_t n_found;
	struct type_state **collected;	/* types collected by the newest sample of any kind */
	struct cost *cost;		/* cost of each type in .collected */
	size_t n_collected;
	struct type_state *cost_type;	/* type nodometer, which reports the costs */
	/* types that hold this much, or more, are held off; .held_why has the reason */
	enum collector_holds held_from;
	char held_why[SOURCE_WHY_MAX];
	int64_t deadline_ns;		/* timeout for isolated types */
	/* marks of types whose counters were opened in this sample */
	struct buf restarts;
	const struct listener *listener;	/* told about types that hang; may be NULL */
	/* .below of a type has changed; the caller clears it after sampler_put_below() */
	bool below_changed;
	int64_t scanned_ns;		/* monotonic time of the last look for devices, or 0 */
	int64_t cpu_ns;			/* CPU time of this process at the last sample */
	uint64_t boot_us;		/* CLOCK_BOOTTIME of the sample */
};

/*
 * Open a sampler. use has n_collectors entries, or is NULL for defaults. Returns 0, or -errno if
 * root cannot be opened.
 */
int sampler_init(struct sampler *s, const char *root, const enum type_use *use,
		 int64_t deadline_ns) MUST_CHECK;
/*
 * Initialise like sampler_init(), with an open root. The sampler takes over the descriptor and
 * closes it.
 */
void sampler_init_in(struct sampler *s, const struct files *root, const enum type_use *use,
		     int64_t deadline_ns);
void sampler_free(struct sampler *s);

/* Add types from the configuration, before the first sample. They are borrowed. */
void sampler_add_named(struct sampler *s, const struct named_types *named);

/*
 * Collect every type that is on, except the agent's own costs. Does not allocate or open files in
 * steady state. Returns true if the schema has changed and a new header is needed. A type that
 * fails or hangs affects no other type.
 */
bool sampler_collect(struct sampler *s);

/*
 * Collect only the types of sampler_set_live() that the last full sample found. If .restarts is not
 * empty, write the sample: the values of the counters just opened do not come again. In the list,
 * "" means all types but proc.
 */
bool sampler_collect_live(struct sampler *s);
void sampler_set_live(struct sampler *s, struct str list);

/*
 * Read the types that must be read more often than samples are taken, see .reread in collector.h.
 * Returns true if there are any.
 */
bool sampler_look_between(struct sampler *s, bool due);
bool sampler_looks_between(const struct sampler *s);
/* Returns true if the newest sample did not find one of these types, but a later one could. */
bool sampler_lacks_between(const struct sampler *s);

/* Switch a type on or off from the next sample on, which looks for all devices again. */
void sampler_use(struct sampler *s, const struct type *type, bool use);
/*
 * Stop collecting types that hold this much, or more, and close everything that they have open;
 * `why` is reported for them. HOLDS_NOTHING: collect all types again.
 */
void sampler_hold_off(struct sampler *s, enum collector_holds from, const char *why);
/*
 * Returns the name of a held-off type whose worker process hangs and still holds counters, or NULL.
 */
const char *sampler_hangs_on(struct sampler *s);

/*
 * Let the next sample look for types and devices again, for example because a scheduler started and
 * type job will appear.
 */
void sampler_look_again(struct sampler *s);

static inline struct odd_devices type_odd_devices(const struct type_state *t)
{
	return (struct odd_devices){ t->c->type, &t->source.rows, t->mask, &t->kinds };
}

void sampler_put_type(const struct type_state *t, struct buf *b);	/* "!" lines of one type */
void sampler_put_schema(const struct sampler *s, struct buf *b);	/* "!" lines of all types */
/* "$below" lines of all types */
void sampler_put_below(const struct sampler *s, struct buf *b);

/*
 * Append .restarts and then all rows, type nodometer last. errors and stalls are the agent's own
 * since the last sample.
 */
void sampler_put_rows(struct sampler *s, struct buf *b, uint64_t errors, uint64_t stalls);
