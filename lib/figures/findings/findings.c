/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c - which rules hold for a job, the largest part of its CPU time first */
#include "figures/findings.h"

#include <stdlib.h>
#include "figures/runs.h"
#include "figures/used.h"

size_t finding_find(struct str name)
{
	size_t i = 0;
	while (i < n_finding_rules && !str_eq(name, str_of(finding_rules[i].name)))
		i++;
	return i;
}

static double threshold_of(const struct finding_rule *rule, const struct finding_site *site)
{
	return site && site->set ? site->threshold : rule->usual;
}

static bool is_long_enough(const struct report *r, const struct finding_rule *rule,
			   const struct finding_site *site)
{
	double seconds = site && site->timed ? site->seconds : rule->seconds;
	return (double)report_duration(r) >= seconds * 1e6;
}

static bool has_any(const struct findings *f, const char *names)
{
	for (size_t i = 0; names && i < f->n; i++)
		if (str_has_word(str_of(names), str_of(f->finding[i].rule->name)))
			return true;
	return false;
}

static void find(struct findings *f, const struct report *r, const struct finding_rule *rule,
		 const struct finding_site *site)
{
	double threshold = threshold_of(rule, site);
	struct finding *one = &f->finding[f->n];

	*one = (struct finding){ .rule = rule, .site = site };
	if (is_long_enough(r, rule, site) && !has_any(f, rule->unless) &&
	    rule->holds(r, threshold, &one->why))
		f->n++;
	else
		buf_free(&one->why);
}

/* Much of its CPUs worked, or of its GPUs, on all nodes, and for long enough. */
static bool is_well_used(const struct report *r, const struct finding_site *site)
{
	size_t low = finding_find(STR("low-cpu"));
	const struct finding_site *own = site ? &site[low] : NULL;
	bool gpus = false;

	for (size_t i = 0; i < r->n; i++)
		gpus |= r->node[i].course.gpus || r->node[i].allocation.gpus;
	struct used u = used_of(r, gpus ? USED_GPU : USED_CPU);
	return r->n > 0 && r->n >= r->nodes_asked && !r->unreadable && !(own && own->off) &&
	       is_long_enough(r, &finding_rules[low], own) &&
	       used_full_percent(&u) >= threshold_of(&finding_rules[low], own);
}

static double seconds_of(const struct finding *f, const struct parts *p)
{
	return p->part[f->rule->part] + (f->rule->also ? p->part[f->rule->also] : 0);
}

/*
 * Rules that say what part of the time went where stand together in the table; those of the largest
 * part come first. Before them stand rules of jobs that went wrong.
 */
static void sort_parts(struct findings *f, const struct report *r)
{
	struct parts p = parts_of(r);

	for (size_t i = 1; i < f->n; i++)
		for (size_t k = i; k > 0; k--) {
			struct finding *a = &f->finding[k - 1], *b = &f->finding[k], one = *b;
			if (!a->rule->part || !b->rule->part ||
			    seconds_of(a, &p) >= seconds_of(b, &p))
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
			find(&f, r, &finding_rules[i], site ? &site[i] : NULL);
	sort_parts(&f, r);
	f.well = r->job && f.n == 0 && is_well_used(r, site);
	return f;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		buf_free(&f->finding[i].why);
	free(f->finding);
}
