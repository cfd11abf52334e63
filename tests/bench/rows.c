/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rows.c - write the stored rows of a year's runs on many nodes, without the archive's files
 *
 * usage: rows DIR NODES RUNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/findings/findings.h"
#include "report/jobs/run_store.h"

#define FIRST INT64_C(1750000000000000)	/* time of the first run, microseconds since 1970 */
#define YEAR  INT64_C(31536000000000)
#define EACH  36	/* number of nodes of each run */
#define NAME  "n0000"

/*
 * Make a run whose nodes have all values that a page shows, and all that the search for slow nodes
 * measures.
 */
static void make_run(struct report *r)
{
	*r = (struct report){ .job = "7", .n = EACH };
	r->node = memset(xrealloc(NULL, EACH * sizeof(*r->node)), 0, EACH * sizeof(*r->node));
	for (size_t i = 0; i < EACH; i++) {
		struct node *n = &r->node[i];
		n->name = xstrdup(STR(NAME));
		n->course.cpus = 64;
		n->samples = 6;
		n->usec = INT64_C(3600000000);
		n->value = xrealloc(NULL, n_figures * sizeof(*n->value));
		for (size_t f = 0; f < n_figures; f++) {
			bool is = figure_is_shown(&figures[f]) || figures[f].quantity;
			n->value[f] = (struct value){ .seen = is, .n = is ? 1e5 + (double)i : 0,
						      .samples = 6, .devices = 1 };
		}
	}
}

/* Name the nodes of this run: EACH consecutive names out of all nodes. */
static void name_nodes(struct str bytes, uint64_t run, uint64_t nodes)
{
	struct run_row row;
	struct run_node n;

	if (!run_row_take(bytes, &row))
		abort();
	for (uint64_t i = 0; run_row_next_node(&row.nodes, &n); i++) {
		char name[sizeof(NAME) + 20];
		snprintf(name, sizeof(name), "n%04u", (unsigned)((run * EACH + i) % nodes));
		memcpy((char *)n.name, name, strlen(NAME));
	}
}

static uint64_t number(const char *text)
{
	struct str s = str_of(text);
	uint64_t n;
	if (!str_take_u64(&s, &n) || s.n || n == 0)
		exit(2);
	return n;
}

int main(int argc, char **argv)
{
	uint64_t nodes = number(argc > 2 ? argv[2] : ""), runs = number(argc > 3 ? argv[3] : "");
	struct finding_site *site = calloc(n_finding_rules, sizeof(*site));
	struct run_store store = RUN_STORE_EMPTY;
	struct buf one = { 0 };
	struct report r;
	size_t row;
	int e = 0;

	store.formula = run_row_formula(site);
	make_run(&r);
	run_row_put(&one, &r, &(struct job_used){ .known = true });
	for (size_t i = 0; i < runs && e == 0; i++) {
		int64_t first = FIRST + YEAR / (int64_t)runs * (int64_t)i;
		name_nodes(buf_str(&one), i, nodes);
		const struct run_store_new new = { i + 1, 0, first, first + r.node[0].usec,
						   buf_str(&one) };
		e = run_store_add(&store, &new, &row);
	}
	buf_addf(&store.path, "%s/" RUN_STORE_NAME "%c", argv[1], '\0');
	e = e < 0 ? e : run_store_write(&store, argv[1], 0, 0);
	if (e < 0)
		fprintf(stderr, "rows: %s: %s\n", argv[1], strerror(-e));
	return e < 0;
}
