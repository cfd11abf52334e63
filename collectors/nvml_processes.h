/* SPDX-License-Identifier: BSD-3-Clause */
/* nvml_processes.h - list processes on NVIDIA GPUs and MIG instances, including clients of MPS */
#pragma once

#include "collectors/gpu_shares.h"
#include "collectors/nvml.h"

#define NVML_PROCESSES_MAX 1024		/* largest number of processes per GPU */

/* All zero is a valid empty state. */
struct nvml_processes {
	struct nvml_state nvml;
	/* time of each GPU's last utilization sample, in the driver's microseconds; 0: none */
	unsigned long long read_us[NVML_GPUS_MAX];
	/* CLOCK_MONOTONIC of the last request for utilization samples, in ns; 0: never */
	int64_t asked_ns[NVML_GPUS_MAX];
	size_t n;
	struct gpu_process process[NVML_PROCESSES_MAX];
	struct nvml_process scratch[NVML_PROCESSES_MAX];
	struct nvml_use use[NVML_PROCESSES_MAX];
};

/*
 * Add the processes on all GPUs to `to`. Returns 0; or, with the reason in s->why, an error of
 * nvml_open(), -ENOENT if the driver is older than R510 or sees no GPU, or -EIO if no GPU answered.
 */
int nvml_processes_collect(struct nvml_processes *p, struct source *s,
			   struct gpu_shares *to) MUST_CHECK;
