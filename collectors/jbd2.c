/* SPDX-License-Identifier: BSD-3-Clause */
/* jbd2 - transactions of each journal of a file system, from /proc/fs/jbd2 */
#include "collectors/collector.h"

enum { TRANSACTIONS, REQUESTED };

/* Parse "1234 transactions (1200 requested), each up to 8192 blocks" (fs/jbd2/journal.c). */
static void jbd2_parse_info(struct source *s, const char *name, struct str text)
{
	uint64_t all, requested;
	if (!str_take_u64(&text, &all) || !str_take_prefix(&text, STR(" transactions (")))
		return;
	struct row row = rows_add(&s->rows, str_of(name));
	row_set(row, TRANSACTIONS, all);
	if (str_take_u64(&text, &requested) && str_starts(text, STR(" requested)")))
		row_set(row, REQUESTED, requested);
}

static int jbd2_collect(struct source *s)
{
	struct str text;
	int n = source_devices(s, "proc/fs/jbd2", "");
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		if (source_read_in(s, "proc/fs/jbd2", name, "info", &text) == 0)
			jbd2_parse_info(s, name, text);
	}
	return s->rows.n ? 0 : source_absent(s, "no /proc/fs/jbd2/DEV/info");
}

const struct collector jbd2_collector = {
	.type    = &jbd2_type,
	.collect = jbd2_collect,
};
