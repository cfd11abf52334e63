/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - result of a query: a job on all of its nodes, or hosts over some time */
#include "figures/report.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/units.h"

void report_add(struct report *r, struct runs *runs)
{
	struct runs *to = &r->found;

	if (runs->n == 0)
		return;
	to->run = vec_reserve(to->run, &to->cap, to->n + runs->n, sizeof(*to->run));
	memcpy(to->run + to->n, runs->run, runs->n * sizeof(*to->run));
	if (to->n == 0 || runs->start < to->start)
		to->start = runs->start;
	if (to->n == 0 || runs->end > to->end)
		to->end = runs->end;
	to->n += runs->n;
	runs->n = 0;
	runs_free(runs);
}

void report_free(struct report *r)
{
	runs_free(&r->found);
	for (size_t i = 0; i < r->n; i++) {
		free(r->node[i].name);
		free(r->node[i].value);
	}
	free(r->node);
	free(r->other);
	procs_free(&r->procs);
}

struct allocation report_attributes(const struct report *r)
{
	struct allocation all = { 0 };

	for (size_t i = 0; i < r->n; i++)
		allocation_add(&all, &r->node[i].allocation);
	return all;
}

static struct str report_host_domain(const char *host)
{
	const char *dot = strchr(host, '.');
	return str_of(dot ? dot : "");
}

static bool report_has_one_domain(const struct report *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (!str_eq(report_host_domain(r->node[i].name),
			    report_host_domain(r->node[0].name)))
			return false;
	return true;
}

struct str node_name(const struct report *r, size_t node)
{
	struct str name = str_of(r->node[node].name), host = name, rest = name;
	if (report_has_one_domain(r))
		str_take_until(&rest, '.', &host);
	return host;
}

void report_put_nodes(struct buf *b, const struct report *r, size_t n, size_t first)
{
	buf_addf(b, "%s%s", text_name(node_name(r, first), 24).s, n > 1 ? ", ..." : "");
}
