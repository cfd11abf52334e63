/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owner.h - the user of a run, as its marks say */
#pragma once

#include "figures/job.h"

/* All zero: no mark named a user yet. */
struct job_owner {
	char user[64];
	bool by_uid;		/* .user is a number: no mark had a name */
};

/*
 * Update the owner from the marks of a record. A name replaces a number, and the newest name
 * counts: a hook may add the name after the begin.
 */
void job_owner_take(struct job_owner *o, const struct record *r, struct str job);
