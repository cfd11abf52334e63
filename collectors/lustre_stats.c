/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre_stats.c - the lines of a Lustre statistics file (obdclass/lprocfs_status.c) */
#include "collectors/lustre.h"

#include <string.h>

static const char *source_key(const struct metric *m)
{
	return m->key ? m->key : m->name;
}

static bool take_sum(struct str line, uint64_t *sum)
{
	struct str min, max;
	return str_take_word(&line, &min) && str_take_word(&line, &max) &&
	       str_take_u64(&line, sum);
}

/*
 * Since 2.13 operations have times in their fourth number ("open 33 samples [usec] 0 93 700"): no
 * bytes. The [pages] of 1.8 to 2.3 are bytes all the same (llite/rw26.c adds their count).
 */
static bool fits(const struct metric *m, struct str unit)
{
	if (strcmp(m->unit, "us") == 0)
		return str_eq(unit, STR("[usec]")) || str_eq(unit, STR("[usecs]"));
	return str_eq(unit, STR("[bytes]")) || str_eq(unit, STR("[pages]"));
}

static bool add_value(const struct metric *m, size_t i, struct row row, struct str line)
{
	struct str unit;
	uint64_t v;
	if (!str_take_u64(&line, &v) || !str_take_prefix(&line, STR(" samples ")) ||
	    !str_take_word(&line, &unit))
		return false;
	if (m->unit[0] && v && (!fits(m, unit) || !take_sum(line, &v)))
		return false;

	row_add(row, i, v);
	return true;
}

static bool holds(const struct metric *m, struct str line)
{
	const char *key = source_key(m);
	size_t n = strlen(key);
	return line.n > n && line.p[n] == ' ' && memcmp(line.p, key, n) == 0;
}

/* The first metric of the line's key, or n_metrics. */
static size_t find_metric(const struct source *s, struct str line, unsigned char *last)
{
	if (*last && holds(&s->rows.metrics[*last - 1], line))
		return *last - 1u;

	size_t i = 0;
	while (i < s->rows.n_metrics && !holds(&s->rows.metrics[i], line))
		i++;
	if (i < s->rows.n_metrics)
		*last = (unsigned char)(i + 1);
	return i;
}

/*
 * "ost_read  591567 samples [usec] 58 2298702 10257217364 690745503006198". Metrics of one key
 * stand together: "req_waittime" has both a number and a time.
 */
static bool add_line(const struct source *s, struct row row, struct str line, unsigned char *last)
{
	size_t i = find_metric(s, line, last);
	if (i == s->rows.n_metrics)
		return true;	/* the time, or a key that we do not know */

	struct str rest = str_skip(line, strlen(source_key(&s->rows.metrics[i])));
	do
		if (!add_value(&s->rows.metrics[i], i, row, rest))
			return false;
	while (++i < s->rows.n_metrics && holds(&s->rows.metrics[i], line));
	return true;
}

bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text)
{
	struct str line;
	unsigned char other = 0, *last = lines->metric, *end = last + sizeof(lines->metric);
	if (!str_starts(text, STR("snapshot_time")))
		return false;
	str_take_line(&text, &line);
	while (str_take_line(&text, &line))
		if (!add_line(s, row, line, last < end ? last++ : &other))
			return false;
	return true;
}
