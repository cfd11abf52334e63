/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c - find the rules that hold for a job, sorted by the CPU time that they explain */
#include "figures/findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "figures/findings/cpu_rules.h"
#include "figures/findings/evidence.h"
#include "figures/neighbours.h"
#include "figures/runs.h"
#include "figures/used.h"

size_t finding_find(struct str name)
{
	size_t i = 0;
	while (i < n_finding_rules && !str_eq(name, str_of(finding_rules[i].name)))
		i++;
	return i;
}

static double findings_threshold(const struct finding_rule *rule, const struct finding_site *site)
{
	return site && site->set ? site->threshold : rule->usual;
}

/* seconds: shortest run of "nodometer run" to which all rules apply */
#define RUN_SECONDS 10
/* number of samples on each node with which a short "nodometer run" shows as much as a long job */
#define RUN_SAMPLES 8

static bool findings_job_is_long_enough(const struct report *r, const struct finding_rule *rule,
					const struct finding_site *site)
{
	double seconds = site && site->timed ? site->seconds : rule->seconds;

	if (!(site && site->timed) && seconds > RUN_SECONDS && nodes_were_followed(r, RUN_SAMPLES))
		seconds = RUN_SECONDS;
	return (double)report_duration(r) >= seconds * 1e6;
}

static bool findings_have_any(const struct findings *f, const char *names)
{
	for (size_t i = 0; names && i < f->n; i++)
		if (str_has_word(str_of(names), str_of(f->finding[i].rule->name)))
			return true;
	return false;
}

static void findings_try_rule(struct findings *f, const struct report *r,
			      const struct finding_rule *rule,
			      const struct finding_site *site)
{
	double threshold = findings_threshold(rule, site);
	struct finding *one = &f->finding[f->n];

	*one = (struct finding){ .rule = rule, .site = site };
	if (findings_job_is_long_enough(r, rule, site) && !findings_have_any(f, rule->unless) &&
	    rule->holds(r, threshold, &one->why))
		f->n++;
	else
		buf_free(&one->why);
}

static bool findings_job_had_gpus(const struct report *r)
{
	bool gpus = false;
	for (size_t i = 0; i < r->n; i++)
		gpus |= r->node[i].course.gpus || r->node[i].allocation.gpus;
	return gpus;
}

/*
 * Whether the job was long enough, and kept its GPUs (or, if it had none, its CPUs) busy on all
 * nodes.
 */
static bool findings_job_kept_busy(const struct report *r, const struct finding_site *site)
{
	size_t low = finding_find(STR("low-cpu"));
	const struct finding_site *own = site ? &site[low] : NULL;
	struct used u = used_of(r, findings_job_had_gpus(r) ? USED_GPU : USED_CPU);

	return r->n > 0 && r->n >= r->nodes_allocated && !r->unreadable && !(own && own->off) &&
	       findings_job_is_long_enough(r, &finding_rules[low], own) &&
	       used_full_percent(&u) >= findings_threshold(&finding_rules[low], own);
}

#define GOOD_CYCLES 2	/* cycles per instruction: with more, CPUs mostly waited for memory */
/* percent of the peak memory bandwidth: from this on, the bandwidth is well used */
#define GOOD_BANDWIDTH_PERCENT 50
#define GOOD_GIGAFLOPS 1	/* GFLOP/s for each busy CPU */
#define GOOD_GPU_PERCENT 50	/* percent of the time for which GPU multiprocessors must work */

static double findings_gigaflops(const struct report *r)
{
	static const char *const id[] = { "gflops64", "gflops32", "gflops" };
	struct derived_total t;
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(id); i++)
		if (evidence_at_least(r, id[i], &t) && t.nodes == r->n)
			sum += t.n * (double)t.nodes;
	return sum;
}

/*
 * Whether hardware counters show real work. Busy CPUs alone prove nothing: a CPU that waits in a
 * loop is busy, too.
 */
static bool findings_job_did_work(const struct report *r)
{
	struct used cpus = used_of(r, USED_CPU), bandwidth = used_of(r, USED_BANDWIDTH);
	struct derived_total t;

	if (findings_job_had_gpus(r))
		return evidence_at_least(r, "gpu_sm", &t) && t.n >= GOOD_GPU_PERCENT;
	if (!nodes_are_exclusive(r))
		return false;
	return (evidence_at_most(r, "cpi", &t) && t.nodes == r->n && t.n <= GOOD_CYCLES) ||
	       findings_gigaflops(r) >= GOOD_GIGAFLOPS * fmax(cpus.n, 1) ||
	       used_percent(&bandwidth) >= GOOD_BANDWIDTH_PERCENT;
}

static const char *findings_praise(const struct report *r, const struct finding_site *site)
{
	if (!findings_job_kept_busy(r, site))
		return NULL;
	if (findings_job_did_work(r))
		return "The job used what it had well.";
	return findings_job_had_gpus(r) ? "The job kept its GPUs busy." :
					     "The job kept its CPUs busy.";
}

static double findings_explained_seconds(const struct finding *f, const struct parts *p)
{
	return p->part[f->rule->part] + (f->rule->also ? p->part[f->rule->also] : 0);
}

/*
 * Sort the findings that explain a part of the CPU time (.part of the rule), largest part first.
 * They are adjacent. Findings before them, about jobs that went wrong, stay first.
 */
static void findings_sort_by_part(struct findings *f, const struct report *r)
{
	struct parts p = parts_of(r);

	p.part[PART_OTHERS] = cpu_missed_seconds(r);
	for (size_t i = 1; i < f->n; i++)
		for (size_t k = i; k > 0; k--) {
			struct finding *a = &f->finding[k - 1], *b = &f->finding[k], one = *b;
			if (!a->rule->part || !b->rule->part ||
			    findings_explained_seconds(a, &p) >= findings_explained_seconds(b, &p))
				break;
			*b = *a;
			*a = one;
		}
}

struct findings findings_of(const struct report *r, const struct finding_site *site)
{
	struct findings f = { .finding = xrealloc(NULL, n_finding_rules * sizeof(*f.finding)) };

	for (size_t i = 0; r->job && i < n_finding_rules; i++)
		if (!site || !site[i].off)
			findings_try_rule(&f, r, &finding_rules[i], site ? &site[i] : NULL);
	findings_sort_by_part(&f, r);
	f.none = r->job && f.n == 0 ? findings_praise(r, site) : NULL;
	return f;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		buf_free(&f->finding[i].why);
	free(f->finding);
}
