/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_job.h - the places of keys in type gpu_job */
#pragma once

enum { GPU_PROCESSES, GPU_MEMORY, GPU_BUSY };
