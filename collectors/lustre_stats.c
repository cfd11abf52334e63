/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre_stats.c - parse a Lustre statistics file (obdclass/lprocfs_status.c) */
#include "collectors/lustre.h"

#include <errno.h>
#include <string.h>

static const char *source_key(const struct metric *m)
{
	return m->key ? m->key : m->name;
}

/* Skip a number of a few digits: a minimum or maximum. */
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
 * Parse the unit of a line. Returns false if the unit differs from the metric's: since Lustre 2.13,
 * the fourth number of an operation such as "open" is a time, not a number of bytes. The unit
 * [pages] of Lustre 1.8 to 2.3 means bytes (llite/rw26.c).
 */
static bool lustre_parse_unit(const struct metric *m, struct str *line)
{
	if (m->unit[0] == 'u')
		return str_take_prefix(line, STR("usec] ")) ||
		       str_take_prefix(line, STR("usecs] "));
	return str_take_prefix(line, STR("bytes] ")) || str_take_prefix(line, STR("pages] "));
}

/*
 * Parse a sum, a signed number. Some versions print a negative sum as a huge unsigned number.
 * Returns 0 with *ret set; -ERANGE if the sum is negative; or -EINVAL.
 */
static int lustre_parse_sum(struct str *line, uint64_t *ret)
{
	str_take_prefix(line, STR(" "));
	if (str_take_prefix(line, STR("-")))
		return str_take_u64(line, ret) ? -ERANGE : -EINVAL;
	if (!str_take_u64(line, ret))
		return -EINVAL;
	return *ret > INT64_MAX ? -ERANGE : 0;
}

/*
 * Set *value to the sum of a metric with a unit, or else to the number of samples. Returns as
 * lustre_parse_sum() does.
 */
static int lustre_parse_value(const struct metric *m, uint64_t samples, struct str rest,
			      uint64_t *value)
{
	*value = samples;
	if (!m->unit[0] || !samples)
		return 0;
	if (!lustre_parse_unit(m, &rest) || !skip_word(&rest) || !skip_word(&rest))
		return -EINVAL;
	return lustre_parse_sum(&rest, value);
}

static bool lustre_line_has(const char *key, size_t n, struct str line)
{
	return line.n > n && line.p[n] == ' ' && str_same(line.p, key, n);
}

/* Find the metrics of a line's key; a key such as "req_waittime" has both a number and a time. */
static bool find_metrics(const struct source *s, struct str line, struct lustre_line *ret)
{
	const struct metric *m = s->rows.metrics;
	size_t n = s->rows.n_metrics, i = 0, end;
	while (i < n && !lustre_line_has(source_key(&m[i]), strlen(source_key(&m[i])), line))
		i++;
	if (i == n)
		return false;
	for (end = i + 1; end < n && strcmp(source_key(&m[end]), source_key(&m[i])) == 0; end++)
		;
	*ret = (struct lustre_line){ (unsigned char)i, (unsigned char)(end - i),
				     (unsigned char)strlen(source_key(&m[i])) };
	return true;
}

/* Add a line such as "ost_read  591567 samples [usec] 58 2298702 10257217364 690745503006198". */
static bool lustre_add_line(const struct source *s, struct row row, struct str line,
			    struct lustre_line *last, uint64_t *below_0)
{
	const struct metric *m = s->rows.metrics;
	if ((!last->key_size ||
	     !lustre_line_has(source_key(&m[last->metric]), last->key_size, line)) &&
	    !find_metrics(s, line, last))
		return true;	/* the line has no metric */

	struct str rest = str_skip(line, last->key_size);
	uint64_t samples, v;
	if (!str_take_u64(&rest, &samples) || !str_take_prefix(&rest, STR(" samples [")))
		return false;
	for (size_t i = last->metric, end = i + last->metrics; i < end; i++) {
		int r = lustre_parse_value(&m[i], samples, rest, &v);
		if (r == 0)
			row_add(row, i, v);
		else if (r == -ERANGE)
			*below_0 |= (uint64_t)1 << i;
		else
			return false;
	}
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
		if (!lustre_add_line(s, row, line, last < end ? last++ : &other, &lines->below_0))
			return false;
	return true;
}
