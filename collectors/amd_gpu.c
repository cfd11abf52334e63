/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amd_gpu - use, memory, power, energy and errors of each AMD GPU, from /sys/class/drm
 *
 * The first six keys bear the names and units of hpcperfstats' of 2026, as whole numbers. Its rates
 * of floating point and memory traffic need the profiler, which only one user can have at a time.
 * pcie_bw is not read: the driver measures for a whole second to answer. Devices are numbered in
 * the order of their PCI addresses, as rocm-smi does; cards of other makers have no number.
 */
#include "collectors/collector.h"

#include <stdio.h>
#include "collectors/amd_gpu.h"

enum {
	UTIL, MEM_UTIL, MEM_TOTAL, MEM_USED, POWER, TEMPERATURE,
	GTT_USED, MEM_TEMPERATURE, SCLK, MCLK, POWER_CAP, PCIE_REPLAY,
	FIRST_OF_BLOCKS, FIRST_OF_TABLE = FIRST_OF_BLOCKS + 8,
};

static const struct metric metrics[] = {
	{ "gpu_util",         GAUGE, "",   "percent of the time in which it was busy"       },
	{ "gpu_mem_util",     GAUGE, "",   "percent, of its memory controller"              },
	{ "gpu_mem_total_mb", GAUGE, "MB", "its own memory"                                 },
	{ "gpu_mem_used_mb",  GAUGE, "MB", "of it, used"                                    },
	{ "power_usage",      GAUGE, "W",  "power of the board or the socket"               },
	{ "temperature",      GAUGE, "C",  "at the edge, or where that is not measured, junction" },
	{ "gtt_used",         GAUGE, "B",  "memory of the node that it uses"                },
	{ "temp_mem",         GAUGE, "mC", "temperature of its memory"                      },
	{ "sclk",             GAUGE, "Hz", "clock of the compute units"                     },
	{ "mclk",             GAUGE, "Hz", "clock of its memory"                            },
	{ "power_cap",        GAUGE, "uW", "the limit that is set"                          },
	{ "pcie_replay_count", COUNTER, "", "packets sent again"                            },
	{ "umc_ce",   COUNTER, "", "errors of its memory that were corrected"               },
	{ "umc_ue",   COUNTER, "", "such that could not be"                                 },
	{ "gfx_ce",   COUNTER, "", "errors of the compute units that were corrected"        },
	{ "gfx_ue",   COUNTER, "", "such that could not be"                                 },
	{ "sdma_ce",  COUNTER, "", "errors of the copy engines that were corrected"         },
	{ "sdma_ue",  COUNTER, "", "such that could not be"                                 },
	{ "mmhub_ce", COUNTER, "", "errors of the memory hub that were corrected"           },
	{ "mmhub_ue", COUNTER, "", "such that could not be"                                 },
	/* In the order of enum amd_metric. */
	{ "energy",                   COUNTER, "uJ", "energy; MI200 and later"              },
	{ "accumulation_counter",     COUNTER, "", "the firmware's cycles, in which the "
						   "seven counters behind it count", .bits = 32 },
	{ "prochot_residency_acc",    COUNTER, "", "held back by PROCHOT",       .bits = 32 },
	{ "ppt_residency_acc",        COUNTER, "", "by the power limit",         .bits = 32 },
	{ "socket_thm_residency_acc", COUNTER, "", "by the chip's temperature",  .bits = 32 },
	{ "vr_thm_residency_acc",     COUNTER, "", "by the regulators'",         .bits = 32 },
	{ "hbm_thm_residency_acc",    COUNTER, "", "by the memory's",            .bits = 32 },
	{ "gfx_activity_acc",         COUNTER, "", "percent busy, added up",     .bits = 32 },
	{ "mem_activity_acc",         COUNTER, "", "the same of the memory",     .bits = 32 },
	{ "throttle_status",       GAUGE, "", "what holds it back: bits that differ by model" },
	{ "indep_throttle_status", GAUGE, "", "the same: bits that do not"                  },
	{ "xgmi_read",  COUNTER, "KB", "read over its XGMI links"                           },
	{ "xgmi_write", COUNTER, "KB", "written over them"                                  },
};
_Static_assert(ARRAY_SIZE(metrics) == FIRST_OF_TABLE + AMD_METRICS, "metrics and amd_metric");

