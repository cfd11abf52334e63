/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu - time each logical CPU spent in each mode, from /proc/stat */
#include "collectors/collector.h"

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
		if (str_peek(line) == ' ' || !str_take_word(&line, &cpu) || !str_is_u64(cpu))
			continue;	/* the sum of them all */

		struct row row = rows_add(&s->rows, cpu);
		for (size_t i = 0; i < s->rows.n_metrics && str_take_u64(&line, &v); i++)
			row_set(row, i, v);
	}
	return s->rows.n ? 0 : source_absent(s, "/proc/stat has no line of a CPU");
}

const struct collector cpu_collector = {
	.type    = &cpu_type,
	.collect = collect,
};
