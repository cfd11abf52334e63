/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.h - indexes of the keys of type proc */
#pragma once

enum {
	UID, VM_PEAK, VM_SIZE, VM_LCK, VM_HWM, VM_RSS, VM_DATA, VM_STK, VM_EXE, VM_LIB, VM_PTE,
	VM_SWAP, THREADS, PROC_KEYS,
};
