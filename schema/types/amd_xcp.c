/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_xcp.c - type amd_xcp: partitions of AMD GPUs */
#include "schema/types/amd_xcp.h"
#include "schema/type.h"

static const struct metric metrics[] = {
	[XCP_DIES]     = { "xccs", GAUGE, "", "dies of compute units (XCCs) with a value" },
	[XCP_BUSY]     = { "gfx_busy", GAUGE, "", "percent busy now, added over these" },
	[XCP_BUSY_ACC] = { "gfx_busy_acc", COUNTER, "", "the same, added up in each cycle" },
	[XCP_CYCLES]   = { "accumulation_counter", COUNTER, "", "the firmware's cycles, of the "
			   "whole GPU", .bits = 32 },
	[XCP_LIMITED]  = { "below_host_limit_acc", COUNTER, "", "cycles in which the clock was "
			   "below what the host allows, added over XCCs" },
	[XCP_VCN]      = { "vcn_busy", GAUGE, "", "percent, added over video engines" },
	[XCP_JPEG]     = { "jpeg_busy", GAUGE, "", "percent, added over JPEG engines" },
};

const struct type amd_xcp_type = {
	.name    = "amd_xcp",
	.about   = "partitions (XCPs) of AMD GPUs that have more than one",
	.source  = "/sys/class/drm/cardN/device/gpu_metrics of version 1.6 to 1.8, xcp_stats",
	.device  = "GPU as in amd_gpu, and partition: 0/3",
	.isolate = true,
	METRICS(metrics),
};
