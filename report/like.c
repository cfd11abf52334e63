/* SPDX-License-Identifier: BSD-3-Clause */
/* like.c - suggest jobs with ids that resemble the id that the user typed */
#include "report/like.h"

#include <stdlib.h>
#include <string.h>
#include "archive/index.h"
#include "base/vec.h"
#include "report/index_text.h"
#include "report/spread.h"

#define SHOWN 3

struct looking {
	const struct archive_file *file;
	struct str name;
	struct like *like;
};

/* Return whether the longer id is the shorter one plus a component, such as 95_1 for 95. */
static bool is_part(struct str shorter, struct str longer)
{
	return str_take_prefix(&longer, shorter) && longer.n && strchr("_+.[", str_peek(longer));
}

static void like_read_file(void *arg, size_t i, struct buf *out)
{
	const struct looking *g = arg;
	struct buf index CLEANUP(buf_free) = { 0 };
	struct index_job j;

	index_text_put(g->file[i].path, &index);
	for (struct str text = buf_str(&index); index_next_job(&text, &j); )
		if (is_part(g->name, j.id) || is_part(j.id, g->name))
			buf_addf(out, STR_FMT "\n", STR_ARG(j.id));
}

static void like_take_file(void *arg, size_t i, struct str text)
{
	struct like *l = ((struct looking *)arg)->like;
	struct str id;
	(void)i;
	while (str_take_line(&text, &id)) {
		l->id = vec_reserve(l->id, &l->cap, l->n + 1, sizeof(char *));
		l->id[l->n++] = xstrdup(id);
	}
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void like_find(struct like *l, const char *name, const struct archive_file *file, size_t n)
{
	struct looking g = { file, str_of(name), l };
	const struct spread spread = { like_read_file, like_take_file, &g };
	size_t kept = 0;

	if (n)
		spread_run(&spread, 0, n, spread_cpus());
	if (l->n)
		qsort(l->id, l->n, sizeof(char *), by_version);
	l->tasks = l->n > 0;
	for (size_t i = 0; i < l->n; i++) {
		if (kept && strcmp(l->id[kept - 1], l->id[i]) == 0) {
			free(l->id[i]);
			continue;
		}
		l->tasks &= is_part(g.name, str_of(l->id[i]));
		l->id[kept++] = l->id[i];
	}
	l->n = kept;
}

void like_put(struct buf *b, const struct like *l)
{
	for (size_t i = 0; i < l->n && i < SHOWN; i++)
		buf_addf(b, "%s%s", i ? ", " : "", l->id[i]);
	if (l->n > SHOWN)
		buf_addf(b, " and %zu more", l->n - SHOWN);
}

void like_free(struct like *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->id[i]);
	free(l->id);
	*l = (struct like){ 0 };
}
