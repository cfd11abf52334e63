/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amd_xcp - use of each partition of AMD GPUs that are divided into several partitions (MI300 and
 * later)
 *
 * The values are in the GPU's table gpu_metrics. GPUs with a single partition are covered by type
 * amd_gpu instead.
 */
#include "collectors/collector.h"

#include <stdio.h>
#include "collectors/amd_gpu.h"
#include "schema/types/amd_xcp.h"

static void amd_xcp_add_card(struct source *s, const struct amd_card *card, size_t number)
{
	char path[64], device[48];
	struct str table;
	uint64_t v[XCP_KEYS];
	snprintf(path, sizeof(path), "%s/device/gpu_metrics", card->dir);
	if (source_read_as(s, path, FILE_TO_END, &table) < 0)
		return;
	size_t n = amd_partitions(table);
	for (size_t i = 0; n > 1 && i < n; i++) {
		uint32_t have = amd_partition_get(table, i, v);
		snprintf(device, sizeof(device), "%zu/%zu", number, i);
		struct row row = rows_add(&s->rows, str_of(device));
		for (size_t k = 0; k < XCP_KEYS; k++)
			if (have >> k & 1)
				row_set(row, k, v[k]);
		if (!have)
			rows_drop(&s->rows);
	}
}

static int amd_xcp_collect(struct source *s)
{
	size_t n;
	const struct amd_card *card = amd_cards(s, &n);
	for (size_t i = 0; i < n; i++)
		amd_xcp_add_card(s, &card[i], i);
	if (s->rows.n)
		return 0;
	return n ? source_absent(s, "no GPU of amdgpu with several partitions in gpu_metrics") :
		   amd_cards_present(s);
}

const struct collector amd_xcp_collector = {
	.type    = &amd_xcp_type,
	.collect = amd_xcp_collect,
	.present = amd_cards_present,
};
