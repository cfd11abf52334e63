/* SPDX-License-Identifier: BSD-3-Clause */
/* nvidia_gpm.c - types nvidia_gpm and nvidia_gpm_mig: use of the pipes and links of NVIDIA GPUs */
#include "schema/types/nvidia_gpm.h"
#include "schema/type.h"

/*
 * Keys; .key is the name of NVML's GPM metric without NVML_GPM_METRIC_. GPM reports the use of most
 * units in percent of the time; the key then counts this share of the elapsed time, in ns.
 */
static const struct metric metrics[] = {
	[GPM_ELAPSED]    = { "elapsed",    COUNTER, "ns", "time that the other keys cover", "" },
	[GPM_GRAPHICS]   = { "graphics",   COUNTER, "ns", "time in which a program ran on the GPU",
			     "GRAPHICS_UTIL" },
	[GPM_SM]         = { "sm",         COUNTER, "ns", "time of work on multiprocessors, "
			     "times the share of them that worked", "SM_UTIL" },
	[GPM_OCCUPANCY]  = { "occupancy",  COUNTER, "ns", "time, times the share of the "
			     "possible warps that were active", "SM_OCCUPANCY" },
	[GPM_INTEGER]    = { "integer",    COUNTER, "ns", "time in which the integer pipe "
			     "was in use", "INTEGER_UTIL" },
	[GPM_TENSOR]     = { "tensor",     COUNTER, "ns", "time in which any tensor pipe "
			     "was in use", "ANY_TENSOR_UTIL" },
	[GPM_DFMA]       = { "tensor_dfma", COUNTER, "ns", "time in which the FP64 tensor pipe was "
			     "in use", "DFMA_TENSOR_UTIL" },
	[GPM_HMMA]       = { "tensor_hmma", COUNTER, "ns", "time in which the FP16 and BF16 tensor "
			     "pipe was in use", "HMMA_TENSOR_UTIL" },
	[GPM_IMMA]       = { "tensor_imma", COUNTER, "ns", "time in which the integer tensor pipe "
			     "was in use", "IMMA_TENSOR_UTIL" },
	[GPM_FP64]       = { "fp64",       COUNTER, "ns", "time in which the FP64 pipe was in use, "
			     "without tensor", "FP64_UTIL" },
	[GPM_FP32]       = { "fp32",       COUNTER, "ns", "time in which the FP32 pipe "
			     "was in use", "FP32_UTIL" },
	[GPM_FP16]       = { "fp16",       COUNTER, "ns", "time in which the FP16 pipe was in use, "
			     "without tensor", "FP16_UTIL" },
	[GPM_DRAM]       = { "dram",       COUNTER, "ns", "time, times the used share of the full "
			     "memory bandwidth", "DRAM_BW_UTIL" },
	[GPM_DRAM_BYTES] = { "dram_bytes", COUNTER, "B",  "bytes to and from GPU memory, by its "
			     "width and largest clock", "DRAM_BW_UTIL" },
	[GPM_PCIE_TX]    = { "pcie_tx",    COUNTER, "B",  "sent over PCI Express",
			     "PCIE_TX_PER_SEC" },
	[GPM_PCIE_RX]    = { "pcie_rx",    COUNTER, "B",  "received over PCI Express",
			     "PCIE_RX_PER_SEC" },
	[GPM_NVLINK_TX]  = { "nvlink_tx",  COUNTER, "B",  "sent over all NVLinks",
			     "NVLINK_TOTAL_TX_PER_SEC" },
	[GPM_NVLINK_RX]  = { "nvlink_rx",  COUNTER, "B",  "received over all NVLinks",
			     "NVLINK_TOTAL_RX_PER_SEC" },
};
_Static_assert(ARRAY_SIZE(metrics) == N_GPM_KEYS, "a metric for each key");

static void nvidia_gpm_put_source(const struct type *t, size_t key, struct buf *to)
{
	if (key == GPM_ELAPSED)
		buf_add(to, STR("between two samples of GPM"));
	else
		buf_addf(to, "NVML_GPM_METRIC_%s", t->metrics[key].key);
}

#define GPM(text, of) \
	.about    = text, \
	.source   = "NVML, GPM: libnvidia-ml.so.1", \
	.device   = of, \
	.isolate  = true, \
	.where    = nvidia_gpm_put_source

const struct type nvidia_gpm_type = {
	.name = "nvidia_gpm",
	GPM("pipes, memory and links of NVIDIA GPUs", "GPU, as nvidia-smi numbers it: 0"),
	METRICS(metrics),
};

/*
 * MIG instances have no keys from GPM_DRAM_BYTES on: links and memory bandwidth in bytes belong to
 * whole GPUs.
 */
const struct type nvidia_gpm_mig_type = {
	.name = "nvidia_gpm_mig",
	GPM("pipes and memory of MIG instances", "GPU and GPU instance: 0/1"),
	.metrics = metrics, .n_metrics = GPM_DRAM_BYTES,
};
