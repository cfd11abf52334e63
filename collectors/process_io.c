/* SPDX-License-Identifier: BSD-3-Clause */
/* process_io - input and output of every process, from /proc/PID/io */
#include "collectors/process_list.h"

#define KEYS 4

/* Parse lines such as "syscr: 12" (Documentation/filesystems/proc.rst, 3.3). */
static void process_io_add_row(struct source *s, const struct process_text *p)
{
	uint64_t value[KEYS] = { 0 };
	bool has[KEYS] = { false };
	struct str text = p->text, line, name, comm;
	while (str_take_line(&text, &line)) {
		if (!str_take_until(&line, ':', &name))
			continue;
		for (size_t i = 0; i < s->rows.n_metrics; i++)
			if (str_eq(name, str_of(s->rows.metrics[i].name)))
				has[i] = str_take_u64(&line, &value[i]);
	}
	if (!process_file(s, p->process, "comm", &comm))
		return;
	struct row row = process_row(s, p->process, str_trim(comm));
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (has[i])
			row_set(row, i, value[i]);
}

static int process_io_collect(struct source *s)
{
	return process_list(s, "io", process_io_add_row);
}

const struct collector process_io_collector = {
	.type    = &process_io_type,
	.collect = process_io_collect,
};
