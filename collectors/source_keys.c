/* SPDX-License-Identifier: BSD-3-Clause */
/* source_keys.c - files of lines "key value", whose places are remembered */
#include "collectors/source.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/*
 * Which lines of a "key value" file hold which metric. The keys stand one after the other: to
 * follow the plan touches little memory, and cold memory is what a sample costs.
 */
struct key_plan {
	size_t n, cap;
	struct wanted {
		uint16_t lines;		/* from the one before, or the start */
		uint16_t bytes;		/* from there to here the last time, 0: not known */
		uint16_t metric;
		uint16_t key_size;	/* in .keys */
	} *wanted;
	struct buf keys;
};
#define PLAN_LINES_MAX 4096

void source_plan_free(struct key_plan *p)
{
	if (!p)
		return;
	free(p->wanted);
	buf_free(&p->keys);
	free(p);
}

static const char *key_of(const struct metric *m)
{
	return m->key ? m->key : m->name;
}

static bool line_holds(struct str line, const char *key, size_t n)
{
	return line.n > n && memcmp(line.p, key, n) == 0 &&
	       (line.p[n] == ':' || line.p[n] == ' ' || line.p[n] == '\t');
}

static size_t find_metric(const struct source *s, struct str line)
{
	size_t i = 0;
	while (i < s->rows.n_metrics) {
		const char *key = key_of(&s->rows.metrics[i]);
		if (line_holds(line, key, strlen(key)))
			break;
		i++;
	}
	return i;
}

/* rest begins after the key and may go on after the line: a number ends by itself. */
static size_t take_value(struct row r, size_t metric, struct str rest)
{
	uint64_t v;
	if (!str_take_u64(&rest, &v))
		return 0;

	row_set(r, metric, v);
	return 1;
}

static void plan_line(struct key_plan *p, size_t lines, size_t metric, struct str key)
{
	p->wanted = vec_reserve(p->wanted, &p->cap, p->n + 1, sizeof(*p->wanted));
	p->wanted[p->n++] = (struct wanted){
		.lines = (uint16_t)lines, .metric = (uint16_t)metric, .key_size = (uint16_t)key.n,
	};
	buf_add(&p->keys, key);
}

static size_t make_plan(struct source *s, struct row r, size_t skip, struct str text)
{
	struct key_plan *p = s->plan;
	struct str line;
	size_t found = 0, passed = 0;	/* passed: lines, from the one that was found last */

	p->n = p->keys.n = 0;
	for (size_t i = 0; i < PLAN_LINES_MAX && str_take_line(&text, &line); i++) {
		line = str_skip(line, line.n < skip ? line.n : skip);
		size_t metric = find_metric(s, line);
		if (metric == s->rows.n_metrics) {
			passed++;
			continue;
		}
		struct str key = str_of(key_of(&s->rows.metrics[metric]));
		plan_line(p, passed, metric, key);
		found += take_value(r, metric, str_skip(line, key.n + 1));
		passed = 1;
	}
	if (found == 0)
		p->n = 0;	/* learn nothing from garbage */
	return found;
}

static const char *pass_lines(const char *at, const char *end, size_t n)
{
	while (at && n--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at && at + 1 < end ? at + 1 : NULL;
	}
	return at;
}

static bool holds_key(const char *line, const char *end, size_t skip, const char *key, size_t n)
{
	struct str rest = { line, line ? (size_t)(end - line) : 0 };
	return rest.n > skip && line_holds(str_skip(rest, skip), key, n);
}

/*
 * The next wanted line, after the one at "at". It is as far away as the last time unless a
 * number in between has got longer: looking there is cheaper than counting the lines. Or NULL.
 */
static const char *find_wanted(struct wanted *w, const char *at, const char *end, size_t skip,
			       const char *key)
{
	if (w->bytes && w->bytes < end - at && at[w->bytes - 1] == '\n' &&
	    holds_key(at + w->bytes, end, skip, key, w->key_size))
		return at + w->bytes;

	const char *line = pass_lines(at, end, w->lines);
	if (!holds_key(line, end, skip, key, w->key_size))
		return NULL;
	w->bytes = line - at <= UINT16_MAX ? (uint16_t)(line - at) : 0;
	return line;
}

/* False if the lines that the plan wants are not where it has seen them. */
static bool follow_plan(struct source *s, struct row r, size_t skip, struct str text,
			size_t *found)
{
	const struct key_plan *p = s->plan;
	const char *at = text.p, *end = at + text.n, *key = p->keys.p;

	*found = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct wanted *w = &p->wanted[i];
		at = find_wanted(w, at, end, skip, key);
		if (!at)
			return false;
		struct str rest = { at + skip, (size_t)(end - at) - skip };
		*found += take_value(r, w->metric, str_skip(rest, w->key_size + 1u));
		key += w->key_size;
	}
	return p->n > 0;
}

size_t row_key_values_behind(struct source *s, struct row r, size_t skip, struct str text)
{
	size_t found;
	if (!s->plan) {
		s->plan = xrealloc(NULL, sizeof(struct key_plan));
		*s->plan = (struct key_plan){ 0 };
	}
	return !s->rescan && follow_plan(s, r, skip, text, &found) ? found
								   : make_plan(s, r, skip, text);
}

size_t row_key_values(struct source *s, struct row r, struct str text)
{
	return row_key_values_behind(s, r, 0, text);
}

int source_key_values(struct source *s, const char *path)
{
	struct str text;
	int r = source_read(s, path, &text);
	if (r < 0)
		return r;

	if (row_key_values(s, rows_add(&s->rows, STR("-")), text) == 0) {
		rows_drop(&s->rows);
		return source_absent(s, "/%s: no line with a known key", path);
	}
	return 0;
}
