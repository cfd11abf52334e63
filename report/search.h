/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h - a job or hosts as the command line names them, and their records in the archive */
#pragma once

#include "base/cli.h"
#include "archive/from.h"
#include "figures/report.h"
#include "report/asked.h"
#include "report/like.h"

#define DIR_DEFAULT LOCALSTATEDIR "/lib/nodometer"

struct search {
	const char *dir, *host;		/* .host or .ask.job is NULL */
	struct from from;		/* in place of .dir, if it has a URL */
	struct node_query ask;
	struct archive_file *file;
	size_t n;
	struct asked asked;
	struct like like;	/* jobs of like ids, where there is none of this one */
	bool takes_tasks;	/* the caller searches for all of .like then, if they are tasks */
};

#define SEARCH_ALL { .dir = DIR_DEFAULT, .ask = { .since = INT64_MIN, .until = INT64_MAX } }

/* The first rows of a table of options. */
enum {
	SEARCH_DIR, SEARCH_HOST, SEARCH_SINCE, SEARCH_UNTIL, SEARCH_DEVICE, SEARCH_FROM,
	SEARCH_LOGIN, SEARCH_OPTIONS
};
#define SEARCH_ROWS \
	[SEARCH_DIR]   = { "dir",   "DIR",  "archive or its URL, or one file (" DIR_DEFAULT ")" }, \
	[SEARCH_HOST]  = { "host",  "HOST", "records of HOST, not a job; \"*\" and \"?\" match" }, \
	[SEARCH_SINCE] = { "since", "TIME", "only records, or the run of JOB, from TIME on" }, \
	[SEARCH_UNTIL] = { "until", "TIME", "only records, or the run of JOB, up to TIME" }, \
	[SEARCH_DEVICE] = { "device", "DEV", "only what DEV counted; \"*\" and \"?\" match" }, \
	[SEARCH_FROM]  = FROM_ROW, \
	[SEARCH_LOGIN] = LOGIN_ROW

void search_option(const struct cli *cli, struct search *q, int option, const char *arg);

/* The job that is asked for; wrong usage ends the program. */
void search_job(const struct cli *cli, struct search *q, const char *job);
/* Takes the JOB from the operands, unless hosts are asked for. Wrong usage ends the program. */
void search_operand(const struct cli *cli, struct search *q, int argc, char **argv);

/*
 * Fills the report with all nodes there are. False, and said why: the archive, or no record; of
 * tasks that the caller takes nothing is said.
 */
bool search_all(struct search *q, struct report *r);

/* Once more, the files of one node that was found, for who looks at each sample. */
void search_node(const struct search *q, const struct node *node, struct figures table,
		 void (*on_sample)(void *arg, const struct job_sample *t), void *arg);
void search_free(struct search *q);
