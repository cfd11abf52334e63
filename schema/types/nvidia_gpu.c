/* SPDX-License-Identifier: BSD-3-Clause */
/* nvidia_gpu.c - type nvidia_gpu: NVIDIA GPUs */
#include "schema/type.h"
#include "schema/types/nvidia_gpu.h"

static const struct metric metrics[] = {
	{ "memtotal",                  GAUGE,   "B",   "memory" },
	{ "memfree",                   GAUGE,   "B",   "of it, free" },
	{ "memused",                   GAUGE,   "B",   "of it, used or reserved" },
	{ "power",                     GAUGE,   "mW",  "power of the board" },
	{ "utilization",               GAUGE,   "",    "percent of time with a kernel on it" },
	{ "energy",                    COUNTER, "mJ",  "energy; Volta and later" },
	{ "mem_utilization",           GAUGE,   "",    "percent of time with memory traffic" },
	{ "encoder",                   GAUGE,   "",    "use of the video encoder, percent" },
	{ "decoder",                   GAUGE,   "",    "use of the video decoder, percent" },
	{ "sm_clock",                  GAUGE,   "MHz", "clock of the multiprocessors" },
	{ "mem_clock",                 GAUGE,   "MHz", "clock of the memory" },
	{ "power_limit",               GAUGE,   "mW",  "the limit that is in force" },
	{ "temperature",               GAUGE,   "C",   "temperature of the chip" },
	{ "mem_temperature",           GAUGE,   "C",   "temperature of the memory" },
	{ "clocks_event_reasons",      GAUGE,   "",    "why clocks are lower, bits: 1 idle, "
		"2 a setting, 4 power cap, 8 slowdown, 32 and 64 heat, 128 power brake" },
	{ "power_violation",           COUNTER, "ns",  "time held back by the power cap" },
	{ "thermal_violation",         COUNTER, "ns",  "time held back by heat" },
	{ "ecc_corrected",             COUNTER, "",    "memory errors since driver load" },
	{ "ecc_uncorrected",           COUNTER, "",    "such that were not corrected" },
	{ "ecc_corrected_aggregate",   COUNTER, "",    "the same in the GPU's life" },
	{ "ecc_uncorrected_aggregate", COUNTER, "",    "the same in its life" },
	{ "remapped_corrected",        COUNTER, "",    "rows of memory replaced; Ampere on" },
	{ "remapped_uncorrected",      COUNTER, "",    "for uncorrected errors" },
	{ "pcie_replay_counter",       COUNTER, "",    "packets sent again",  .bits = 32 },
	{ "nvlink_tx",                 COUNTER, "KB",  "sent over all NVLinks" },
	{ "nvlink_rx",                 COUNTER, "KB",  "received over them" },
};
_Static_assert(ARRAY_SIZE(metrics) == NVLINK_RX + 1, "a metric for each key");

const struct type nvidia_gpu_type = {
	.name     = "nvidia_gpu",
	.about    = "NVIDIA GPUs",
	.source   = "NVML: libnvidia-ml.so.1",
	.device   = "GPU, as nvidia-smi numbers it: 0",
	.isolate  = true,
	METRICS(metrics),
};
