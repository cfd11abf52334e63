/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.h - find the jobs in a database that have records newer than their stored results */
#pragma once

#include "base/words.h"
#include "formats/answer.h"

/*
 * Finds stale jobs. Stored runs are results that are stored in the database, see formats/answer.h.
 * A job is stale if hosts have records of it for at least one day of the requested time, and at
 * least one day with its records, in this time or not, is in none of its stored runs. The records
 * of all days of a stale job must be read, and its stored runs are not used. A struct that is zero
 * except for .q is valid and empty; coverage_free() releases its memory.
 */
struct coverage {
	const struct answer_request *q;
	struct covered_run {
		char *job;
		int64_t first, last;	/* first and last time of the run, in microseconds */
	} *run;
	size_t n_runs, cap_runs, next_run;
	struct words hosts, stale;	/* all hosts; ids of the stale jobs */
	/*
	 * days of a host with records of a job: the first .stale_days entries belong to stale jobs;
	 * the entries of the current job follow
	 */
	struct job_day {
		const char *host;	/* points to a name in .hosts */
		int64_t first, last;	/* in microseconds */
	} *day;
	size_t n_days, cap_days, stale_days;
	struct buf job;			/* id of the current job */
	/*
	 * .is_covered: all days of the current job are in stored runs; .is_wanted: one of the days
	 * is in the requested time
	 */
	bool is_covered, is_wanted;
};

/* Add a stored run; runs come sorted by job. Returns 0, or -EBADMSG if the order is wrong. */
int coverage_add_run(struct coverage *c, struct str job, int64_t first, int64_t last) MUST_CHECK;
/*
 * Add the first and last time of a host's records of a job on one day. Add all runs before the
 * first day; days come sorted by job. Returns 0, or -EBADMSG if the order or the times are wrong,
 * or the host's name is longer than ANSWER_HOST_MAX.
 */
int coverage_add_day(struct coverage *c, struct str job, struct str host, int64_t first,
		     int64_t last) MUST_CHECK;
/*
 * End the last job, and sort the days of stale jobs by host, then by time. Afterwards .day has only
 * the days of stale jobs.
 */
void coverage_end(struct coverage *c);
bool coverage_is_stale(const struct coverage *c, struct str job);
void coverage_free(struct coverage *c);
