/* SPDX-License-Identifier: BSD-3-Clause */
/* job_used.c - compute a job's efficiency and findings, for a table of jobs */
#include "report/jobs/job_used.h"

#include <assert.h>
#include <string.h>
#include "figures/findings/ended.h"
#include "figures/runs.h"

#define HOUR 3.6e9	/* microseconds per hour */

double job_unused_of_node(const struct report *r, size_t node)
{
	struct used cpus = used_of_node(r, node, USED_CPU), gpus = used_of_node(r, node, USED_GPU);
	const struct used *u = gpus.of > 0 ? &gpus : &cpus;
	double part = 1 - u->n / u->of;
	return u->of > 0 ? (part > 0 ? part : 0) * (double)r->node[node].usec / HOUR : -1;
}

static double job_used_unused(const struct report *r)
{
	double sum = 0;
	for (size_t i = 0; i < r->n; i++) {
		double one = job_unused_of_node(r, i);
		if (one < 0)
			return -1;
		sum += one;
	}
	return sum;
}

static double memory_peak(const struct report *r)
{
	double peak = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct used u = used_of_node(r, i, USED_MEMORY);
		peak = u.n > peak ? u.n : peak;
	}
	return peak;
}

static void take_findings(struct job_used *u, const struct report *r,
			  const struct finding_site *site)
{
	struct findings f = findings_of(r, site);

	assert(f.n <= FOUND_MAX);
	for (size_t i = 0; i < f.n; i++)
		u->finding[i] = (unsigned char)(f.finding[i].rule - finding_rules);
	u->n_findings = f.n;
	findings_free(&f);
}

static void how_it_ended(const struct report *r, struct job_used *ret)
{
	const struct job_end end = ended_of(r);
	str_copy(ret->exit, sizeof(ret->exit), str_of(end.exit));
	str_copy(ret->state, sizeof(ret->state), str_of(end.state));
}

void job_used_of(struct report *r, const struct sacct_job *a, const struct finding_site *site,
		 struct job_used *ret)
{
	*ret = (struct job_used){ .unused = -1, .energy = { .from = ENERGY_NONE } };
	runs_choose(r);
	procs_sort(&r->procs);
	if (r->n == 0)
		return;
	ret->known = true;
	if (a)
		sacct_add(r, a);
	for (int i = 0; i < USED_WHATS; i++)
		ret->used[i] = used_of(r, (enum used_what)i);
	how_it_ended(r, ret);
	ret->memory_peak = memory_peak(r);
	ret->energy = energy_of(r);
	ret->parts = parts_of(r);
	ret->unused = job_used_unused(r);
	take_findings(ret, r, site);
}

/* Check whether the byte at this offset is a valid bool. */
static bool is_bool(struct str bytes, size_t at)
{
	return (unsigned char)bytes.p[at] <= 1;
}

bool job_used_take(struct str bytes, struct job_used *ret)
{
	struct job_used u;
	bool sound = bytes.n >= sizeof(*ret) && is_bool(bytes, offsetof(struct job_used, known)) &&
		     memchr(bytes.p + offsetof(struct job_used, exit), 0, sizeof(ret->exit)) &&
		     memchr(bytes.p + offsetof(struct job_used, state), 0, sizeof(ret->state));
	for (size_t i = 0; i < USED_WHATS && sound; i++) {
		size_t at = offsetof(struct job_used, used) + i * sizeof(struct used);
		sound = is_bool(bytes, at + offsetof(struct used, at_least)) &&
			is_bool(bytes, at + offsetof(struct used, at_most)) &&
			is_bool(bytes, at + offsetof(struct used, measured)) &&
			is_bool(bytes, at + offsetof(struct used, from_job));
	}
	if (!sound)
		return false;
	memcpy(&u, bytes.p, sizeof(u));
	sound = u.n_findings <= FOUND_MAX && (unsigned)u.energy.from <= ENERGY_NONE &&
		(unsigned)u.energy.share.is < SHARE_KINDS;
	for (size_t i = 0; sound && i < u.n_findings; i++)
		sound = u.finding[i] < n_finding_rules;
	if (sound)
		*ret = u;
	return sound;
}
