/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.h - quantities, such as instructions, from which derived figures are computed */
#pragma once

enum quantity {
	Q_NONE,
	Q_USER, Q_SYSTEM, Q_IDLE,	/* CPU seconds */
	Q_INSTRUCTIONS, Q_CYCLES, Q_REFERENCE,
	/* instructions on 1, 2, 4 or 8 floating point numbers of 64 bits */
	Q_FP64_1, Q_FP64_2, Q_FP64_4, Q_FP64_8,
	Q_FP32_1, Q_FP32_4, Q_FP32_8, Q_FP32_16,
	Q_FLOP,			/* floating point operations of any width */
	/* floating point instructions on one number, or on a vector, of any precision */
	Q_FP_SCALAR, Q_FP_VECTOR,
	Q_LOADS, Q_L1_HITS, Q_L2_HITS, Q_L3_HITS,
	Q_STALLS,		/* cycles in which the CPU waited for a resource */
	Q_DRAM_READ, Q_DRAM_WRITTEN, Q_DRAM_BOTH, Q_HBM_READ, Q_HBM_WRITTEN,	/* bytes */
	Q_DRAM_PEAK,		/* bytes that DRAM could have moved at its clock frequency */
	/* loads from memory at the same package, and at other packages */
	Q_LOADS_LOCAL, Q_LOADS_REMOTE,
	Q_PAGES_LOCAL, Q_PAGES_REMOTE,
	/* seconds for which multiplexed counters were enabled, and for which they counted */
	Q_ENABLED, Q_RUNNING,
	Q_DISK_BYTES, Q_DISK_REQUESTS,
	Q_NET_BYTES, Q_NET_PACKETS,
	Q_IB_BYTES, Q_IB_PACKETS, Q_IB_SWITCH_BYTES, Q_IB_SWITCH_PACKETS,
	Q_OPA_BYTES, Q_OPA_PACKETS, Q_OPA_CONGESTION, Q_CXI_BYTES, Q_LNET_BYTES, Q_LNET_MESSAGES,
	Q_XRD_IN, Q_XRD_IN_EXPLAINED, Q_XRD_OUT, Q_XRD_OUT_EXPLAINED,
	Q_METADATA, Q_OPEN_CLOSE, Q_FS_BYTES,
	Q_MDC_REQUESTS, Q_MDC_WAIT, Q_OSC_REQUESTS, Q_OSC_WAIT,
	Q_JOULES_PACKAGE, Q_JOULES_MEMORY, Q_JOULES_GPU, Q_JOULES_NODE,
	Q_GPM_TIME, Q_GPM_SM, Q_GPM_OCCUPANCY, Q_GPM_INTEGER, Q_GPM_TENSOR, Q_GPM_DFMA, Q_GPM_HMMA,
	Q_GPM_IMMA, Q_GPM_FP64, Q_GPM_FP32, Q_GPM_FP16, Q_GPM_DRAM,	/* GPU seconds */
	Q_GPM_DRAM_BYTES, Q_GPM_PCIE_BYTES,
	N_QUANTITIES
};
