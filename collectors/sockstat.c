/* SPDX-License-Identifier: BSD-3-Clause */
/* sockstat - sockets by protocol, from /proc/net/sockstat */
#include "collectors/collector.h"

#include <unistd.h>

/* Set the key "LINE_WORD". Returns 1, or 0 if there is no such key. */
static size_t sockstat_set(struct source *s, struct row row, struct str line, struct str word,
			   uint64_t value)
{
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		struct str key = str_of(s->rows.metrics[i].name);
		if (!str_take_prefix(&key, line) || !str_take_prefix(&key, STR("_")) ||
		    !str_eq(key, word))
			continue;
		row_set(row, i, value);
		return 1;
	}
	return 0;
}

/* Parse "TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1" (net/ipv4/proc.c, sockstat_seq_show()). */
static int sockstat_collect(struct source *s)
{
	struct str text, line, name, word;
	uint64_t value;
	size_t n = 0;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int r = source_read(s, "proc/net/sockstat", &text);
	if (r < 0)
		return r;
	struct row row = rows_add(&s->rows, STR("-"));
	while (str_take_line(&text, &line)) {
		if (!str_take_until(&line, ':', &name))
			continue;
		while (str_take_word(&line, &word) && str_take_u64(&line, &value)) {
			n += sockstat_set(s, row, name, word, value);
			if (str_eq(word, STR("mem")))
				sockstat_set(s, row, name, STR("mem_bytes"), value * page);
		}
	}
	if (n)
		return 0;
	rows_drop(&s->rows);
	return source_absent(s, "/proc/net/sockstat has no line that is known");
}

const struct collector sockstat_collector = {
	.type    = &sockstat_type,
	.collect = sockstat_collect,
};
