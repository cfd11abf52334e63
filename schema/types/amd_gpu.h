/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - indexes of the keys of type amd_gpu, and the files with their values */
#pragma once

#include <stdbool.h>

enum {
	UTIL, MEM_UTIL, MEM_TOTAL, MEM_USED, POWER, TEMPERATURE,
	GTT_USED, MEM_TEMPERATURE, SCLK, MCLK, POWER_CAP, PCIE_REPLAY,
	FIRST_OF_BLOCKS, FIRST_OF_TABLE = FIRST_OF_BLOCKS + 8,
};

/*
 * Values from the driver's table gpu_metrics, in the order of the type's keys. FIRST_OF_TABLE is
 * the index of the first value's key.
 */
enum amd_metric {
	AMD_ENERGY,		/* uJ */
	AMD_CYCLES,	/* firmware cycles; AMD_PROCHOT to AMD_MEM_ACTIVITY count such cycles */
	AMD_PROCHOT, AMD_PPT, AMD_SOCKET_THERMAL, AMD_VR_THERMAL, AMD_HBM_THERMAL,
	AMD_GFX_ACTIVITY, AMD_MEM_ACTIVITY,
	AMD_THROTTLE, AMD_INDEP_THROTTLE,
	AMD_XGMI_READ, AMD_XGMI_WRITE,	/* KB, sum of all XGMI links */
	AMD_METRICS,
};

/*
 * A file with the value of a key. If a key has two files, the first one that can be read is used:
 * newer kernels have power1_input instead of power1_average. The temperatures are temp1 at the edge
 * of the chip, temp2 at its hottest spot, and temp3 in the memory
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
 * Files with the error counts of hardware blocks, in lines "ue: N" and "ce: N" (amdgpu_ras.c). The
 * keys are in the order of this list, two for each block: first corrected errors ("ce"), then
 * uncorrected errors ("ue").
 */
extern const char *const amd_blocks[AMD_BLOCKS];
