/* SPDX-License-Identifier: BSD-3-Clause */
/* job_used.h - what a job used of what it was given, and what was found, for a table of jobs */
#pragma once

#include "figures/findings.h"
#include "figures/parts.h"
#include "figures/used.h"
#include "report/energy.h"
#include "report/sacct.h"

#define FOUND_MAX 64	/* no fewer than there are rules */

struct job_used {
	bool known;	/* samples were read */
	char exit[16], state[32];	/* as its marks, or accounting, have them; "": not known */
	struct used used[USED_WHATS];
	double memory_peak;	/* bytes, of the node with the most; 0: not known */
	struct energy energy;
	struct parts parts;
	/*
	 * Hours of its nodes in which GPUs, or CPUs where no GPU is known, had nothing to do:
	 * the time of each node by the part that was not used. Negative: not known.
	 */
	double unused;
	unsigned char finding[FOUND_MAX];	/* places in finding_rules[], */
	size_t n_findings;	/* as the page has them */
};

/* Of the job and time that the report is for, with the runs found; a: of accounting, or NULL. */
void job_used_of(struct report *r, const struct sacct_job *a, const struct finding_site *site,
		 struct job_used *ret);
double job_unused_of_node(const struct report *r, size_t node);	/* hours; negative: not known */
/* From bytes that somebody kept, which begin with it. False: they do not. */
bool job_used_take(struct str bytes, struct job_used *ret);
