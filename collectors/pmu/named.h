/* SPDX-License-Identifier: BSD-3-Clause */
/* named.h - counters that the configuration names: "NAME = EVENT,..." makes type pmc_NAME */
#pragma once

#include "collectors/pmu/pmu.h"

#define NAMED_TYPES_MAX 32
#define NAMED_EVENT_MAX 160	/* bytes of an event, with its NUL */

struct named_event {
	char text[NAMED_EVENT_MAX];	/* as the configuration has it */
	char key[NAMED_EVENT_MAX];
	char unit[16];
	char pmu[48];			/* of the kernel; all boxes of this name */
	bool known;			/* unit.event[] has its code for the kernel */
};

struct named_type {
	struct type type;		/* first: .data of its collector points here */
	struct collector collector;
	struct pmu_unit unit;
	struct metric metrics[PMU_GROUP + PMU_TIME_KEYS];
	struct named_event event[PMU_GROUP];
	size_t n;
	size_t fits;			/* counters of a device, as libpfm4 knows */
	char name[48], about[64];
	char where[256];		/* "FILE:LINE" */
	bool off;			/* not asked for this time */
	bool resolved;			/* names were looked for */
	char why[SOURCE_WHY_MAX];	/* "": they were found */
};

/* All zero is a valid empty one. */
struct named_types {
	size_t n;
	struct named_type *type[NAMED_TYPES_MAX];
};

/*
 * Adds the type of a line of the configuration, whose events are then names only: no file is read.
 * False, and why gets what is wrong.
 */
bool named_add(struct named_types *t, const char *name, const char *events, const char *file,
	       int line, struct buf *why);
void named_free(struct named_types *t);

/* "cpu/event=0x3c,umask=1/u", its parts borrowed. False: it is a name of libpfm4. */
struct named_alias {
	struct str pmu, terms, modifiers;
};
bool named_take_alias(struct str text, struct named_alias *ret);

/*
 * Looks for the events that were not found yet: names in libpfm4, which a process of its own loads,
 * aliases and PMUs below the root. A mistake is a line "FILE:LINE: TEXT" of errors: -EINVAL. An
 * event that this node does not have is a line of warnings, and the type says so.
 */
int named_resolve(struct named_types *t, const struct files *root, struct buf *errors,
		  struct buf *warnings) MUST_CHECK;

/* The same of one type, and how its devices are: for the plan of a sample. 0, or -ENOENT. */
int named_look(struct source *s, struct named_type *t) MUST_CHECK;
