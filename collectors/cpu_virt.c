/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_virt - processor time of virtual machines, and taken by others, from /proc/stat */
#include "collectors/collector.h"

#define COLUMNS_OF_CPU 7	/* user to softirq: type cpu has these */

static bool skip_columns(struct str *line)
{
	uint64_t v;
	for (int i = 0; i < COLUMNS_OF_CPU; i++)
		if (!str_take_u64(line, &v))
			return false;
	return true;
}

static int collect(struct source *s)
{
	struct str text, line, cpu;
	uint64_t v;
	int r = source_read_shared(s, "proc/stat", &text);
	if (r < 0)
		return r;
	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("cpu")))
			break;		/* they stand first */
		if (str_peek(line) == ' ' || !str_take_word(&line, &cpu) || !skip_columns(&line) ||
		    str_trim(line).n == 0)
			continue;	/* the sum of them all, or a kernel before 2.6.11 */
		struct row row = rows_add(&s->rows, cpu);
		for (size_t i = 0; i < s->rows.n_metrics && str_take_u64(&line, &v); i++)
			row_set(row, i, v);
	}
	return s->rows.n ? 0 : source_absent(s, "/proc/stat has no such columns");
}

const struct collector cpu_virt_collector = {
	.type    = &cpu_virt_type,
	.collect = collect,
};
