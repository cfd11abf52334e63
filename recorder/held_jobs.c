/* SPDX-License-Identifier: BSD-3-Clause */
/* held_jobs.c - GPUs that jobs of this node have and do not use, from sample to sample */
#include "recorder/held_jobs.h"

#include <stdlib.h>
#include "base/vec.h"
#include "formats/raw_write.h"

void held_jobs_free(struct held_jobs *h)
{
	free(h->job);
	*h = (struct held_jobs){ 0 };
}

static struct held_job *find(struct held_jobs *h, const struct job *job)
{
	for (size_t i = 0; i < h->n; i++)
		if (str_eq(str_of(h->job[i].id), str_of(job->id)) &&
		    h->job[i].since_us == job->since_us)
			return &h->job[i];
	return NULL;
}

static void drop_ended(struct held_jobs *h, const struct jobs *jobs)
{
	size_t n = 0;
	for (size_t i = 0; i < h->n; i++) {
		const struct job *job = jobs_find(jobs, str_of(h->job[i].id));
		if (job && job->since_us == h->job[i].since_us)
			h->job[n++] = h->job[i];
	}
	h->n = n;
}

void held_jobs_take(struct held_jobs *h, const struct jobs *jobs, const struct record *sample,
		    int64_t apart_us)
{
	drop_ended(h, jobs);
	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *job = &jobs->job[i];
		struct held_job *one = job->gpus[0] ? find(h, job) : NULL;
		if (!job->gpus[0])
			continue;
		if (!one) {
			h->job = vec_reserve(h->job, &h->cap, h->n + 1, sizeof(*h->job));
			one = &h->job[h->n++];
			*one = (struct held_job){ .since_us = job->since_us };
			str_copy(one->id, sizeof(one->id), str_of(job->id));
			held_give(&one->held, str_of(job->gpus));
		}
		held_take(&one->held, sample, str_of(job->id), apart_us);
	}
}

static void put_time(struct buf *b, int64_t usec)
{
	buf_add_char(b, ' ');
	if (usec)
		raw_put_time(b, usec);
	else
		buf_add_char(b, '-');
}

void held_jobs_put(const struct held_jobs *h, struct buf *b)
{
	for (size_t i = 0; i < h->n; i++)
		for (unsigned k = 0; k < h->job[i].held.n; k++) {
			const struct held_gpu *g = &h->job[i].held.gpu[k];
			if (g->known && !g->since)
				continue;
			buf_addf(b, "held %s %u", h->job[i].id, g->number);
			put_time(b, g->since);
			put_time(b, g->used);
			put_time(b, h->job[i].held.usec);
			buf_add_char(b, '\n');
		}
}
