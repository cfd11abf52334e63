/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.c - find the jobs in a database that have records newer than their stored results */
#include "fetch/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/*
 * tolerance in comparing the times of records with those of stored runs, in microseconds: the
 * database stores times as floating-point numbers
 */
#define ROUNDING_US 1000000

int coverage_add_run(struct coverage *c, struct str job, int64_t first, int64_t last)
{
	if (c->n_runs && str_cmp(str_of(c->run[c->n_runs - 1].job), job) > 0)
		return -EBADMSG;
	c->run = vec_reserve(c->run, &c->cap_runs, c->n_runs + 1, sizeof(*c->run));
	c->run[c->n_runs++] = (struct covered_run){ xstrdup(job), first, last };
	return 0;
}

/* Decide whether the current job is stale. Keep its days in .day only if the job is stale. */
static void coverage_end_job(struct coverage *c)
{
	if (c->n_days > c->stale_days && c->is_wanted && !c->is_covered) {
		words_add(&c->stale, buf_str(&c->job));
		c->stale_days = c->n_days;
	}
	c->n_days = c->stale_days;
}

static void coverage_begin_job(struct coverage *c, struct str job)
{
	coverage_end_job(c);
	c->job.n = 0;
	buf_add(&c->job, job);
	c->is_covered = true;
	c->is_wanted = false;
	while (c->next_run < c->n_runs &&
	       str_cmp(str_of(c->run[c->next_run].job), job) < 0)
		c->next_run++;
}

/* Return true if a stored run of the current job covers this time range. */
static bool coverage_has(const struct coverage *c, int64_t first, int64_t last)
{
	for (size_t i = c->next_run; i < c->n_runs; i++) {
		const struct covered_run *r = &c->run[i];
		if (!str_eq(str_of(r->job), buf_str(&c->job)))
			return false;
		if (r->first - ROUNDING_US <= first && last <= r->last + ROUNDING_US)
			return true;
	}
	return false;
}

int coverage_add_day(struct coverage *c, struct str job, struct str host, int64_t first,
		     int64_t last)
{
	int order = str_cmp(buf_str(&c->job), job);
	if (order > 0 || first < 0 || last < first || host.n > ANSWER_HOST_MAX)
		return -EBADMSG;
	if (order < 0)
		coverage_begin_job(c, job);
	c->is_wanted |= last >= c->q->since && first <= c->q->until;
	c->is_covered = c->is_covered && coverage_has(c, first, last);
	size_t known = words_add(&c->hosts, host);	/* words_add() may move the array .word */
	const char *name = c->hosts.word[known].text;
	c->day = vec_reserve(c->day, &c->cap_days, c->n_days + 1, sizeof(*c->day));
	c->day[c->n_days++] = (struct job_day){ name, first, last };
	return 0;
}

static int coverage_by_host(const void *a, const void *b)
{
	const struct job_day *x = a, *y = b;
	int r = strcmp(x->host, y->host);
	return r ? r : (x->first > y->first) - (x->first < y->first);
}

void coverage_end(struct coverage *c)
{
	coverage_end_job(c);
	if (c->n_days)
		qsort(c->day, c->n_days, sizeof(*c->day), coverage_by_host);
}

bool coverage_is_stale(const struct coverage *c, struct str job)
{
	return words_find(&c->stale, job) != WORDS_NONE;
}

void coverage_free(struct coverage *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		free(c->run[i].job);
	free(c->run);
	free(c->day);
	words_free(&c->hosts);
	words_free(&c->stale);
	buf_free(&c->job);
}
