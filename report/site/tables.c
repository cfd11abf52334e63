/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - write a site's lists of runs: by user, account, node and week, and the worst */
#include "report/site/tables.h"

#include <stdlib.h>
#include <time.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/words.h"
#include "plot/html.h"
#include "report/jobs/groups.h"
#include "report/site/place.h"

#define ROWS_MOST  1000		/* limit of rows per page; the search field finds the other runs */
#define WORST_MOST 100
#define SEARCH     "search.js"

/* A run in the list of the page for .key, such as an account. */
struct pick {
	size_t key, job;
	double order;
};
struct picks {
	struct words keys;
	struct pick *pick;
	size_t n, cap;
};

struct tables {
	struct site *s;
	const struct listed_job *job;
	/*
	 * for each run, the HTML of its table row, without the start of the link to the run's page,
	 * which depends on the folder of the table
	 */
	struct buf *row;
	struct pick *newest;	/* all runs, the newest first */
	size_t n;
};

static int tables_by_order(const void *a, const void *b)	/* largest .order first */
{
	const struct pick *x = a, *y = b;
	return x->order != y->order ? (x->order < y->order) - (x->order > y->order) :
				      (x->job > y->job) - (x->job < y->job);
}

/* Write the link to a run's page: from OUT/all or, if `own` is set, from the user's folder. */
static void put_href(struct buf *b, const struct listed_job *j, bool own)
{
	if (!own) {
		buf_add(b, STR("../users/"));
		site_put_user(b, j->user);
		buf_add_char(b, '/');
	}
	site_put_run(b, j);
}

static void put_printable(struct buf *b, const char *text)
{
	struct buf printable CLEANUP(buf_free) = { 0 };
	utf8_put(&printable, str_of(text));
	utf8_make_printable(printable.p, printable.n);
	buf_add_char(&printable, '\0');
	html_put_text(b, printable.p);
}

static void tables_put_cell(void *arg, size_t column, const char *text)
{
	struct buf *b = arg;
	if (column)
		buf_add(b, STR("<td>"));
	put_printable(b, text);
	buf_add(b, column ? STR("</td>") : STR("</a></td>"));
}

static void tables_put_row(struct buf *b, const struct site *s, const struct listed_job *j)
{
	const struct jobs_table t = { .with_used = true, .factors = &s->of.advice->factors };
	put_href(b, j, true);
	buf_add(b, STR("\">"));
	jobs_put_row(b, tables_put_cell, &t, j, NULL);
	buf_add(b, STR("</tr>\n"));
}

static void tables_put_titles(struct buf *b, const char *first, size_t n)
{
	buf_add(b, STR(HTML_WIDE "<table><thead><tr>"));
	for (size_t i = 0; i < n; i++)
		html_put_element(b, "th", n == JOBS_COLUMNS ? jobs_columns[i] :
				 i ? group_columns[i].title : first);
	buf_add(b, STR("</tr></thead><tbody>\n"));
}

static void put_runs(struct buf *b, const struct tables *t, const struct pick *p, size_t n,
		     bool own)
{
	tables_put_titles(b, NULL, JOBS_COLUMNS);
	for (size_t i = 0; i < n && i < ROWS_MOST; i++) {
		buf_add(b, STR("<tr><td><a href=\""));
		if (!own) {
			buf_add(b, STR("../users/"));
			site_put_user(b, t->job[p[i].job].user);
			buf_add_char(b, '/');
		}
		buf_add(b, buf_str(&t->row[p[i].job]));
	}
	html_end_table(b);
	if (n > ROWS_MOST)
		buf_addf(b, "<p>And %zu earlier runs, which the search finds.</p>\n",
			 n - ROWS_MOST);
}

static void put_search(struct buf *b)
{
	buf_add(b, STR("<p><label>Job <input id=\"job\" autocomplete=\"off\"></label></p>"
		       "<ul id=\"found\"></ul>\n<script>\n"
		       "const q=document.getElementById('job'),f=document.getElementById('found');"
		       "\nq.addEventListener('input',()=>{f.textContent='';if(!q.value)return;\n"
		       "for(const r of nodometer_runs.filter(r=>r[0].startsWith(q.value))"
		       ".slice(0,50)){\n"
		       "const a=document.createElement('a'),l=document.createElement('li');\n"
		       "a.href=r[1];a.textContent=r[0]+', '+r[2]+', '+r[3];l.append(a);f.append(l)"
		       "}});\n</script>\n"));
}

/* Write the data of the search field as a JavaScript statement that assigns a JSON array. */
static void write_search(const struct tables *t, int dirfd, const struct pick *p, size_t n,
			 bool own)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, STR("const nodometer_runs=["));
	for (size_t i = 0; i < n; i++) {
		const struct listed_job *j = &t->job[p[i].job];
		struct buf href CLEANUP(buf_free) = { 0 };
		put_href(&href, j, own);
		json_open(&b, NULL, '[');
		json_str(&b, NULL, str_of(j->id));
		json_str(&b, NULL, buf_str(&href));
		json_str(&b, NULL, str_of(j->user ? j->user : "-"));
		json_str(&b, NULL, str_of(cli_moment(j->first).s));
		json_close(&b, ']');
	}
	buf_add(&b, STR("];\n"));
	site_write(t->s, dirfd, SEARCH, buf_str(&b));
}

