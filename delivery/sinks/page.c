/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - keep the newest sample of each type as text for Prometheus */
#include "sinks/page.h"

#include <stdlib.h>
#include "base/vec.h"
#include "schema/type.h"

/*
 * A sample is current for CURRENT_MIN_US microseconds or for CURRENT_INTERVALS intervals between
 * samples, whichever is longer.
 */
#define CURRENT_MIN_US    INT64_C(300000000)
#define CURRENT_INTERVALS 3
#define CURRENT_FIRST_US  INT64_C(1800000000)	/* how long a type's first sample is current */

static void page_free_type(struct page_type *t)
{
	free(t->name);
	buf_free(&t->text);
}

void page_free(struct sample_page *p)
{
	for (size_t i = 0; i < p->n; i++)
		page_free_type(&p->type[i]);
	free(p->type);
	buf_free(&p->jobs);
}

static bool page_record_has_type(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n_types; i++)
		if (strcmp(r->rows[i].type->name, name) == 0)
			return true;
	return false;
}

static void page_drop_missing_types(struct sample_page *p, const struct record *r, bool live,
				    struct str live_types)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct page_type *t = &p->type[i];
		if (page_record_has_type(r, t->name) ||
		    (live && !type_is_listed(live_types, str_of(t->name))))
			p->type[kept++] = *t;
		else
			page_free_type(t);
	}
	p->n = kept;
}

static struct page_type *page_type_get(struct sample_page *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->type[i].name, name) == 0)
			return &p->type[i];
	p->type = vec_reserve(p->type, &p->cap, p->n + 1, sizeof(*p->type));
	p->type[p->n] = (struct page_type){ .name = xstrdup(str_of(name)) };
	return &p->type[p->n++];
}

/* Encode a part of a record: the rows of one type or, if rows is NULL, only the jobs. */
static void page_put_part(const struct sample_page *p, const struct line_node *node,
			  const struct record *r,
			  const struct record_rows *rows, struct buf *to)
{
	struct record part = *r;
	part.rows = rows;
	part.n_types = rows != NULL;
	part.n_rows = rows ? rows->n : 0;
	part.n_jobs = rows ? 0 : r->n_jobs;
	struct line_node part_of = *node;
	part_of.around = rows ? r : NULL;
	to->n = 0;
	exposition_put(to, &part_of, &part, p->form);
}

void page_take(struct sample_page *p, const struct line_node *node, const struct record *r,
	       bool live,
	       struct str live_types)
{
	page_drop_missing_types(p, r, live, live_types);
	page_put_part(p, node, r, NULL, &p->jobs);
	for (size_t i = 0; i < r->n_types; i++) {
		struct page_type *t = page_type_get(p, r->rows[i].type->name);
		bool known = t->usec && r->usec > t->usec;
		int64_t current = known ? CURRENT_INTERVALS * (r->usec - t->usec) :
					  CURRENT_FIRST_US;
		page_put_part(p, node, r, &r->rows[i], &t->text);
		t->usec = r->usec;
		t->current_us = current > CURRENT_MIN_US ? current : CURRENT_MIN_US;
	}
	p->usec = r->usec;
}

void page_put(const struct sample_page *p, int64_t now_us, struct buf *to)
{
	/*
	 * the jobs are current for as long as the type whose samples are current for the shortest
	 * time
	 */
	int64_t current = p->n ? INT64_MAX : CURRENT_FIRST_US;
	for (size_t i = 0; i < p->n; i++)
		if (p->type[i].current_us < current)
			current = p->type[i].current_us;
	if (p->usec && now_us - p->usec < current)
		buf_add(to, buf_str(&p->jobs));
	for (size_t i = 0; i < p->n; i++)
		if (now_us - p->type[i].usec < p->type[i].current_us)
			buf_add(to, buf_str(&p->type[i].text));
}
