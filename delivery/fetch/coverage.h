/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.h - find the jobs in a database that have records newer than their stored results */
#pragma once

#include "base/words.h"
#include "formats/answer.h"

/*
 * Finds stale jobs: jobs whose stored runs, which are results kept in the database (see
 * formats/answer.h), lack some records. A job is stale if hosts have records of it for at least one
 * day of the requested time, and if no stored run covers its records of at least one day, requested
 * or not. Read the records of all days of a stale job, and ignore its stored runs. A struct that is
 * zero except for .q is valid and empty; coverage_free() releases its memory.
 */
struct coverage {
	const struct answer_request *q;
	struct covered_run {
		char *job;
		int64_t first, last;	/* first and last time of the run, in microseconds */
	} *run;
	size_t n_runs, cap_runs, next_run;
	struct words hosts, stale;	/* names of all hosts; ids of the stale jobs */
	/*
	 * one entry for each job, host and day with records: first .stale_days entries of stale
	 * jobs, then the entries of the current job
	 */
	struct job_day {
		const char *host;	/* points to a name in .hosts */
		int64_t first, last;	/* in microseconds */
	} *day;
	size_t n_days, cap_days, stale_days;
	struct buf job;			/* id of the current job */
	/*
	 * .is_covered: stored runs cover all records of the current job; .is_wanted: at least one
	 * of the job's days is in the requested time
	 */
	bool is_covered, is_wanted;
};

/*
 * Add a stored run of a job; add runs in the order of job ids. Returns 0, or -EBADMSG if the order
 * is wrong.
 */
int coverage_add_run(struct coverage *c, struct str job, int64_t first, int64_t last) MUST_CHECK;
/*
 * Add a day on which a host has records of a job, with the times of the first and last record. Add
 * all runs before the first day, and add days in the order of job ids. Returns 0, or -EBADMSG if
 * the order or the times are wrong, or the host's name is longer than ANSWER_HOST_MAX.
 */
int coverage_add_day(struct coverage *c, struct str job, struct str host, int64_t first,
		     int64_t last) MUST_CHECK;
/*
 * Decide whether the last job is stale; call this after all days were added. Then .day has only the
 * days of stale jobs, sorted by host, then by time.
 */
void coverage_end(struct coverage *c);
bool coverage_is_stale(const struct coverage *c, struct str job);
void coverage_free(struct coverage *c);
