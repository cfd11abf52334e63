/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_job.c - type gpu_job: the jobs that have processes on each GPU */
#include "schema/types/gpu_job.h"
#include "schema/type.h"

static const struct metric metrics[] = {
	[GPU_PROCESSES] = { "processes", GAUGE, "",  "processes with memory or work on the GPU" },
	[GPU_MEMORY] = { "memory", GAUGE,   "B",  "memory of the GPU that these processes hold" },
	[GPU_BUSY]   = { "busy",   COUNTER, "ns", "time for which processes used engines; not "
			 "known where MIG is on" },
};

const struct type gpu_job_type = {
	.name    = "gpu_job",
	.about   = "whose processes are on each GPU",
	.source  = "NVML; /proc/PID/fdinfo for amdgpu, i915, nouveau and xe, where processes of "
		   "users need CAP_SYS_PTRACE, which the unit does not have; control groups",
	.device  = "GPU, or after \"@\" one job's part of it (\"@-\": no job): nvidia/0, "
		   "nvidia/1/5/2@77",
	.isolate = true,
	METRICS(metrics),
};
