/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_xcp.h - indexes of the keys of type amd_xcp */
#pragma once

enum amd_xcp_key {
	XCP_DIES, XCP_BUSY, XCP_BUSY_ACC, XCP_CYCLES, XCP_LIMITED, XCP_VCN, XCP_JPEG, XCP_KEYS
};
