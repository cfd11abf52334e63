/* SPDX-License-Identifier: BSD-3-Clause */
/* nvidia_gpm.h - indexes of the keys of type nvidia_gpm */
#pragma once

enum {
	GPM_ELAPSED, GPM_GRAPHICS, GPM_SM, GPM_OCCUPANCY, GPM_INTEGER,
	GPM_TENSOR, GPM_DFMA, GPM_HMMA, GPM_IMMA, GPM_FP64, GPM_FP32, GPM_FP16,
	GPM_DRAM, GPM_DRAM_BYTES, GPM_PCIE_TX, GPM_PCIE_RX, GPM_NVLINK_TX, GPM_NVLINK_RX,
	N_GPM_KEYS,
};
