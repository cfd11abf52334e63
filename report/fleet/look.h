/* SPDX-License-Identifier: BSD-3-Clause */
/* look.h - what the newest records of one node say of how it is recorded */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define LOOK_JOBS_MAX 1024	/* of one node; others are left out */

/* A job that these records name. */
struct look_job {
	char *id;
	bool listed_first;	/* owned the node in the first record, and has not begun since */
	bool owns;		/* the node, after the last record */
	bool hooked;		/* a hook began it */
	bool unhooked;		/* has ended since, and no hook said so */
	int64_t ended_us;	/* by its end mark; 0: there is none */
};

/* All zero is a valid empty one. */
struct look {
	int64_t first_us, last_us;	/* TIME of records; 0: there is none */
	char *program, *topology;	/* as the newest header has them; NULL: it has none */
	struct buf types;		/* names, each with its NUL */
	struct buf failing;		/* types that the last record could not have: "ib, llite" */
	uint64_t lost;			/* record groups that could not be written */
	struct look_job *job;
	size_t n_jobs, cap_jobs;
};

void look_take(struct look *l, struct str text);	/* all records of it, of any format */
void look_free(struct look *l);
