/* SPDX-License-Identifier: BSD-3-Clause */
/* ext4 - the cache of extents of each ext4 file system, from /proc/fs/ext4 */
#include "collectors/collector.h"

enum { EXTENTS, HITS, MISSES };

/* Parse " 12 objects" or " 20572037/758498 cache hits/misses" (fs/ext4/extents_status.c). */
static void ext4_parse_line(struct row row, struct str line)
{
	uint64_t first, second;
	if (!str_take_u64(&line, &first))
		return;
	if (str_eq(str_trim(line), STR("objects"))) {
		row_set(row, EXTENTS, first);
	} else if (str_take_prefix(&line, STR("/")) && str_take_u64(&line, &second) &&
		   str_eq(str_trim(line), STR("cache hits/misses"))) {
		row_set(row, HITS, first);
		row_set(row, MISSES, second);
	}
}

static int ext4_collect(struct source *s)
{
	struct str text, line;
	int n = source_devices(s, "proc/fs/ext4", "");
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		if (source_read_in(s, "proc/fs/ext4", name, "es_shrinker_info", &text) < 0)
			continue;
		struct row row = rows_add(&s->rows, str_of(name));
		while (str_take_line(&text, &line))
			ext4_parse_line(row, str_trim(line));
		if (!*row.present)
			rows_drop(&s->rows);
	}
	return s->rows.n ? 0 : source_absent(s, "no /proc/fs/ext4/DEV/es_shrinker_info");
}

const struct collector ext4_collector = {
	.type    = &ext4_type,
	.collect = ext4_collect,
};
