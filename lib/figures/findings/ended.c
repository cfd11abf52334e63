/* SPDX-License-Identifier: BSD-3-Clause */
/* ended.c - exit code and state of a job, in the words of Slurm's accounting */
#include "figures/findings/ended.h"

#include <string.h>
#include "figures/totals.h"

enum end_rank { END_UNKNOWN, END_GOOD, END_CANCELLED, END_BAD };

static bool ended_well(const char *exit)
{
	return strcmp(exit, "0") == 0 || strcmp(exit, "0:0") == 0;
}

/*
 * Whether a signal with which users and schedulers cancel jobs ended the job: SIGTERM, SIGINT or
 * SIGHUP.
 */
static bool ended_by_cancel(const char *exit)
{
	return strcmp(exit, "0:15") == 0 || strcmp(exit, "0:2") == 0 || strcmp(exit, "0:1") == 0;
}

static enum end_rank ended_rank(const struct job_end *e)
{
	if (!e->exit[0] && !e->state[0])
		return END_UNKNOWN;
	if (str_starts(str_of(e->state), STR(STATE_CANCELLED)))
		return END_CANCELLED;
	return (!e->exit[0] || ended_well(e->exit)) &&
	       (!e->state[0] || strcmp(e->state, STATE_COMPLETED) == 0) ? END_GOOD : END_BAD;
}

bool ended_worse(const struct job_end *a, const struct job_end *b)
{
	return ended_rank(a) > ended_rank(b);
}

void ended_infer(struct job_end *e, bool killed_for_memory)
{
	if (!e->state[0] && e->exit[0])
		str_copy(e->state, sizeof(e->state),
			 ended_well(e->exit) ? STR(STATE_COMPLETED) :
			 ended_by_cancel(e->exit) ? STR(STATE_CANCELLED) : STR(STATE_FAILED));
	if (killed_for_memory && strcmp(e->state, STATE_FAILED) == 0)
		str_copy(e->state, sizeof(e->state), STR(STATE_OUT_OF_MEMORY));
}

struct job_end ended_of(const struct report *r)
{
	struct job_end all = { "", "" };

	for (size_t i = 0; i < r->n; i++) {
		const struct allocation *a = &r->node[i].allocation;
		struct job_end one = { "", "" };
		str_copy(one.exit, sizeof(one.exit), str_of(a->exit));
		str_copy(one.state, sizeof(one.state), str_of(a->state));
		if (ended_worse(&one, &all))
			all = one;
	}
	ended_infer(&all, total_count(r, "job.oom_kill") > 0);
	return all;
}
