/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel - interrupts, boot time, and tables of the kernel with their limits, from /proc */
#include "collectors/collector.h"

#include <string.h>
#include "collectors/key_lines.h"

/*
 * Read the number after a key, such as "btime 1700000000". *line is the position where the key was
 * found last, see key_lines_find().
 */
static bool kernel_read_line(struct source *s, const char *path, const char *key, uint16_t *line,
			     uint64_t *value)
{
	struct str text;
	if (source_read_shared(s, path, &text) < 0)
		return false;
	struct key_lines l = key_lines_of(text);
	return key_lines_find(&l, str_of(key), line) && key_lines_take_u64(&l, value);
}

static bool kernel_read(struct source *s, const struct metric *m, uint16_t *line, uint64_t *value)
{
	char path[128] = "proc/";
	struct str text;
	if (strcmp(m->key, "stat") == 0)
		return kernel_read_line(s, "proc/stat", m->name, line, value);
	if (strcmp(m->key, "vmstat") == 0)
		return kernel_read_line(s, "proc/vmstat", m->name, line, value);
	return str_copy(path + strlen(path), sizeof(path) - strlen(path), str_of(m->key)) &&
	       source_read(s, path, &text) == 0 && str_take_u64(&text, value);
}

static int kernel_collect(struct source *s)
{
	uint16_t *line = source_state(s, s->rows.n_metrics * sizeof(*line));
	struct row row = rows_add(&s->rows, STR("-"));
	uint64_t value;
	bool any = false;
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		if (!kernel_read(s, &s->rows.metrics[i], &line[i], &value))
			continue;
		row_set(row, i, value);
		any = true;
	}
	if (any)
		return 0;
	rows_drop(&s->rows);
	return source_absent(s, "no /proc/stat");
}

const struct collector kernel_collector = {
	.type    = &kernel_type,
	.collect = kernel_collect,
};
