/* SPDX-License-Identifier: BSD-3-Clause */
/* job_judge.c - verify the values of a BPF program with the files of the job's cgroup */
#include "collectors/job_judge.h"

#include <unistd.h>
#include "schema/types/job.h"

/*
 * Find the positions of memory values and page faults among the kernel's counters, by comparing the
 * counters with the files.
 */
static void job_judge_learn(struct job_learning *l, const struct job_values *a,
			    const struct job_values *b)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned anon = 0, faults = 0, found = 0;
	for (unsigned i = 0; i + l->shmem_after < JOB_STATES; i++) {
		const unsigned long long *at = &l->state[i];
		if (!program_agrees(at[0] * page, a->value[ANON], b->value[ANON]) ||
		    !program_agrees(at[2] * page, a->value[PAGE_CACHE], b->value[PAGE_CACHE]) ||
		    !program_agrees(at[l->shmem_after] * page, a->value[SHMEM], b->value[SHMEM]))
			continue;
		anon = i + 1;
		found++;
	}
	if (found == 1 && a->value[ANON] && a->value[PAGE_CACHE] && !l->anon_at)
		l->anon_at = anon;
	found = 0;
	for (unsigned i = 0; i + 1 < JOB_EVENTS; i++) {
		if (!program_agrees(l->event[i], a->value[PGFAULT], b->value[PGFAULT]) ||
		    !program_agrees(l->event[i + 1], a->value[PGMAJFAULT], b->value[PGMAJFAULT]))
			continue;
		faults = i + 1;
		found++;
	}
	if (found == 1 && a->value[PGFAULT] && !l->pgfault_at)
		l->pgfault_at = faults;
}

static uint64_t job_judge_compare(struct job_judge *g, const struct job_values *is,
				  const struct job_values *a,
				  const struct job_values *b)
{
	uint64_t all = is->present & a->present & b->present, off = 0;
	for (size_t k = 0; k < AGE; k++) {
		bool moves = k == USER || k == SYSTEM || job_type.metrics[k].kind != COUNTER;
		if (!(all >> k & 1))
			continue;
		uint64_t bit = UINT64_C(1) << k;
		if (program_agrees(is->value[k], a->value[k], b->value[k])) {
			g->strikes[k] = 0;
			g->trusted |= bit;
		} else if ((!moves || a->value[k] == b->value[k]) &&
			   ++g->strikes[k] == PROGRAM_STRIKES) {
			off |= bit;
		}
	}
	return off;
}

/*
 * Choose a job to verify: a new job or, at a rescan, the next job in turn. Returns NULL if there is
 * none.
 */
static struct job_last *job_judge_choose(struct job_judge *g, const struct source *s,
					 struct job_lasts *l)
{
	if (s->rescan && l->n)
		l->job[++g->turn % l->n].judged = false;
	for (size_t i = 0; i < l->n; i++)
		if (l->job[i].group.id && l->job[i].group.cells && !l->job[i].judged)
			return &l->job[i];
	return NULL;
}

static bool job_judge_read_files(struct source *s, struct job_last *j, struct job_values *to)
{
	const struct job_place p = job_place_of(j);
	*to = (struct job_values){ 0 };
	int r = job_values_read(s, &p, true, to);
	/* the other values may fail, because some controllers may be missing */
	job_values_read(s, &p, false, to);
	return r >= 0;
}

struct job_last *job_judge_begin(struct job_judge *g, struct source *s, struct job_lasts *l)
{
	struct job_last *j = job_judge_choose(g, s, l);
	if (!j)
		return NULL;
	j->judged = true;
	if (!job_judge_read_files(s, j, &g->before))
		return NULL;
	j->files |= g->before.present;
	return j;
}

uint64_t job_judge_end(struct job_judge *g, struct source *s, struct job_last *j,
		       struct job_learning *learning)
{
	struct job_values is = j->group.known, after;
	uint64_t off = 0;
	j->group.known.present = 0;
	if (job_judge_read_files(s, j, &after)) {
		off = job_judge_compare(g, &is, &g->before, &after);
		job_judge_learn(learning, &g->before, &after);
	}
	j->group.known.present = is.present;
	return off;
}
