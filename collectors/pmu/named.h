/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * named.h - make types of counters in the configuration: the line "NAME = EVENT,..." makes type
 * pmc_NAME
 */
#pragma once

#include "collectors/pmu/pmu.h"

#define NAMED_TYPES_MAX 32
#define NAMED_EVENT_MAX 160	/* bytes of an event's name, with the NUL */

struct named_event {
	char text[NAMED_EVENT_MAX];	/* the event as written in the configuration */
	char key[NAMED_EVENT_MAX];
	char unit[16];
	char pmu[48];	/* the kernel's name of the PMU, such as "uncore_imc" for all boxes */
	bool known;			/* unit.event[] has the encoded event */
};

struct named_type {
	/* the first member, because .data of the collector points to it and to this structure */
	struct type type;
	struct collector collector;
	struct pmu_unit unit;
	struct metric metrics[PMU_GROUP + PMU_TIME_KEYS];
	struct named_event event[PMU_GROUP];
	size_t n;
	size_t fits;	/* number of counters that a device has according to libpfm4 */
	char name[48], about[64];
	char where[256];	/* place of the type's line in the configuration, "FILE:LINE" */
	bool off;			/* the type is not collected in this sample */
	bool resolved;			/* the names of the events were looked up */
	/* reason why the events cannot be counted; "" if they can */
	char why[SOURCE_WHY_MAX];
};

/* All zero is a valid empty list. */
struct named_types {
	size_t n;
	struct named_type *type[NAMED_TYPES_MAX];
};

/*
 * Add the type pmc_NAME that a line of the configuration defines. An earlier type of this name is
 * freed. The events are not looked up yet. Returns false on a syntax error, with the message in
 * why.
 */
bool named_add(struct named_types *t, const char *name, const char *events, const char *file,
	       int line, struct buf *why);
void named_free(struct named_types *t);

/*
 * The parts of an alias such as "cpu/event=0x3c,umask=1/u". They point into the text.
 * named_take_alias() returns false for a libpfm4 name, which is no alias.
 */
struct named_alias {
	struct str pmu, terms, modifiers;
};
bool named_take_alias(struct str text, struct named_alias *ret);

/*
 * Look up the events of all types: names of libpfm4 in a separate process, which loads libpfm4;
 * aliases and PMUs in files below the root. Returns 0; -EINVAL if the configuration is wrong, with
 * a line "FILE:LINE: TEXT" in errors for each mistake; or another -errno. An event that this node
 * lacks is no error: it adds a line to warnings. A mistake or a missing event sets the type's .why.
 * A missing PMU does not, because it may appear later.
 */
int named_resolve(struct named_types *t, const struct files *root, struct buf *errors,
		  struct buf *warnings) MUST_CHECK;

/*
 * Before a plan is made, look up the events of one type, and whether its devices are CPUs, boxes or
 * packages. Returns 0; -ENOENT with the reason in s->why; or another -errno of named_resolve().
 */
int named_look(struct source *s, struct named_type *t) MUST_CHECK;
