/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - indexes of the keys of type amd_gpu, and their files in a card's folder */
#pragma once

#include <stdbool.h>

enum {
	UTIL, MEM_UTIL, MEM_TOTAL, MEM_USED, POWER, TEMPERATURE,
	GTT_USED, MEM_TEMPERATURE, SCLK, MCLK, POWER_CAP, PCIE_REPLAY,
	FIRST_OF_BLOCKS, FIRST_OF_TABLE = FIRST_OF_BLOCKS + 8,
};

/* Values of the kernel's table gpu_metrics; FIRST_OF_TABLE is the key of the first one. */
enum amd_metric {
	AMD_ENERGY,		/* uJ */
	AMD_CYCLES,		/* cycles of the firmware, to which the counters below relate */
	AMD_PROCHOT, AMD_PPT, AMD_SOCKET_THERMAL, AMD_VR_THERMAL, AMD_HBM_THERMAL,
	AMD_GFX_ACTIVITY, AMD_MEM_ACTIVITY,
	AMD_THROTTLE, AMD_INDEP_THROTTLE,
	AMD_XGMI_READ, AMD_XGMI_WRITE,	/* KB, sum of all links */
	AMD_METRICS,
};

/*
 * A file with the value of a key; of two files for a key, the first is used. temp1 is the edge,
 * temp2 the junction, temp3 the memory; newer kernels have power1_input instead of power1_average
 * (Documentation/gpu/amdgpu/thermal.rst, driver-misc.rst).
 */
struct amd_file {
	unsigned char key;
	bool hwmon;
	const char *file;
	unsigned divisor;
};
enum { AMD_FILES = 14, AMD_BLOCKS = 4 };
extern const struct amd_file amd_files[AMD_FILES];

/*
 * Files of amdgpu_ras.c, with the lines "ue: N" and "ce: N". The keys are in the order of this
 * list. Each block has two keys, first the corrected errors ("ce").
 */
extern const char *const amd_blocks[AMD_BLOCKS];
