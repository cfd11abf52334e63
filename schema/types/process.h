/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - indexes of the keys of types process and process_io */
#pragma once

enum {
	PROCESS_STATE, PROCESS_KERNEL, PROCESS_SWAPPED, PROCESS_PRIORITY, PROCESS_UID, PROCESS_GID,
	PROCESS_RSS, PROCESS_SHARED, PROCESS_FAULTS, PROCESS_CPU, PROCESS_KEYS,
};
