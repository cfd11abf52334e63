/* SPDX-License-Identifier: BSD-3-Clause */
/* named.h - counters named by the configuration: "NAME = EVENT,..." makes type pmc_NAME */
#pragma once

#include "collectors/pmu/pmu.h"

#define NAMED_TYPES_MAX 32
#define NAMED_EVENT_MAX 160	/* bytes of an event, with its NUL */

struct named_event {
	char text[NAMED_EVENT_MAX];	/* text in the configuration */
	char key[NAMED_EVENT_MAX];
	char unit[16];
	char pmu[48];			/* the kernel's name, without the number of a box */
	bool known;			/* the event's code is in unit.event[] */
};

struct named_type {
	struct type type;		/* must be first: .data of the collector points to it */
	struct collector collector;
	struct pmu_unit unit;
	struct metric metrics[PMU_GROUP + PMU_TIME_KEYS];
	struct named_event event[PMU_GROUP];
	size_t n;
	size_t fits;			/* number of counters of a device, according to libpfm4 */
	char name[48], about[64];
	char where[256];		/* "FILE:LINE" */
	bool off;			/* excluded from this sample */
	bool resolved;			/* the names were looked up */
	char why[SOURCE_WHY_MAX];	/* reason why the events cannot be counted; "": they can */
};

/* All zero is a valid empty list. */
struct named_types {
	size_t n;
	struct named_type *type[NAMED_TYPES_MAX];
};

/*
 * Add the type of a line of the configuration. Reads no file: the events are not looked up yet.
 * Returns false on a syntax error, described in why.
 */
bool named_add(struct named_types *t, const char *name, const char *events, const char *file,
	       int line, struct buf *why);
void named_free(struct named_types *t);

/*
 * The parts of "cpu/event=0x3c,umask=1/u", borrowed. Parsing returns false for a name of libpfm4.
 */
struct named_alias {
	struct str pmu, terms, modifiers;
};
bool named_take_alias(struct str text, struct named_alias *ret);

/*
 * Look up the events that are not known yet: names in libpfm4, which is loaded by a separate
 * process; aliases and PMUs below the root. For each mistake, append a line "FILE:LINE: TEXT" to
 * errors and return -EINVAL. For an event that this node lacks, append a line to warnings and set
 * the type's .why.
 */
int named_resolve(struct named_types *t, const struct files *root, struct buf *errors,
		  struct buf *warnings) MUST_CHECK;

/*
 * Look up the events of one type and the kind of its devices, for the plan of a sample. Returns 0,
 * or -ENOENT with the reason in s->why.
 */
int named_look(struct source *s, struct named_type *t) MUST_CHECK;