static void pick(struct picks *p, const char *key, size_t job)
{
	p->pick = vec_reserve(p->pick, &p->cap, p->n + 1, sizeof(*p->pick));
	p->pick[p->n] = (struct pick){ .key = words_add(&p->keys, str_of(key)), .job = job };
	p->keys.word[p->pick[p->n++].key].n++;
}

/* Sort the picks by key. Picks with equal keys keep their order. */
static void sort_picks(struct picks *p)
{
	struct pick *sorted = xrealloc(NULL, p->n * sizeof(*sorted));
	size_t at = 0;
	for (size_t i = 0; i < p->keys.n; i++) {
		size_t n = p->keys.word[i].n;
		p->keys.word[i].n = at;
		at += n;
	}
	for (size_t i = 0; i < p->n; i++)
		sorted[p->keys.word[p->pick[i].key].n++] = p->pick[i];
	free(p->pick);
	p->pick = sorted;
	p->cap = p->n;
}

static void free_picks(struct picks *p)
{
	words_free(&p->keys);
	free(p->pick);
}

static void write_page(const struct tables *t, const char *name, const char *title,
		       const struct pick *p, size_t n)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	html_begin(&b, title);
	buf_add(&b, STR("<p><a href=\"index.html\">All</a></p>\n"));
	put_runs(&b, t, p, n, false);
	html_end(&b);
	site_write(t->s, t->s->all, name, buf_str(&b));
}

/* Write a page of runs in OUT/all for each key; `kind` names the kind of key: "account". */
static void write_pages(const struct tables *t, struct picks *p, const char *kind)
{
	sort_picks(p);
	for (size_t i = 0, from = 0; i < p->keys.n; from = p->keys.word[i++].n) {
		const char *key = p->keys.word[i].text;
		struct buf name CLEANUP(buf_free) = { 0 }, title CLEANUP(buf_free) = { 0 };
		buf_addf(&name, "%s-", kind);
		place_put_name(&name, key);
		buf_addf(&name, ".html%c", '\0');
		buf_addf(&title, "Runs of %s ", kind);
		utf8_put(&title, str_of(key));
		utf8_make_printable(title.p, title.n);
		buf_add_char(&title, '\0');
		write_page(t, name.p, title.p, p->pick + from, p->keys.word[i].n - from);
	}
}

/* Write the index page and search data in each user's folder. */
static void write_users(const struct tables *t)
{
	struct picks p = { .n = 0 };
	for (size_t i = 0; i < t->n; i++) {
		const char *user = t->job[t->newest[i].job].user;
		pick(&p, user ? user : "", t->newest[i].job);
	}
	sort_picks(&p);
	for (size_t i = 0, from = 0; i < p.keys.n; from = p.keys.word[i++].n) {
		const struct pick *own = p.pick + from;
		size_t n = p.keys.word[i].n - from;
		struct buf b CLEANUP(buf_free) = { 0 };
		int fd CLEANUP(close_fd) = site_open_user(t->s, t->job[own->job].user);
		if (fd < 0)
			continue;
		html_begin_beside(&b, "Your runs", SEARCH);
		put_search(&b);
		put_runs(&b, t, own, n, true);
		html_end(&b);
		write_search(t, fd, own, n, true);
		site_write(t->s, fd, "index.html", buf_str(&b));
	}
	free_picks(&p);
}

static void write_accounts(const struct tables *t)
{
	struct picks p = { .n = 0 };
	for (size_t i = 0; i < t->n; i++)
		if (t->job[t->newest[i].job].account)
			pick(&p, t->job[t->newest[i].job].account, t->newest[i].job);
	write_pages(t, &p, "account");
	free_picks(&p);
}

static void write_nodes(const struct tables *t)
{
	struct picks p = { .n = 0 };
	for (size_t i = 0; i < t->n; i++) {
		const struct listed_job *j = listing_job(&t->s->of, t->newest[i].job);
		struct str at = j->is->nodes;
		struct run_node node;
		while (run_row_next_node(&at, &node))
			pick(&p, node.name, t->newest[i].job);
	}
	write_pages(t, &p, "node");
	free_picks(&p);
}

/* Write a page for each ISO 8601 week. Appends a link for each week to *list, newest first. */
static void write_weeks(const struct tables *t, struct buf *list)
{
	struct picks p = { .n = 0 };
	for (size_t i = 0; i < t->n; i++) {
		const time_t at = (time_t)(t->job[t->newest[i].job].first / 1000000);
		char week[32] = "?";
		struct tm tm;
		if (localtime_r(&at, &tm))
			strftime(week, sizeof(week), "%G-W%V", &tm);
		pick(&p, week, t->newest[i].job);
	}
	write_pages(t, &p, "week");
	for (size_t i = 0; i < p.keys.n; i++) {
		buf_add(list, STR("<li><a href=\"week-"));
		place_put_name(list, p.keys.word[i].text);
		buf_addf(list, ".html\">%s</a></li>\n", p.keys.word[i].text);
	}
	free_picks(&p);
}

