/* SPDX-License-Identifier: BSD-3-Clause */
/* schedstat - time in which threads ran and waited on each CPU, from /proc/schedstat */
#include "collectors/collector.h"

enum { SCHEDSTAT_SKIP = 6 };	/* number of columns to skip after the CPU's name */

/* Parse "cpu0 0 0 0 0 0 0 123 456 7" (Documentation/scheduler/sched-stats.rst). */
static void schedstat_add_line(struct source *s, struct str line)
{
	struct str name;
	uint64_t value[3], skipped;
	if (!str_take_word(&line, &name) || !str_take_prefix(&name, STR("cpu")) ||
	    !str_is_u64(name))
		return;
	for (size_t i = 0; i < SCHEDSTAT_SKIP; i++)
		if (!str_take_u64(&line, &skipped))
			return;
	for (size_t i = 0; i < ARRAY_SIZE(value); i++)
		if (!str_take_u64(&line, &value[i]))
			return;
	struct row row = rows_add(&s->rows, name);
	for (size_t i = 0; i < ARRAY_SIZE(value); i++)
		row_set(row, i, value[i]);
}

static int schedstat_collect(struct source *s)
{
	struct str text, line;
	/* read to the end: the lines of a CPU and its scheduling domains may have more than 1 KB */
	int r = source_read_as(s, "proc/schedstat", FILE_TO_END, &text);
	if (r < 0)
		return r;
	while (str_take_line(&text, &line))
		schedstat_add_line(s, line);
	return s->rows.n ? 0 : source_absent(s, "/proc/schedstat has no line of a CPU");
}

const struct collector schedstat_collector = {
	.type    = &schedstat_type,
	.collect = schedstat_collect,
};
