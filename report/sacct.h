/* SPDX-License-Identifier: BSD-3-Clause */
/* sacct.h - what Slurm's accounting says of jobs: the ids of arrays, names, states */
#pragma once

#include "base/listener.h"
#include "base/map.h"
#include "figures/report.h"

struct sacct_job {
	char *raw, *shown;	/* "15", and as its user writes it: "12_3" */
	char user[64];
	struct allocation allocation;
	uint64_t nodes;		/* 0: not known */
};

/*
 * All zero is a valid empty one that takes all jobs. With .wants it keeps those alone of which that
 * is true: a year of accounting is some 400 bytes for each job.
 */
struct sacct {
	bool (*wants)(const void *arg, struct str raw, struct str shown);
	const void *arg;
	struct sacct_job *job;
	size_t n, cap;
	struct map by_raw;
};

/*
 * Takes the output of "sacct --parsable2" (sacct(1)): a line of the columns' names, of which JobID
 * and JobIDRaw must be, then a line for each job; those of steps are passed over, and the last of a
 * job counts. JobName, User, Account, Partition, State, ExitCode, TimelimitRaw and NNodes are
 * taken. path is for the listener. 0; -EINVAL: the text is something else; lines with more or fewer
 * columns are left out, and the listener hears of them.
 */
int sacct_take(struct sacct *s, const char *path, struct str text,
	       const struct listener *listener) MUST_CHECK;

/* Takes a file, "-" is standard input; errors are logged. */
int sacct_read(struct sacct *s, const char *path) MUST_CHECK;
const struct sacct_job *sacct_find(const struct sacct *s, const char *raw);	/* or NULL */

void sacct_add(struct report *r, const struct sacct_job *j);	/* facts that its marks lack */

/* Whether a user who writes this means the job: its id, or that of its array. */
bool sacct_means(struct str shown, const char *name);
void sacct_free(struct sacct *s);
