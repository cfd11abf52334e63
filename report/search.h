/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h - find the records of a job, or of hosts, for a command line */
#pragma once

#include "base/cli.h"
#include "archive/from.h"
#include "figures/report.h"
#include "report/answer_files.h"
#include "report/like.h"
#include "report/sacct.h"

#define DIR_DEFAULT LOCALSTATEDIR "/lib/nodometer"

struct search {
	const char *dir, *host;		/* .host, .ask.job or both are NULL */
	struct from from;		/* replaces .dir if .from has a URL */
	struct node_query ask;
	struct archive_file *file;
	size_t n;
	struct answer_use answer;
	/* jobs with similar ids, if the archive has no records of the requested job */
	struct like like;
	/* Slurm's accounting of the requested job, if the archive has no records of its id */
	struct sacct accounting;
	bool by_accounting;	/* the archive was also searched for the job id in .accounting */
	/*
	 * --host was given without a name: report on the archive's only host or, if it has several,
	 * on this host
	 */
	bool this_host;
	/* if the archive has only tasks of the requested job array, the caller reports on each */
	bool takes_tasks;
};

#define SEARCH_ALL { .dir = DIR_DEFAULT, .ask = { .since = INT64_MIN, .until = INT64_MAX } }

/*
 * Indexes into a command's table of options, for the options that select records in an archive.
 * All commands with a struct search have these options.
 */
enum {
	SEARCH_DIR, SEARCH_HOST, SEARCH_SINCE, SEARCH_UNTIL, SEARCH_DEVICE, SEARCH_FROM,
	SEARCH_LOGIN, SEARCH_OPTIONS
};
#define SEARCH_ROWS \
	[SEARCH_DIR]   = { "dir",   "DIR",  "archive or its URL, or one file (" DIR_DEFAULT ")" }, \
	[SEARCH_HOST]  = { "host", "HOST", \
			"HOST (default this host), not a job; \"*\" and \"?\" match", \
			   '\0', true }, \
	[SEARCH_SINCE] = { "since", "TIME", \
			   "only records from TIME on; with JOB, a run at or after TIME" }, \
	[SEARCH_UNTIL] = { "until", "TIME", \
			   "only records up to TIME; with JOB, a run at or before TIME" }, \
	[SEARCH_DEVICE] = { "device", "DEV", "only device DEV; \"*\" and \"?\" match" }, \
	[SEARCH_FROM]  = FROM_ROW, \
	[SEARCH_LOGIN] = LOGIN_ROW

void search_option(const struct cli *cli, struct search *q, int option, const char *arg);

/* Set the requested job. If the id is invalid, exits the program with a message. */
void search_job(const struct cli *cli, struct search *q, const char *job);
/*
 * Set the requested job to the only operand, unless the user gave --host. If the operand is missing
 * or invalid, exits the program with a message.
 */
void search_operand(const struct cli *cli, struct search *q, int argc, char **argv);

/*
 * Search the archive and fill in the report with all nodes; *r must be all zero. The report borrows
 * from q. Returns false, after logging why, if the archive cannot be read, nothing is found, or the
 * host name is ambiguous. If .takes_tasks is set and .like has tasks, logs nothing. In all cases
 * call report_free() and search_free().
 */
bool search_all(struct search *q, struct report *r);

/*
 * Give up the rights of root if the archive is on this machine. If only one job is requested, first
 * look up the job in Slurm's accounting, which may show other users' jobs only to root. Call this
 * before search_all() in programs that write no file.
 */
void search_leave_root(struct search *q, bool one_job);

/*
 * Read one node's files again, and pass each sample from the node's start to its end to
 * on_sample().
 */
void search_node(const struct search *q, const struct node *node, struct figures table,
		 void (*on_sample)(void *arg, const struct job_sample *t), void *arg);
void search_free(struct search *q);
