/* SPDX-License-Identifier: BSD-3-Clause */
/* netstat - counters of the Internet protocols, from /proc/net/snmp and /proc/net/netstat */
#include "collectors/collector.h"

#include <string.h>

/*
 * Returns true if the key is "LINE_NAME", where LINE is the name of the line and NAME that of the
 * column.
 */
static bool netstat_is_key(const char *key, struct str line, struct str name)
{
	return strncmp(key, line.p, line.n) == 0 && key[line.n] == '_' &&
	       str_eq(str_of(key + line.n + 1), name);
}

/* Parse a value. The file has -1 for Tcp's MaxConn if there is no limit. */
static bool netstat_take_value(struct str text, uint64_t *value)
{
	bool negative = str_take_prefix(&text, STR("-"));
	if (!str_take_u64(&text, value))
		return false;
	*value = negative ? -*value : *value;
	return true;
}

static size_t netstat_set(struct row row, const struct rows *rows, struct str line, struct str name,
			  struct str value)
{
	uint64_t v;
	for (size_t i = 0; i < rows->n_metrics; i++) {
		if (!netstat_is_key(rows->metrics[i].name, line, name) ||
		    !netstat_take_value(value, &v))
			continue;
		row_set(row, i, v);
		return 1;
	}
	return 0;
}

/* Parse pairs of lines, "Ip: Forwarding DefaultTTL ..." and "Ip: 1 64 ...". */
static size_t netstat_parse(struct row row, const struct rows *rows, struct str text)
{
	struct str titles, values, line, again, name, value;
	size_t n = 0;
	while (str_take_line(&text, &titles) && str_take_line(&text, &values)) {
		if (!str_take_word(&titles, &line) || !str_take_word(&values, &again) ||
		    !str_eq(line, again) || !str_ends(line, STR(":")))
			continue;
		line.n--;
		while (str_take_word(&titles, &name) && str_take_word(&values, &value))
			n += netstat_set(row, rows, line, name, value);
	}
	return n;
}

static int netstat_collect(struct source *s)
{
	static const char *const files[] = { "proc/net/snmp", "proc/net/netstat" };
	struct row row = rows_add(&s->rows, STR("-"));
	struct str text;
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (source_read(s, files[i], &text) == 0)
			n += netstat_parse(row, &s->rows, text);
	if (n)
		return 0;
	rows_drop(&s->rows);
	return source_absent(s, "no /proc/net/snmp");
}

const struct collector netstat_collector = {
	.type    = &netstat_type,
	.collect = netstat_collect,
};
