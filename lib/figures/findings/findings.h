/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h - what a support person would say of a job: rules, their evidence and advice */
#pragma once

#include "base/buf.h"
#include "figures/parts.h"
#include "figures/report.h"

struct finding_rule {
	const char *name;	/* in advice.conf, in JSON */
	double usual;		/* threshold, in .unit */
	const char *unit;
	double seconds;		/* of jobs that are not shorter */
	/* The job has it: why gets the evidence. Without the figures that it needs it has not. */
	bool (*holds)(const struct report *r, double threshold, struct buf *why);
	const char *title;	/* the heading, for people */
	const char *about;	/* the question, for the manual */
	const char *advice;
	enum part part, also;	/* of the CPU time given that it explains; PART_USER: none */
	const char *unless;	/* rules before it whose finding says more; NULL: none */
};

extern const struct finding_rule finding_rules[];
extern const size_t n_finding_rules;

struct finding_site {
	bool off, set, timed;
	double threshold;	/* if .set */
	double seconds;		/* if .timed: of jobs that are not shorter */
	char link[256];		/* "": none */
};

struct finding {
	const struct finding_rule *rule;
	const struct finding_site *site;
	struct buf why;
};
struct findings {
	struct finding *finding;
	size_t n;	/* the first is of the largest part of the CPU time that can be avoided */
	bool well;	/* none, of a job of which it is known that it used what it had */
};
#define FINDINGS_NONE "The job used what it had well."

/* site: one for each rule, or NULL. findings_free() ends it. */
struct findings findings_of(const struct report *r, const struct finding_site *site);
void findings_free(struct findings *f);
size_t finding_find(struct str name);	/* n_finding_rules: there is none */
