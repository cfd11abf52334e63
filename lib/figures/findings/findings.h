/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h - advice about a job, as a support person would give it, with the evidence */
#pragma once

#include "base/buf.h"
#include "figures/parts.h"
#include "figures/report.h"

struct finding_rule {
	const char *name;	/* name in advice.conf and in JSON */
	double usual;		/* default threshold, in the unit .unit */
	const char *unit;
	double seconds;		/* the rule does not apply to jobs that are shorter than this */
	/*
	 * Return true if the rule holds for the job, and append the evidence to `why`. Returns
	 * false if a figure that the rule needs is unknown.
	 */
	bool (*holds)(const struct report *r, double threshold, struct buf *why);
	const char *title;	/* heading in reports */
	const char *about;	/* the meaning of the threshold, for the manual */
	const char *advice;
	/* parts of the CPU time that a finding of this rule explains; PART_USER: none */
	enum part part, also;
	/*
	 * names, separated by blanks, of earlier rules; if one of them holds, this rule is skipped;
	 * NULL: none
	 */
	const char *unless;
};

extern const struct finding_rule finding_rules[];
extern const size_t n_finding_rules;

struct finding_site {
	bool off, set, timed;
	double threshold;	/* replaces the default threshold, if .set */
	double seconds;		/* replaces .seconds of the rule, if .timed */
	char link[256];	/* link to documentation of the site about this finding; empty: none */
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
	/* text to print if there are no findings; NULL: print nothing */
	const char *none;
};

/*
 * Evaluate all rules for a job. site: the settings of the site, one entry for each rule, or NULL.
 * The result borrows `site`; findings_free() releases the result.
 */
struct findings findings_of(const struct report *r, const struct finding_site *site);
void findings_free(struct findings *f);
/* Find the rule with this name. Returns n_finding_rules if there is none. */
size_t finding_find(struct str name);
