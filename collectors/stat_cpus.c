/* SPDX-License-Identifier: BSD-3-Clause */
/* stat_cpus.c - collect the lines of CPUs in /proc/stat */
#include "collectors/stat_cpus.h"

static bool skip_columns(struct str *line, size_t n)
{
	uint64_t v;
	while (n > 0 && str_take_u64(line, &v))
		n--;
	return n == 0 && str_trim(*line).n > 0;
}

int stat_cpus(struct source *s, size_t skip, const char *absent)
{
	struct str text, line, cpu;
	uint64_t v;
	int r = source_read_shared(s, "proc/stat", &text);
	if (r < 0)
		return r;

	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("cpu")))
			break;		/* no more CPUs */
		if (str_peek(line) == ' ' || !str_take_word(&line, &cpu) || !str_is_u64(cpu) ||
		    !skip_columns(&line, skip))
			/* the sum over all CPUs, or an older kernel's line with too few columns */
			continue;
		struct row row = rows_add(&s->rows, cpu);
		for (size_t i = 0; i < s->rows.n_metrics && str_take_u64(&line, &v); i++)
			row_set(row, i, v);
	}
	return s->rows.n ? 0 : source_absent(s, "%s", absent);
}
