/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.c - type amd_gpu: AMD GPUs */
#include "schema/type.h"
#include "schema/types/amd_gpu.h"

static const struct metric metrics[] = {
	{ "gpu_util",         GAUGE, "",   "percent of the time in which it was busy"       },
	{ "gpu_mem_util",     GAUGE, "",   "percent, of its memory controller"              },
	{ "gpu_mem_total_mb", GAUGE, "MB", "memory of the card"                             },
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
	/* Keys in the order of enum amd_metric. */
	{ "energy",                   COUNTER, "uJ", "energy; MI200 and later"              },
	{ "accumulation_counter",     COUNTER, "", "the firmware's cycles, in which the "
						   "seven counters after it count", .bits = 32 },
	{ "prochot_residency_acc",    COUNTER, "", "held back by PROCHOT",       .bits = 32 },
	{ "ppt_residency_acc",        COUNTER, "", "by the power limit",         .bits = 32 },
	{ "socket_thm_residency_acc", COUNTER, "", "by the chip's temperature",  .bits = 32 },
	{ "vr_thm_residency_acc",     COUNTER, "", "by the regulators'",         .bits = 32 },
	{ "hbm_thm_residency_acc",    COUNTER, "", "by the memory's",            .bits = 32 },
	{ "gfx_activity_acc",         COUNTER, "", "percent busy, added up",     .bits = 32 },
	{ "mem_activity_acc",         COUNTER, "", "the same of the memory",     .bits = 32 },
	{ "throttle_status",       GAUGE, "", "reasons to run slower: bits that differ by model" },
	{ "indep_throttle_status", GAUGE, "", "the same: bits that do not"                  },
	{ "xgmi_read",  COUNTER, "KB", "read over its XGMI links"                           },
	{ "xgmi_write", COUNTER, "KB", "written over them"                                  },
};
_Static_assert(ARRAY_SIZE(metrics) == FIRST_OF_TABLE + AMD_METRICS, "metrics and amd_metric");

const struct amd_file amd_files[AMD_FILES] = {
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

const char *const amd_blocks[AMD_BLOCKS] = { "umc", "gfx", "sdma", "mmhub" };

static void amd_gpu_put_source(const struct type *t, size_t key, struct buf *to)
{
	(void)t;
	for (size_t i = 0; i < AMD_FILES; i++)
		if (amd_files[i].key == key)
			buf_addf(to, "%s%s%s", to->n ? " or " : "",
				 amd_files[i].hwmon ? "hwmon/hwmonN/" : "", amd_files[i].file);
	if (key >= FIRST_OF_TABLE)
		buf_add(to, STR("gpu_metrics"));
	else if (key >= FIRST_OF_BLOCKS)
		buf_addf(to, "ras/%s_err_count", amd_blocks[(key - FIRST_OF_BLOCKS) / 2]);
}

const struct type amd_gpu_type = {
	.name    = "amd_gpu",
	.about   = "AMD GPUs",
	.source  = "/sys/class/drm/cardN/device/KEY",
	.device  = "GPU, in the order of PCI addresses: 0",
	.isolate = true,
	.where   = amd_gpu_put_source,
	METRICS(metrics),
};
