/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - the places of keys in type amd_gpu, and the files of a card that have them */
#pragma once

#include <stdbool.h>

enum {
	UTIL, MEM_UTIL, MEM_TOTAL, MEM_USED, POWER, TEMPERATURE,
	GTT_USED, MEM_TEMPERATURE, SCLK, MCLK, POWER_CAP, PCIE_REPLAY,
	FIRST_OF_BLOCKS, FIRST_OF_TABLE = FIRST_OF_BLOCKS + 8,
};

/* Values of the kernel's table gpu_metrics: keys from FIRST_OF_TABLE on. */
enum amd_metric {
	AMD_ENERGY,		/* uJ */
	AMD_CYCLES,		/* counts with those below, one per cycle of the firmware */
	AMD_PROCHOT, AMD_PPT, AMD_SOCKET_THERMAL, AMD_VR_THERMAL, AMD_HBM_THERMAL,
	AMD_GFX_ACTIVITY, AMD_MEM_ACTIVITY,
	AMD_THROTTLE, AMD_INDEP_THROTTLE,
	AMD_XGMI_READ, AMD_XGMI_WRITE,	/* KB, all links */
	AMD_METRICS,
};

/*
 * Documentation/gpu/amdgpu/thermal.rst, driver-misc.rst: temp1 is the edge, temp2 the junction,
 * temp3 the memory; power1_average gave way to power1_input. Of two files the first one counts.
 */
struct amd_file {
	unsigned char key;
	bool hwmon;
	const char *file;
	unsigned divisor;
};
enum { AMD_FILES = 14, AMD_BLOCKS = 4 };
extern const struct amd_file amd_files[AMD_FILES];

/* amdgpu_ras.c: files "ue: 0\nce: 0\n"; the metrics are in this order, corrected ones first. */
extern const char *const amd_blocks[AMD_BLOCKS];
