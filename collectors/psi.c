/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * psi - time that tasks were stalled for lack of a resource, from /proc/pressure
 *
 * Each line of the files is a device, such as "memory-full" (Documentation/accounting/psi.rst),
 * because not every file has both lines "some" and "full", and a row must be complete. The line
 * "full" of /proc/pressure/cpu is left out: for the whole node, the kernel prints 0 there, because
 * the value is undefined.
 */
#include "collectors/collector.h"

#include <string.h>

/* The lines to read: path, start of the line, device. */
static const struct psi_line {
	const char *file;
	struct str begin, device;
} lines[] = {
	{ "proc/pressure/cpu",    STR("some "), STR("cpu-some")    },
	{ "proc/pressure/io",     STR("some "), STR("io-some")     },
	{ "proc/pressure/io",     STR("full "), STR("io-full")     },
	{ "proc/pressure/irq",    STR("full "), STR("irq-full")    },	/* since Linux 6.1 */
	{ "proc/pressure/memory", STR("some "), STR("memory-some") },
	{ "proc/pressure/memory", STR("full "), STR("memory-full") },
};

/* Find the total in a line such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345". */
static bool psi_find_total(struct str text, struct str begin, uint64_t *ret)
{
	struct str line;
	while (str_take_line(&text, &line)) {
		if (!str_starts(line, begin))
			continue;
		const char *blank = memrchr(line.p, ' ', line.n);
		line = str_skip(line, (size_t)(blank - line.p) + 1);
		return str_take_prefix(&line, STR("total=")) && str_take_u64(&line, ret);
	}
	return false;
}

static int psi_collect(struct source *s)
{
	struct str text = { 0 };
	const char *file = "";
	uint64_t total;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const struct psi_line *l = &lines[i];
		if (strcmp(l->file, file) != 0 && source_read(s, l->file, &text) < 0)
			text = STR("");
		file = l->file;
		if (psi_find_total(text, l->begin, &total))
			row_set(rows_add(&s->rows, l->device), 0, total);
	}
	return s->rows.n ? 0 : source_absent(s, "cannot read /proc/pressure (needs Linux 4.20, on "
					     "some systems also the boot option psi=1)");
}

const struct collector psi_collector = {
	.type    = &psi_type,
	.collect = psi_collect,
};
