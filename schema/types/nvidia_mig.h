/* SPDX-License-Identifier: BSD-3-Clause */
/* nvidia_mig.h - indexes of the keys of type nvidia_mig */
#pragma once

enum { MEMTOTAL, MEMFREE, MEMUSED, SM_COUNT, GPU_SLICES, COMPUTE_SLICES };
