/* SPDX-License-Identifier: BSD-3-Clause */
/* softnet - packets that each CPU took from network devices, from /proc/net/softnet_stat */
#include "collectors/collector.h"

#include <inttypes.h>
#include <stdio.h>

enum { SOFTNET_CPU_COLUMN = 12 };	/* column of the CPU's number, since Linux 5.10 */

/*
 * Parse a line of hexadecimal numbers. number: the CPU that the line belongs to if no CPU is
 * offline. If some CPU is offline, only the column SOFTNET_CPU_COLUMN shows the line's CPU; older
 * kernels lack this column.
 */
static void softnet_add_line(struct source *s, struct str line, uint64_t number)
{
	struct str word;
	uint64_t value[SOFTNET_CPU_COLUMN + 1];
	size_t n = 0;
	while (n < ARRAY_SIZE(value) && str_take_word(&line, &word) &&
	       str_take_hex(&word, &value[n]) && !word.n)
		n++;
	if (n < s->rows.n_metrics)
		return;
	char cpu[24];
	snprintf(cpu, sizeof(cpu), "%" PRIu64,
		 n > SOFTNET_CPU_COLUMN ? value[SOFTNET_CPU_COLUMN] : number);
	struct row row = rows_add(&s->rows, str_of(cpu));
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		row_set(row, i, value[i]);
}

static int softnet_collect(struct source *s)
{
	struct str text, line;
	uint64_t number = 0;
	int r = source_read(s, "proc/net/softnet_stat", &text);
	if (r < 0)
		return r;
	while (str_take_line(&text, &line))
		softnet_add_line(s, line, number++);
	return s->rows.n ? 0 : source_absent(s, "/proc/net/softnet_stat has no line of a CPU");
}

const struct collector softnet_collector = {
	.type    = &softnet_type,
	.collect = softnet_collect,
};
