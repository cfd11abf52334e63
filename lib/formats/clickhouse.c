/* SPDX-License-Identifier: BSD-3-Clause */
/* clickhouse.c - ask a ClickHouse table which rows of one host it has */
#include "formats/clickhouse.h"

#include <stdlib.h>
#include <strings.h>

#define DAY_S 86400

static void put_decoded(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		struct str hex = { s.p + i + 1, 2 };
		uint64_t c;
		if (s.p[i] == '%' && i + 2 < s.n && str_take_hex(&hex, &c) && !hex.n) {
			buf_add_char(b, c < ' ' ? ' ' : (char)c);
			i += 2;
		} else {
			buf_add_char(b, s.p[i] == '+' ? ' ' : s.p[i]);
		}
	}
}

static bool clickhouse_take_keyword(struct str *in, const char *word)
{
	struct str got;
	return str_take_word(in, &got) && got.n == strlen(word) &&
	       strncasecmp(got.p, word, got.n) == 0;
}

static bool clickhouse_take_table(struct str query, struct buf *table)
{
	struct str word, name;
	if (!clickhouse_take_keyword(&query, "INSERT") ||
	    !clickhouse_take_keyword(&query, "INTO") ||
	    !str_take_word(&query, &word))
		return false;
	if (!str_take_until(&word, '(', &name))
		name = word;
	buf_addf(table, STR_FMT "%c", STR_ARG(name), '\0');
	return true;
}

bool clickhouse_take_query(struct str parameters, struct buf *table, struct buf *rest)
{
	struct str part;
	bool found = false, more = parameters.n > 0;

	while (more) {
		more = str_take_until(&parameters, '&', &part);
		part = more ? part : parameters;
		if (str_take_prefix(&part, STR("query="))) {
			struct buf query CLEANUP(buf_free) = { 0 };
			put_decoded(&query, part);
			found = clickhouse_take_table(buf_str(&query), table);
			continue;
		}
		buf_addf(rest, "%s" STR_FMT, rest->n ? "&" : "", STR_ARG(part));
	}
	buf_add_char(rest, '\0');
	return found;
}

void clickhouse_put_text(struct buf *b, struct str text)
{
	buf_add_char(b, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\'' || text.p[i] == '\\')
			buf_add_char(b, '\\');
		buf_add_char(b, text.p[i]);
	}
	buf_add_char(b, '\'');
}

static void clickhouse_put_host_condition(struct buf *b, struct str host)
{
	buf_add(b, STR(" WHERE host = "));
	clickhouse_put_text(b, host);
}

#define USEC "toInt64(round(time * 1000000))"

void clickhouse_put_query(struct buf *b, const char *table, struct str host, int64_t since,
			  int64_t until)
{
	if (!until) {
		buf_addf(b, "SELECT min(" USEC ") AS t, '' AS type, count() AS n, 0, 0 FROM %s",
			 table);
		clickhouse_put_host_condition(b, host);
		buf_add(b, STR(" HAVING n > 0 FORMAT TabSeparated"));
		return;
	}
	buf_addf(b, "SELECT " USEC " AS t, type, count(), sum(length(value)), sum(arraySum(value)) "
		 "FROM %s FINAL", table);
	clickhouse_put_host_condition(b, host);
	buf_addf(b, " AND day >= toDate(toDateTime(%lld)) AND day <= toDate(toDateTime(%lld)) "
		 "AND t >= %lld AND t < %lld GROUP BY t, type ORDER BY t, type FORMAT TabSeparated",
		 (long long)(since / 1000000 - DAY_S), (long long)(until / 1000000 + DAY_S),
		 (long long)since, (long long)until);
}

static bool clickhouse_take_number(struct str *in, uint64_t *ret)
{
	struct str word;
	return str_take_until(in, '\t', &word) && str_take_u64(&word, ret) && !word.n;
}

bool clickhouse_take_held(struct str *text, struct clickhouse_held *ret)
{
	struct str line, rest = *text;
	struct clickhouse_held h;
	uint64_t usec;
	char *end;
	if (!rest.n || !str_take_line(&rest, &line) || !clickhouse_take_number(&line, &usec) ||
	    usec > INT64_MAX || !str_take_until(&line, '\t', &h.type) ||
	    !clickhouse_take_number(&line, &h.rows) || !clickhouse_take_number(&line, &h.values) ||
	    !line.n)
		return false;
	h.usec = (int64_t)usec;
	h.sum = strtod(line.p, &end);
	if (end != line.p + line.n)
		return false;
	*ret = h;
	*text = rest;
	return true;
}
