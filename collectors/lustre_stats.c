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
	struct str samples, unit;
	uint64_t v;
	if (!str_take_u64(&line, &v) || !str_take_word(&line, &samples) ||
	    !str_eq(samples, STR("samples")) || !str_take_word(&line, &unit))
		return false;
	if (m->unit[0] && v && (!fits(m, unit) || !take_sum(line, &v)))
		return false;

	bool more = row.present[i / 64] >> i % 64 & 1;
	row_set(row, i, more ? row.value[i] + v : v);
	return true;
}

/* "ost_read  591567 samples [usec] 58 2298702 10257217364 690745503006198" */
static bool add_line(const struct sample *s, struct row row, struct str line, size_t *at)
{
	struct str name;
	size_t n = s->n_metrics, i = 0;
	if (!str_take_word(&line, &name))
		return true;

	while (i < n && !str_eq(name, str_of(source_key(&s->metrics[(*at + i) % n]))))
		i++;
	if (i == n)
		return true;	/* the time, or a key that we do not know */

	/* Metrics of one key stand together: "req_waittime" has both a number and a time. */
	for (i = (*at + i) % n; i < n && str_eq(name, str_of(source_key(&s->metrics[i]))); i++)
		if (!add_value(&s->metrics[i], i, row, line))
			return false;
	*at = i % n;
	return true;
}

bool lustre_add_stats(const struct sample *s, struct row row, struct str text)
{
	struct str line;
	size_t at = 0;	/* where the next key is likely to be */
	if (!str_starts(text, STR("snapshot_time")))
		return false;
	while (str_take_line(&text, &line))
		if (!add_line(s, row, line, &at))
			return false;
	return true;
}
