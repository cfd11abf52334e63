/* SPDX-License-Identifier: BSD-3-Clause */
/* job_used.h - compute a job's efficiency and findings, for a table of jobs */
#pragma once

#include "figures/findings/findings.h"
#include "figures/parts.h"
#include "figures/used.h"
#include "report/energy.h"
#include "report/sacct.h"

#define FOUND_MAX 64	/* limit of the number of finding_rules[] */

struct job_used {
	bool known;	/* at least one sample was read */
	char exit[16], state[32];	/* as in marks or Slurm's accounting; "" if unknown */
	struct used used[USED_WHATS];
	double memory_peak;	/* largest memory peak of any node, in bytes; 0 if unknown */
	struct energy energy;
	struct parts parts;
	/*
	 * Node hours in which GPUs, or CPUs if there are no GPUs, were idle: the sum over the nodes
	 * of the hours on a node times the unused fraction of its GPUs or CPUs. Negative if
	 * unknown.
	 */
	double unused;
	/* indexes into finding_rules[], in the order of the report */
	unsigned char finding[FOUND_MAX];
	size_t n_findings;	/* number of findings */
};

/*
 * Choose from r->found the run of r->job that ran between r->since and r->until, and compute what
 * the run used. "a" is the job's accounting record, or NULL.
 */
void job_used_of(struct report *r, const struct sacct_job *a, const struct finding_site *site,
		 struct job_used *ret);
/* Return a node's part of .unused of struct job_used, in hours; negative if unknown. */
double job_unused_of_node(const struct report *r, size_t node);
/* Load *ret from the start of stored bytes. Returns false if the bytes are invalid. */
bool job_used_take(struct str bytes, struct job_used *ret);
