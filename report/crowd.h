/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.h - jobs of one node that are looked for side by side, in one reading of its records */
#pragma once

#include "base/map.h"
#include "figures/node.h"
#include "schema/node_clock.h"

struct crowd_job {
	struct node_query ask;
	bool more;		/* a later file has records of it, too */
	uint64_t due;		/* records of the file that will name it; UINT64_MAX: unknown */
	uint64_t newest;	/* the record that named it last */
	bool refused;		/* too many jobs were open at once: read the files once more */
};

/*
 * Jobs of the crowds of all nodes whose records are in the files of a host. A query that names no
 * job has one "job" for all of them.
 */
struct crowd_jobs {
	struct crowd_job *job;
	size_t n;
	struct map by_id;	/* of those in the file, their places */
	uint64_t records;
	size_t open, most_open;	/* searches at once, and how many may be; 0: any number */
	size_t *over;		/* jobs that this file and all later ones have no more of, */
	size_t n_over, cap_over;	/* until crowd_finish() */
};
void crowd_jobs_enter(struct crowd_jobs *all, size_t job);	/* from here on it is in the file */
void crowd_jobs_end(struct crowd_jobs *all);

/* Borrows all; the name is kept. */
struct crowd *crowd_new(struct crowd_jobs *all, const char *name);
const char *crowd_name(const struct crowd *c);
void crowd_begin_file(struct crowd *c);
void crowd_take(struct crowd *c, const struct record *r, const struct record_source *source);
/* The lines that could not be read, and a torn end, are of each job in the file: true if any is. */
bool crowd_end_file(struct crowd *c, uint64_t bad_lines, bool torn);
bool crowd_is_away(const struct crowd *c);	/* no job is here: not yet, or all are over */
const struct runs *crowd_runs(const struct crowd *c, size_t job);	/* so far; NULL: none */
/* Closes a run that is open, and adds all that were found of this job. */
void crowd_finish(struct crowd *c, size_t job, struct runs *runs);
void crowd_free(struct crowd *c);	/* nothing may be left to finish */
