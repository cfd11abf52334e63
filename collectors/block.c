/* SPDX-License-Identifier: BSD-3-Clause */
/* block - input and output of each disk, from /sys/block */
#include "collectors/block_below.h"
#include "collectors/collector.h"

static bool is_disk(struct str name)
{
	return !str_starts(name, STR("ram")) && !str_starts(name, STR("loop"));
}

static void collect_disk(struct source *s, const char *name)
{
	struct str text;
	uint64_t v;
	size_t i = 0;
	if (source_read_in(s, "sys/block", name, "stat", &text) < 0)
		return;		/* the disk has gone: the others are still there */

	struct row row = rows_add(&s->rows, str_of(name));
	for (; i < s->rows.n_metrics && str_take_u64(&text, &v); i++)
		row_set(row, i, v);
	if (i < s->rows.n_metrics)
		rows_drop(&s->rows);
}

static int collect(struct source *s)
{
	int n = source_devices(s, "sys/block", "");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		if (is_disk(str_of(source_device_name(s, (size_t)i))))
			collect_disk(s, source_device_name(s, (size_t)i));
	if (s->rows.n && s->rescan)
		block_below(s);
	return s->rows.n ? 0 : source_absent(s, "/sys/block has no disk with a stat file");
}

const struct collector block_collector = {
	.type    = &block_type,
	.collect = collect,
};
