/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre_stats.c - the lines of a Lustre statistics file (obdclass/lprocfs_status.c) */
#include "collectors/lustre.h"

#include <string.h>

static const char *source_key(const struct metric *m)
{
	return m->key ? m->key : m->name;
}

/* Smallest and largest are numbers of a few digits. */
static bool skip_word(struct str *line)
{
	size_t n = 0;
	while (n < line->n && line->p[n] == ' ')
		n++;
	while (n < line->n && line->p[n] != ' ')
		n++;
	if (n == line->n)
		return false;
	*line = str_skip(*line, n);
	return true;
}

/*
 * Since 2.13 operations have times in their fourth number ("open 33 samples [usec] 0 93 700"): no
 * bytes. The [pages] of 1.8 to 2.3 are bytes all the same (llite/rw26.c adds their count).
 */
static bool take_unit(const struct metric *m, struct str *line)
{
	if (m->unit[0] == 'u')
		return str_take_prefix(line, STR("usec] ")) ||
		       str_take_prefix(line, STR("usecs] "));
	return str_take_prefix(line, STR("bytes] ")) || str_take_prefix(line, STR("pages] "));
}

static bool add_value(const struct metric *m, size_t i, struct row row, struct str line)
{
	uint64_t v;
	if (!str_take_u64(&line, &v) || !str_take_prefix(&line, STR(" samples [")))
		return false;
	if (m->unit[0] && v && (!take_unit(m, &line) || !skip_word(&line) || !skip_word(&line) ||
				!str_take_u64(&line, &v)))
		return false;

	row_add(row, i, v);
	return true;
}

static bool holds(const char *key, size_t n, struct str line)
{
	return line.n > n && line.p[n] == ' ' && str_same(line.p, key, n);
}

/* The metrics of one key stand together: "req_waittime" has both a number and a time. */
static bool find_metrics(const struct source *s, struct str line, struct lustre_line *ret)
{
	const struct metric *m = s->rows.metrics;
	size_t n = s->rows.n_metrics, i = 0, end;
	while (i < n && !holds(source_key(&m[i]), strlen(source_key(&m[i])), line))
		i++;
	if (i == n)
		return false;
	for (end = i + 1; end < n && strcmp(source_key(&m[end]), source_key(&m[i])) == 0; end++)
		;
	*ret = (struct lustre_line){ (unsigned char)i, (unsigned char)(end - i),
				     (unsigned char)strlen(source_key(&m[i])) };
	return true;
}

/* "ost_read  591567 samples [usec] 58 2298702 10257217364 690745503006198". */
static bool add_line(const struct source *s, struct row row, struct str line,
		     struct lustre_line *last)
{
	const struct metric *m = s->rows.metrics;
	if ((!last->key_size || !holds(source_key(&m[last->metric]), last->key_size, line)) &&
	    !find_metrics(s, line, last))
		return true;	/* the time, or a key that we do not know */

	struct str rest = str_skip(line, last->key_size);
	for (size_t i = last->metric, end = i + last->metrics; i < end; i++)
		if (!add_value(&m[i], i, row, rest))
			return false;
	return true;
}

bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text)
{
	struct str line;
	struct lustre_line other = { 0 }, *last = lines->line;
	const struct lustre_line *end = last + ARRAY_SIZE(lines->line);
	if (!str_starts(text, STR("snapshot_time")))
		return false;
	str_take_line(&text, &line);
	while (str_take_line(&text, &line))
		if (!add_line(s, row, line, last < end ? last++ : &other))
			return false;
	return true;
}
