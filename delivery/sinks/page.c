/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - the newest sample of each type, as text that Prometheus reads */
#include "sinks/page.h"

#include <stdlib.h>
#include "base/vec.h"
#include "schema/type.h"

#define STALE_US    INT64_C(300000000)	/* values are of now for so long at least, */
#define STALE_TIMES 3			/* or for so many of the times between two samples, */
#define FIRST_US    INT64_C(1800000000)	/* where only one is known for so long */

static void free_type(struct page_type *t)
{
	free(t->name);
	buf_free(&t->text);
}

void page_free(struct page *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_type(&p->type[i]);
	free(p->type);
	buf_free(&p->jobs);
}

static bool has_type(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n_types; i++)
		if (strcmp(r->rows[i].type->name, name) == 0)
			return true;
	return false;
}

static void drop_gone(struct page *p, const struct record *r, bool live, struct str live_types)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct page_type *t = &p->type[i];
		if (has_type(r, t->name) || (live && !type_is_listed(live_types, str_of(t->name))))
			p->type[kept++] = *t;
		else
			free_type(t);
	}
	p->n = kept;
}

static struct page_type *type_of(struct page *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->type[i].name, name) == 0)
			return &p->type[i];
	p->type = vec_reserve(p->type, &p->cap, p->n + 1, sizeof(*p->type));
	p->type[p->n] = (struct page_type){ .name = xstrdup(str_of(name)) };
	return &p->type[p->n++];
}

/* A part of a record: no types, or one, and the jobs or none. */
static void put_part(const struct page *p, const struct line_node *node, const struct record *r,
		     const struct record_rows *rows, struct buf *to)
{
	struct record part = *r;
	part.rows = rows;
	part.n_types = rows != NULL;
	part.n_rows = rows ? rows->n : 0;
	part.n_jobs = rows ? 0 : r->n_jobs;
	to->n = 0;
	exposition_put(to, node, &part, p->form);
}

void page_take(struct page *p, const struct line_node *node, const struct record *r, bool live,
	       struct str live_types)
{
	drop_gone(p, r, live, live_types);
	put_part(p, node, r, NULL, &p->jobs);
	for (size_t i = 0; i < r->n_types; i++) {
		struct page_type *t = type_of(p, r->rows[i].type->name);
		bool known = t->usec && r->usec > t->usec;
		int64_t stale = known ? STALE_TIMES * (r->usec - t->usec) : FIRST_US;
		put_part(p, node, r, &r->rows[i], &t->text);
		t->usec = r->usec;
		t->stale_us = stale > STALE_US ? stale : STALE_US;
	}
	p->usec = r->usec;
}

void page_put(const struct page *p, int64_t now_us, struct buf *to)
{
	int64_t oldest = FIRST_US;
	for (size_t i = 0; i < p->n; i++)
		if (p->type[i].stale_us < oldest)
			oldest = p->type[i].stale_us;
	if (p->usec && now_us - p->usec < oldest)
		buf_add(to, buf_str(&p->jobs));
	for (size_t i = 0; i < p->n; i++)
		if (now_us - p->type[i].usec < p->type[i].stale_us)
			buf_add(to, buf_str(&p->type[i].text));
}
