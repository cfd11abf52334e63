/* SPDX-License-Identifier: BSD-3-Clause */
/* nvml_processes.h - processes on NVIDIA GPUs and MIG instances, MPS servers' clients too */
#pragma once

#include "collectors/gpu_shares.h"
#include "collectors/nvml.h"

#define NVML_PROCESSES_MAX 1024		/* of one GPU */

/* All zero is a valid new one. */
struct nvml_processes {
	struct nvml_state nvml;
	unsigned long long read_us[NVML_GPUS_MAX];	/* driver's clock of the last use */
	size_t n;
	struct gpu_process process[NVML_PROCESSES_MAX];
	struct nvml_process scratch[NVML_PROCESSES_MAX];
	struct nvml_use use[NVML_PROCESSES_MAX];
};

/* 0, or as nvml_open(), or -EIO: no GPU answered; s->why says why. */
int nvml_processes_collect(struct nvml_processes *p, struct source *s,
			   struct gpu_shares *to) MUST_CHECK;
