/* SPDX-License-Identifier: BSD-3-Clause */
/* sacct.h - read Slurm's accounting of jobs: array ids, names and states */
#pragma once

#include "base/listener.h"
#include "base/map.h"
#include "figures/report.h"

struct sacct_job {
	/* .raw: Slurm's internal id, such as "15"; .shown: the id that users see, such as "12_3" */
	char *raw, *shown;
	char user[64];
	struct allocation allocation;
	uint64_t nodes;		/* 0: unknown */
};

/*
 * Accounting records. All zero is a valid empty set that accepts all jobs. If .wants is set, only
 * jobs for which it returns true are stored (about 400 bytes each).
 */
struct sacct {
	bool (*wants)(const void *arg, struct str raw, struct str shown);
	const void *arg;
	struct sacct_job *job;
	size_t n, cap;
	struct map by_raw;
};

/*
 * Parse the output of "sacct --parsable2" (sacct(1)): a line with column names, then a line per
 * job. Columns JobID and JobIDRaw are required; JobName, User, Account, Partition, State, ExitCode,
 * TimelimitRaw and NNodes are optional. Lines of job steps are skipped. If a job has several lines,
 * the last line is used. Lines with the wrong number of columns are reported to the listener and
 * skipped. Returns 0, or -EINVAL if the text has another format.
 */
int sacct_take(struct sacct *s, const char *path, struct str text,
	       const struct listener *listener) MUST_CHECK;

/* Read and parse a file, or standard input if path is "-". Logs errors. Returns 0 or -errno. */
int sacct_read(struct sacct *s, const char *path) MUST_CHECK;
/* Return whether an id is of the form 12_3 (task of an array) or 12+3 (heterogeneous job). */
bool sacct_is_task(const char *job);
/*
 * Look up a task with sacct(1), if installed, and wait up to 10 s for its reply. s must be empty,
 * and borrows the string "task". Returns true if sacct knows the task; the last job in s is then
 * this task.
 */
bool sacct_ask(struct sacct *s, const char *task);
/* returns NULL if there is no record of the job */
const struct sacct_job *sacct_find(const struct sacct *s, const char *raw);

/* Copy to the report the values that its job's marks lack; r->called borrows j->shown. */
void sacct_add(struct report *r, const struct sacct_job *j);

/*
 * Return whether the "name" that a user gave stands for the job: the job's own id, or the id of its
 * array or heterogeneous job.
 */
bool sacct_means(struct str shown, const char *name);
void sacct_free(struct sacct *s);
