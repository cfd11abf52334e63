/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h - takes one sample of every type and keeps the schema that this node has */
#pragma once

#include "recorder/worker.h"
#include "collectors/collector.h"
#include "collectors/pmu/named.h"
#include "schema/cost.h"

enum type_use { USE_DEFAULT, USE_OFF, USE_ON, USE_ISOLATE };

/* Whether a type is collected. */
bool type_is_on(const struct collector *c, enum type_use use);

/* More rows lack a key of the schema than when it was fitted; it lacks a key that all rows have. */
enum { MISFIT_ROW = 1, MISFIT_KEY = 2 };

/*
 * A type on this node. Up to .source.why stands what each sample takes: four lines of the cache.
 */
struct type_state {
	_Alignas(64) int (*collect)(struct source *s);	/* of .c, as the next two */
	struct str name;
	bool rereads;		/* between samples, in this process */
	bool isolated;
	bool active;		/* had a row since the sampler began: it has a schema line */
	uint8_t misfits;	/* of the newest sample: MISFIT_ROW, MISFIT_KEY */
	int result;		/* of the newest collect() */
	uint64_t *mask;		/* the keys in the schema of this node, rows_words() words */
	uint64_t *first;	/* the keys of the first row when that was fitted, likewise */
	struct source source;
	const struct collector *c;
	bool on;
	bool live;		/* samples of the live tier have it, see sampler_collect_live() */
	bool held_off;		/* not collected for now, see sampler_hold_off() */
	size_t rows, left_out;	/* when that was fitted; rows that lacked a key of the schema */
	struct buf below;	/* lines of the header on its devices, see rows_below(), */
	bool below_known;	/* if there are any, */
	uint32_t below_turn;	/* and how often they changed */
	struct worker worker;
};

struct sampler {
	struct files root;
	struct shared shared;
	struct type_state *type;	/* of the registry in its order, then those named */
	size_t n;
	struct type_state **known;	/* asked by the newest whole sample, */
	size_t n_known;
	struct type_state **asked;	/* and by the newest sample of any kind, */
	struct cost *cost;		/* and of each of these */
	size_t n_asked;
	struct type_state *teller;	/* type nodometer, which reports these costs */
	enum collector_holds held_from;	/* types that hold so much are held off: .held_why */
	char held_why[SOURCE_WHY_MAX];
	int64_t deadline_ns;		/* for isolated types */
	struct buf restarts;		/* marks of types whose counters were opened for it */
	const struct listener *listener;	/* hears of types that hang, or NULL */
	bool below_changed;		/* until somebody has taken sampler_put_below() */
	int64_t scanned_ns;		/* monotonic time of the last look for devices, or 0 */
	int64_t cpu_ns;			/* CPU time of this process at the last sample */
	uint64_t boot_us;		/* CLOCK_BOOTTIME of the sample */
};

/* use has n_collectors entries or is NULL (defaults). 0, or -errno: no such root. */
int sampler_init(struct sampler *s, const char *root, const enum type_use *use,
		 int64_t deadline_ns) MUST_CHECK;
void sampler_free(struct sampler *s);

/* Before the first sample: types that the configuration names, too. They are borrowed. */
void sampler_add_named(struct sampler *s, const struct named_types *named);

/*
 * Collects every type that is on, but the agent's own cost. Steady state: no allocation, no open.
 * Returns whether the schema is not what it was: then a new header is due. A type that fails or
 * hangs costs itself only.
 */
bool sampler_collect(struct sampler *s);

/*
 * The same of the types in a list, "" being all but proc, as far as the last whole sample has found
 * them. Where it leaves .restarts, its values do not come again.
 */
bool sampler_collect_live(struct sampler *s);
void sampler_set_live(struct sampler *s, struct str list);

/* Types that must be read more often than samples are taken, see .reread in collector.h: any? */
bool sampler_look_between(struct sampler *s, bool due);
bool sampler_looks_between(const struct sampler *s);
/* Whether the newest sample found one of them absent that the next one could find. */
bool sampler_lacks_between(const struct sampler *s);

/*
 * From now on types that hold so much, or more, are not collected, and nothing of theirs is open;
 * why says what to report of them. HOLDS_NOTHING: all are collected again.
 */
void sampler_hold_off(struct sampler *s, enum collector_holds from, const char *why);
/* A type that is held off, but whose worker process hangs and holds on; or NULL. */
const char *sampler_hangs_on(struct sampler *s);

/* The next sample looks for types and devices again: a scheduler came, and so will type job. */
void sampler_look_again(struct sampler *s);

void sampler_put_schema(const struct sampler *s, struct buf *b);	/* all "!" lines */
void sampler_put_below(const struct sampler *s, struct buf *b);		/* all "$below" lines */

/*
 * .restarts, then all rows, those of type nodometer last; errors and stalls are the agent's own
 * since last time.
 */
void sampler_put_rows(struct sampler *s, struct buf *b, uint64_t errors, uint64_t stalls);
