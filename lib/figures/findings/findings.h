/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h - advice about a job, as a support person would give it, with the evidence */
#pragma once

#include "base/buf.h"
#include "figures/parts.h"
#include "figures/report.h"

struct finding_rule {
	const char *name;	/* name in advice.conf and in JSON */
	double usual;		/* default threshold, in units of .unit */
	const char *unit;
	double seconds;		/* seconds: the rule does not apply to shorter jobs */
	/*
	 * Decide whether the rule holds for the job, and write the evidence to `why`. Returns false
	 * if a figure that the rule needs is unknown.
	 */
	bool (*holds)(const struct report *r, double threshold, struct buf *why);
	const char *title;	/* heading in reports */
	const char *about;	/* what the threshold means, for the manual */
	const char *advice;
	/* parts of the CPU time that the rule explains; PART_USER: none */
	enum part part, also;
	/*
	 * names, separated by blanks, of earlier rules that replace this rule if they hold; NULL:
	 * none
	 */
	const char *unless;
};

extern const struct finding_rule finding_rules[];
extern const size_t n_finding_rules;

struct finding_site {
	bool off, set, timed;
	double threshold;	/* replaces the default threshold, if .set */
	double seconds;		/* replaces .seconds of the rule, if .timed */
	char link[256];		/* link to the site's documentation; empty: none */
};

struct finding {
	const struct finding_rule *rule;
	const struct finding_site *site;
	struct buf why;
};
struct findings {
	struct finding *finding;
	/* number of findings, most important first */
	size_t n;
	/* sentence to print if there are no findings; NULL: print nothing */
	const char *none;
};

/*
 * Evaluate all rules for a job. site: the site's settings, one entry for each rule, or NULL; the
 * result borrows them. findings_free() releases the result.
 */
struct findings findings_of(const struct report *r, const struct finding_site *site);
void findings_free(struct findings *f);
/* Find the rule with this name. Returns n_finding_rules if there is none. */
size_t finding_find(struct str name);
