/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_job.h - indexes of the keys of type gpu_job */
#pragma once

enum { GPU_PROCESSES, GPU_MEMORY, GPU_BUSY };
