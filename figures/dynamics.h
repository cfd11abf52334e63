/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.h - follows how a job goes on a node */
#pragma once

#include "figures/course.h"
#include "figures/tally.h"

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* NULL is fine */
void dynamics_clear(struct dynamics *d);	/* the samples were not the job's */
/* The tally has the sample already. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
/* Of samples taken, then clear. The tally is still the job's. alone: no other job was there. */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