static void write_worst(const struct tables *t)
{
	struct pick *p = xrealloc(NULL, t->n * sizeof(*p));
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].order > 0)
			p[n++] = (struct pick){ .job = i, .order = t->job[i].order };
	if (n)
		qsort(p, n, sizeof(*p), tables_by_order);
	write_page(t, "worst.html", "The runs that left most hours of nodes unused", p,
		   n < WORST_MOST ? n : WORST_MOST);
	free(p);
}

struct group_cell {
	struct buf *b;
	enum group_by by;
	const char *name;
};

/*
 * Write the link to the page of an account or node. Returns false if there is no page, because the
 * account or node is unknown.
 */
static bool put_group_href(struct buf *b, enum group_by by, const char *name)
{
	if (by == GROUP_USER) {
		buf_add(b, STR("../users/"));
		site_put_user(b, *name ? name : NULL);
		buf_add(b, STR("/index.html"));
	} else if (*name) {
		buf_addf(b, "%s-", group_names[by]);
		place_put_name(b, name);
		buf_add(b, STR(".html"));
	}
	return by == GROUP_USER || *name;
}

static void put_group_cell(void *arg, size_t column, const char *text)
{
	const struct group_cell *c = arg;
	struct buf href CLEANUP(buf_free) = { 0 };
	bool linked = !column && put_group_href(&href, c->by, c->name);

	buf_add(c->b, STR("<td>"));
	if (linked)
		buf_addf(c->b, "<a href=\"" STR_FMT "\">", STR_ARG(buf_str(&href)));
	put_printable(c->b, text);
	buf_add(c->b, linked ? STR("</a></td>") : STR("</td>"));
}

static void write_groups(const struct tables *t, enum group_by by, const char *title)
{
	const struct jobs_table table = {
		.with_used = true, .factors = &t->s->of.advice->factors,
	};
	struct groups g = { .by = by };
	struct buf b CLEANUP(buf_free) = { 0 }, name CLEANUP(buf_free) = { 0 };
	struct group_cell cell = { .b = &b, .by = by };

	for (size_t i = 0; i < t->n; i++)
		groups_add(&g, &table, listing_job(&t->s->of, i), NULL);
	groups_sort(&g, ORDER_UNUSED, 0);
	html_begin(&b, title);
	buf_add(&b, STR("<p><a href=\"index.html\">All</a></p>\n"));
	tables_put_titles(&b, group_names[by], GROUP_COLUMNS);
	for (size_t i = 0; i < g.n; i++) {
		buf_add(&b, STR("<tr>"));
		cell.name = g.group[i].name;
		groups_put_row(&cell, put_group_cell, &table, &g.group[i]);
		buf_add(&b, STR("</tr>\n"));
	}
	html_end_table(&b);
	html_end(&b);
	buf_addf(&name, "%ss.html%c", group_names[by], '\0');
	site_write(t->s, t->s->all, name.p, buf_str(&b));
	groups_free(&g);
}

static void write_index(const struct tables *t, const struct buf *weeks)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	html_begin_beside(&b, "Runs of all users", SEARCH);
	put_search(&b);
	buf_add(&b, STR("<ul>\n<li><a href=\"worst.html\">The worst</a></li>\n"
			"<li><a href=\"users.html\">Users</a></li>\n"
			"<li><a href=\"accounts.html\">Accounts</a></li>\n"
			"<li><a href=\"nodes.html\">Nodes</a></li>\n"
			"<li><a href=\"fleet.html\">Nodes that need attention</a></li>\n"));
	buf_add(&b, buf_str(weeks));
	buf_add(&b, STR("</ul>\n"));
	html_end(&b);
	write_search(t, t->s->all, t->newest, t->n, false);
	site_write(t->s, t->s->all, "index.html", buf_str(&b));
}

void tables_write(struct site *s)
{
	struct tables t = { .s = s, .job = s->of.list.job, .n = s->of.list.n };
	struct buf weeks CLEANUP(buf_free) = { 0 };

	t.row = memset(xrealloc(NULL, t.n * sizeof(*t.row)), 0, t.n * sizeof(*t.row));
	t.newest = xrealloc(NULL, t.n * sizeof(*t.newest));
	for (size_t i = 0; i < t.n; i++) {
		tables_put_row(&t.row[i], s, listing_job(&s->of, i));
		t.newest[i] = (struct pick){ .job = i, .order = (double)t.job[i].first };
	}
	if (t.n)
		qsort(t.newest, t.n, sizeof(*t.newest), tables_by_order);
	write_users(&t);
	write_accounts(&t);
	write_nodes(&t);
	write_weeks(&t, &weeks);
	write_worst(&t);
	write_groups(&t, GROUP_USER, "Users");
	write_groups(&t, GROUP_ACCOUNT, "Accounts");
	write_groups(&t, GROUP_NODE, "Nodes");
	write_index(&t, &weeks);
	for (size_t i = 0; i < t.n; i++)
		buf_free(&t.row[i]);
	free(t.row);
	free(t.newest);
}
