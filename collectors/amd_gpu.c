/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amd_gpu - use, memory, power, energy and errors of each AMD GPU, from /sys/class/drm
 *
 * The first six keys have the names and units of hpcperfstats (since 2026), but whole numbers.
 * Floating point rates and memory traffic are missing, because the GPU's profiler allows only one
 * user at a time. pcie_bw is not read, because the driver takes a second to measure it. Devices are
 * numbered in the order of their PCI addresses, as in rocm-smi; other makers' cards are not
 * counted.
 */
#include "collectors/collector.h"

#include <stdio.h>
#include "collectors/amd_gpu.h"

static bool amd_gpu_add_files(struct source *s, const struct amd_card *card, struct row row)
{
	uint64_t have = 0, v;
	struct str text;
	for (size_t i = 0; i < AMD_FILES; i++) {
		const struct amd_file *src = &amd_files[i];
		if (have >> src->key & 1 || (src->hwmon && !card->hwmon[0]) ||
		    source_read_in(s, card->dir, src->hwmon ? card->hwmon : "device", src->file,
				   &text) < 0 || !str_take_u64(&text, &v) || v == UINT64_MAX)
			continue;
		row_set(row, src->key, v / src->divisor + (v % src->divisor > src->divisor / 2));
		have |= (uint64_t)1 << src->key;
	}
	return have != 0;
}

static bool amd_gpu_add_blocks(struct source *s, const struct amd_card *card, struct row row)
{
	char file[32];
	struct str text, line;
	uint64_t v;
	bool any = false;
	for (size_t i = 0; i < AMD_BLOCKS; i++) {
		snprintf(file, sizeof(file), "ras/%s_err_count", amd_blocks[i]);
		if (source_read_in(s, card->dir, "device", file, &text) < 0)
			continue;
		while (str_take_line(&text, &line)) {
			size_t ue = str_take_prefix(&line, STR("ue:"));
			if ((!ue && !str_take_prefix(&line, STR("ce:"))) ||
			    !str_take_u64(&line, &v))
				continue;
			row_set(row, FIRST_OF_BLOCKS + 2 * i + ue, v);
			any = true;
		}
	}
	return any;
}

static bool amd_gpu_add_table(struct source *s, const struct amd_card *card, struct row row)
{
	char path[64];
	struct str table;
	uint64_t v;
	bool any = false;
	snprintf(path, sizeof(path), "%s/device/gpu_metrics", card->dir);
	if (source_read_as(s, path, FILE_TO_END, &table) < 0)
		return false;
	const struct amd_layout *layout = amd_layout_of(table);
	for (size_t i = 0; layout && i < AMD_METRICS; i++) {
		if (!amd_metrics_get(layout, table, (enum amd_metric)i, card->wide, &v))
			continue;
		row_set(row, FIRST_OF_TABLE + i, v);
		any = true;
	}
	return any;
}

static int amd_gpu_collect(struct source *s)
{
	char device[24];
	size_t n;
	const struct amd_card *card = amd_cards(s, &n);

	for (size_t i = 0; i < n; i++) {
		snprintf(device, sizeof(device), "%zu", i);
		struct row row = rows_add(&s->rows, str_of(device));
		bool any = amd_gpu_add_files(s, &card[i], row);
		any |= amd_gpu_add_blocks(s, &card[i], row);
		any |= amd_gpu_add_table(s, &card[i], row);
		if (!any)
			rows_drop(&s->rows);
	}
	if (s->rows.n)
		return 0;
	return n ? source_absent(s, "no card of amdgpu has a file to read") : amd_cards_present(s);
}

const struct collector amd_gpu_collector = {
	.type    = &amd_gpu_type,
	.collect = amd_gpu_collect,
	.present = amd_cards_present,
};
