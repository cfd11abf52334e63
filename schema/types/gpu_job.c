/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_job - what type gpu_job is: whose processes are on each GPU */
#include "schema/types/gpu_job.h"
#include "schema/type.h"

static const struct metric metrics[] = {
	[GPU_PROCESSES] = { "processes", GAUGE,   "",   "processes with memory or work on it" },
	[GPU_MEMORY]    = { "memory",    GAUGE,   "B",  "memory of the GPU that they have" },
	[GPU_BUSY]      = { "busy",      COUNTER, "ns", "time of engines that they used; not where "
			    "MIG is on" },
};

const struct type gpu_job_type = {
	.name    = "gpu_job",
	.about   = "whose processes are on each GPU",
	.source  = "NVML; /proc/PID/fdinfo of amdgpu, i915, nouveau and xe, of users' processes "
		   "only with CAP_SYS_PTRACE, which the unit does not have; control groups",
	.device  = "GPU, and what of it is a job's: nvidia/0, nvidia/1/5/2@77, amdgpu/3@-",
	.isolate = true,
	METRICS(metrics),
};
