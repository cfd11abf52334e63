/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.c - the jobs of an archive: when each was there, of whom, on how many nodes */
#include "report/job_list.h"

#include <stdlib.h>
#include "base/vec.h"

#define WEEK_US (INT64_C(7) * 86400 * 1000000)

static bool is_same(const struct listed_job *a, const struct index_job *j)
{
	if (a->user && j->user.n && !str_eq(str_of(a->user), j->user))
		return false;
	return str_eq(str_of(a->id), j->id) && j->first - a->last < WEEK_US &&
	       a->first - j->last < WEEK_US;
}

static struct listed_job *find(struct job_list *l, const struct index_job *j)
{
	uint64_t hash = map_hash(j->id);
	for (struct map_slot *at = NULL; (at = map_next(&l->by_id, hash, at)); )
		if (is_same(&l->job[at->value.n], j))
			return &l->job[at->value.n];
	map_add(&l->by_id, hash, (union map_value){ .n = l->n });
	l->job = vec_reserve(l->job, &l->cap, l->n + 1, sizeof(*l->job));
	struct listed_job *job = &l->job[l->n++];
	*job = (struct listed_job){ .id = xstrdup(j->id), .first = j->first, .last = j->last };
	return job;
}

static void add_file(struct listed_job *job, const struct listed_file *file)
{
	if (job->n_files && job->file[job->n_files - 1].file == file->file)
		return;
	job->file = vec_reserve(job->file, &job->cap_files, job->n_files + 1, sizeof(*file));
	job->file[job->n_files++] = *file;
}

void job_list_add(struct job_list *l, size_t host, const struct listed_file *file,
		  const struct index_job *j)
{
	struct listed_job *job = find(l, j);
	add_file(job, file);
	if (!job->user && j->user.n)
		job->user = xstrdup(j->user);
	job->first = j->first < job->first ? j->first : job->first;
	job->last = j->last > job->last ? j->last : job->last;
	job->samples += j->samples;
	if (job->newest != host) {
		job->newest = host;
		job->nodes++;
		job->newest_begun = job->newest_ended = false;
	}
	job->begun += j->begun && !job->newest_begun;
	job->ended += j->ended && !job->newest_ended;
	job->newest_begun |= j->begun;
	job->newest_ended |= j->ended;
}

void listed_job_free(struct listed_job *j)
{
	free(j->id);
	free(j->user);
	free(j->file);
}

void job_list_free(struct job_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		listed_job_free(&l->job[i]);
	free(l->job);
	map_free(&l->by_id);
}