/*
 * Documentation/gpu/amdgpu/thermal.rst, driver-misc.rst: temp1 is the edge, temp2 the junction,
 * temp3 the memory; power1_average gave way to power1_input. Of two files the first one counts.
 */
static const struct source {
	unsigned char key;
	bool hwmon;
	const char *file;
	unsigned divisor;
} sources[] = {
	{ UTIL,            false, "gpu_busy_percent",    1       },
	{ MEM_UTIL,        false, "mem_busy_percent",    1       },
	{ MEM_TOTAL,       false, "mem_info_vram_total", 1 << 20 },
	{ MEM_USED,        false, "mem_info_vram_used",  1 << 20 },
	{ GTT_USED,        false, "mem_info_gtt_used",   1       },
	{ PCIE_REPLAY,     false, "pcie_replay_count",   1       },
	{ POWER,           true,  "power1_average",      1000000 },
	{ POWER,           true,  "power1_input",        1000000 },
	{ TEMPERATURE,     true,  "temp1_input",         1000    },
	{ TEMPERATURE,     true,  "temp2_input",         1000    },
	{ MEM_TEMPERATURE, true,  "temp3_input",         1       },
	{ SCLK,            true,  "freq1_input",         1       },
	{ MCLK,            true,  "freq2_input",         1       },
	{ POWER_CAP,       true,  "power1_cap",          1       },
};

/* amdgpu_ras.c: files "ue: 0\nce: 0\n"; the metrics are in this order, corrected ones first. */
static const char *const blocks[] = { "umc", "gfx", "sdma", "mmhub" };

/* uevent comes from the kernel's memory: the agent itself may read it. */
static int present(struct sample *s)
{
	size_t n;
	amd_cards(s, &n);
	return n ? 0 : sample_absent(s, "no /sys/class/drm/cardN/device is a PCI device of amdgpu");
}

static bool take_files(struct sample *s, const struct amd_card *card, struct row row)
{
	uint64_t have = 0, v;
	struct str text;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct source *src = &sources[i];
		if (have >> src->key & 1 || (src->hwmon && !card->hwmon[0]) ||
		    sample_read_in(s, card->dir, src->hwmon ? card->hwmon : "device", src->file,
				   &text) < 0 || !str_take_u64(&text, &v) || v == UINT64_MAX)
			continue;
		row_set(row, src->key, v / src->divisor + (v % src->divisor > src->divisor / 2));
		have |= (uint64_t)1 << src->key;
	}
	return have != 0;
}

static bool take_blocks(struct sample *s, const struct amd_card *card, struct row row)
{
	char file[32];
	struct str text, line;
	uint64_t v;
	bool any = false;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		snprintf(file, sizeof(file), "ras/%s_err_count", blocks[i]);
		if (sample_read_in(s, card->dir, "device", file, &text) < 0)
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

static bool take_table(struct sample *s, const struct amd_card *card, struct row row)
{
	char path[64];
	struct str table;
	uint64_t v;
	bool any = false;
	snprintf(path, sizeof(path), "%s/device/gpu_metrics", card->dir);
	if (sample_read_to_end(s, path, &table) < 0)
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

static int collect(struct sample *s)
{
	char device[24];
	size_t n;
	const struct amd_card *card = amd_cards(s, &n);

	for (size_t i = 0; i < n; i++) {
		snprintf(device, sizeof(device), "%zu", i);
		struct row row = sample_row(s, str_of(device));
		bool any = take_files(s, &card[i], row);
		any |= take_blocks(s, &card[i], row);
		any |= take_table(s, &card[i], row);
		if (!any)
			sample_drop_row(s);
	}
	if (s->n_rows)
		return 0;
	return n ? sample_absent(s, "no card of amdgpu has a file to read") : present(s);
}

const struct collector amd_gpu_collector = {
	.name    = "amd_gpu",
	.summary = "AMD GPUs",
	.source  = "/sys/class/drm/cardN/device",
	.device  = "GPU, in the order of PCI addresses: 0",
	.collect = collect,
	.present = present,
	.isolate = true,
	METRICS(metrics),
};
