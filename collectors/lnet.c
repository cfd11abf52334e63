/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet - traffic of Lustre's network layer, from its stats file */
#include "collectors/collector.h"

#include "collectors/lustre.h"
#include "schema/types/lnet.h"

static int lnet_collect(struct source *s)
{
	struct str text;
	uint64_t number[11];
	int r = source_read(s, "proc/sys/lnet/stats", &text);
	if (r < 0)
		r = source_read(s, "sys/kernel/debug/lnet/stats", &text);
	if (r < 0)
		return lustre_absent(s, "proc/sys/lnet", "sys/kernel/debug/lnet", r);

	for (size_t i = 0; i < ARRAY_SIZE(number); i++)
		if (!str_take_u64(&text, &number[i]))
			return source_absent(s, "the stats file has fewer than 11 numbers");
	struct row row = rows_add(&s->rows, STR("-"));
	for (size_t i = 0; i < LNET_KEYS; i++)
		row_set(row, i, number[lnet_column[i]]);
	return 0;
}

const struct collector lnet_collector = {
	.type    = &lnet_type,
	.collect = lnet_collect,
	.needs   = PRIVILEGE_SEARCH,
};
