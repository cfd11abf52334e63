/* SPDX-License-Identifier: BSD-3-Clause */
/* ps - processes, context switches and load of the whole node, from /proc/stat and loadavg */
#include "collectors/collector.h"
#include "schema/types/ps.h"

#include <string.h>

static bool take_last_line(struct str *in, struct str *line)
{
	if (in->n && in->p[in->n - 1] == '\n')
		in->n--;
	if (in->n == 0)
		return false;

	const char *nl = memrchr(in->p, '\n', in->n);
	size_t at = nl ? (size_t)(nl + 1 - in->p) : 0;
	*line = str_skip(*in, at);
	in->n = at;
	return true;
}

/* Parse the last lines of /proc/stat, after those of CPUs and interrupts. */
static int ps_parse_stat(struct row row, struct str text)
{
	struct str line;
	uint64_t v;
	int found = 0;

	while (found < 2 && take_last_line(&text, &line)) {
		size_t key = str_peek(line) == 'c' ? CTXT : PROCESSES;
		if (!str_take_prefix(&line, key == CTXT ? STR("ctxt ") : STR("processes ")) ||
		    !str_take_u64(&line, &v))
			continue;
		row_set(row, key, v);
		found++;
	}
	return found;
}

/* Parse "16.00 15.99 15.90 18/373 30117" (fs/proc/loadavg.c). */
static int ps_parse_loadavg(struct row row, struct str text)
{
	uint64_t running, threads;
	int64_t usec;
	int found = 0;

	for (size_t key = LOAD_1; key <= LOAD_15; key++, found++) {
		if (!str_take_time(&text, &usec) || !str_take_prefix(&text, STR(" ")))
			return found;
		row_set(row, key, (uint64_t)usec / 10000);
	}
	if (!str_take_u64(&text, &running) || !str_take_prefix(&text, STR("/")) ||
	    !str_take_u64(&text, &threads))
		return found;
	row_set(row, NR_RUNNING, running);
	row_set(row, NR_THREADS, threads);
	return found + 2;
}

static int ps_collect(struct source *s)
{
	struct row row = rows_add(&s->rows, STR("-"));
	struct str text;
	int found = 0;

	if (source_read_shared(s, "proc/stat", &text) == 0)
		found += ps_parse_stat(row, text);
	if (source_read(s, "proc/loadavg", &text) == 0)
		found += ps_parse_loadavg(row, text);
	if (found)
		return 0;
	rows_drop(&s->rows);
	return source_absent(s, "neither /proc/stat nor /proc/loadavg has any of the keys");
}

const struct collector ps_collector = {
	.type    = &ps_type,
	.collect = ps_collect,
};
