/* SPDX-License-Identifier: BSD-3-Clause */
/* nvidia_mig.c - type nvidia_mig: MIG instances of NVIDIA GPUs */
#include "schema/type.h"
#include "schema/types/nvidia_mig.h"

static const struct metric metrics[] = {
	[MEMTOTAL]       = { "memtotal",       GAUGE,   "B", "memory of the GPU instance"     },
	[MEMFREE]        = { "memfree",        GAUGE,   "B", "of it, free"                    },
	[MEMUSED]        = { "memused",        GAUGE,   "B", "of it, used or reserved"        },
	[SM_COUNT]       = { "sm_count",       CONTROL, "",  "multiprocessors"                },
	[GPU_SLICES]     = { "gpu_slices",     CONTROL, "",  "slices of the GPU instance"     },
	[COMPUTE_SLICES] = { "compute_slices", CONTROL, "",  "slices of the compute instance" },
};

const struct type nvidia_mig_type = {
	.name     = "nvidia_mig",
	.about    = "MIG instances of NVIDIA GPUs",
	.source   = "NVML: libnvidia-ml.so.1",
	.device   = "GPU, GPU instance, compute instance: 0/1/0",
	.isolate  = true,
	METRICS(metrics),
};
