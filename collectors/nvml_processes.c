/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml_processes.c - list processes on NVIDIA GPUs and MIG instances, including clients of MPS
 *
 * The driver has several lists of processes; a process in two lists counts once. The MPS server
 * does not count: the driver also lists the server's clients, and the server stays when they have
 * gone. A process's GPU time is an estimate: the average utilization that the driver reports since
 * the last sample, times the interval. The GPU time is unknown on MIG instances.
 */
#include "collectors/nvml_processes.h"

#include <stdio.h>
#include "base/clock.h"
#include "collectors/job_names.h"

static struct gpu_process *nvml_find_process(struct nvml_processes *p, uint64_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->process[i].pid == pid)
			return &p->process[i];
	return NULL;
}

static struct gpu_process *nvml_find_or_add_process(struct nvml_processes *p, uint64_t pid)
{
	struct gpu_process *one = nvml_find_process(p, pid);
	if (one || p->n == NVML_PROCESSES_MAX)
		return one;
	p->process[p->n] = (struct gpu_process){ .pid = pid, .memory = GPU_UNKNOWN };
	return &p->process[p->n++];
}

/* Add one of the driver's lists of processes. A list that is too long is truncated. */
static int nvml_add_list(struct nvml_processes *p, struct nvml_device *d,
			 int (*list)(struct nvml_device *d, unsigned *n, struct nvml_process *to))
{
	unsigned n = NVML_PROCESSES_MAX;
	int r = list ? list(d, &n, p->scratch) : NVML_ERROR_NOT_SUPPORTED;
	if (r == NVML_ERROR_INSUFFICIENT_SIZE)
		r = NVML_SUCCESS;
	for (unsigned i = 0; r == NVML_SUCCESS && i < n && i < NVML_PROCESSES_MAX; i++) {
		struct gpu_process *one = nvml_find_or_add_process(p, p->scratch[i].pid);
		uint64_t bytes = p->scratch[i].memory;
		if (one && bytes != GPU_UNKNOWN &&
		    (one->memory == GPU_UNKNOWN || one->memory < bytes))
			one->memory = bytes;
	}
	return r;
}

static bool nvml_is_mps_server(struct source *s, uint64_t pid)
{
	char path[48];
	struct str comm;
	snprintf(path, sizeof(path), "proc/%llu/comm", (unsigned long long)pid);
	return job_read_once(s, path, &comm) && str_take_prefix(&comm, STR("nvidia-cuda-mps"));
}

/*
 * Return the microseconds since the last request for this GPU's utilization, or 0 if this is the
 * first.
 */
static unsigned long long nvml_time_since_asked(struct nvml_processes *p, unsigned gpu)
{
	int64_t now = monotonic_ns(), before = p->asked_ns[gpu];
	p->asked_ns[gpu] = now;
	return before ? (unsigned long long)(now - before) / 1000 : 0;
}

static unsigned long long nvml_newest_use(const struct nvml_processes *p, unsigned n)
{
	unsigned long long newest = 0;
	for (unsigned i = 0; i < n; i++)
		newest = p->use[i].timestamp > newest ? p->use[i].timestamp : newest;
	return newest;
}

static void nvml_count_use(struct nvml_processes *p, unsigned n, unsigned long long since_us)
{
	for (unsigned i = 0; i < n; i++) {
		const struct nvml_use *u = &p->use[i];
		struct gpu_process *one = nvml_find_process(p, u->pid);
		if (one && u->timestamp > since_us && u->sm <= 100)
			one->busy += (u->timestamp - since_us) * 10 * u->sm;
	}
}

/*
 * Add the utilization of the processes since the last call; the first call adds none. While no
 * process uses the GPU, the driver returns no sample and so no time. Then advance .read_us by the
 * time since the last call, because the interval of a later utilization must not include the time
 * without processes. Returns false if the utilization is unknown.
 */
static bool nvml_add_use(struct nvml_processes *p, struct nvml_device *d, unsigned gpu)
{
	unsigned n = NVML_PROCESSES_MAX;
	unsigned long long *read = &p->read_us[gpu], elapsed = nvml_time_since_asked(p, gpu);
	if (!p->nvml.fn.process_use)
		return false;
	int r = p->nvml.fn.process_use(d, p->use, &n, *read);
	if (r == NVML_ERROR_NOT_FOUND) {
		*read += *read ? elapsed : 0;
		return true;
	}
	if (r != NVML_SUCCESS)
		return false;
	n = n < NVML_PROCESSES_MAX ? n : NVML_PROCESSES_MAX;
	unsigned long long newest = nvml_newest_use(p, n);
	if (!*read)
		*read = newest > elapsed ? newest - elapsed : 0;
	nvml_count_use(p, n, *read);
	*read = newest ? newest : *read;
	return true;
}

static int nvml_add_device(struct nvml_processes *p, struct source *s, struct nvml_device *d,
			   const char *name, const unsigned *gpu, struct gpu_shares *to)
{
	const struct nvml *fn = &p->nvml.fn;
	p->n = 0;
	int r = nvml_add_list(p, d, fn->compute_processes);
	if (r != NVML_SUCCESS)
		return r;
	/* ignore an error: there may be no graphics processes */
	nvml_add_list(p, d, fn->graphics_processes);
	nvml_add_list(p, d, fn->mps_processes);
	bool known = gpu && nvml_add_use(p, d, *gpu);
	gpu_shares_see(to, name, known);
	for (size_t i = 0; i < p->n; i++) {
		struct gpu_process *one = &p->process[i];
		if (!known)
			one->busy = GPU_UNKNOWN;
		if (!nvml_is_mps_server(s, one->pid))
			gpu_shares_add(to, s, name, one);
	}
	return NVML_SUCCESS;
}

/* Add the processes of all MIG instances. Returns the number of instances. */
static unsigned nvml_add_instances(struct nvml_processes *p, struct source *s,
				   struct nvml_device *d,
				   unsigned gpu, struct gpu_shares *to)
{
	struct nvml_instance in;
	unsigned n = 0;
	char name[GPU_NAME_MAX];
	for (unsigned i = 0; nvml_next_instance(&p->nvml.fn, d, &i, &in); ) {
		snprintf(name, sizeof(name), "nvidia/%u/%u/%u", gpu, in.gi, in.ci);
		n += nvml_add_device(p, s, in.device, name, NULL, to) == NVML_SUCCESS;
	}
	return n;
}

static int nvml_add_gpu(struct nvml_processes *p, struct source *s, unsigned gpu,
			struct gpu_shares *to)
{
	struct nvml_device *d;
	char name[GPU_NAME_MAX];
	int r = p->nvml.fn.handle(gpu, &d);
	if (r != NVML_SUCCESS || nvml_add_instances(p, s, d, gpu, to) > 0)
		return r;
	snprintf(name, sizeof(name), "nvidia/%u", gpu);
	return nvml_add_device(p, s, d, name, &gpu, to);
}

/* Collect all GPUs. A GPU that does not answer has no row. */
int nvml_processes_collect(struct nvml_processes *p, struct source *s, struct gpu_shares *to)
{
	unsigned gpus = 0, answers = 0;
	int r = nvml_open(s, &p->nvml);
	if (r < 0)
		return r;
	if (!p->nvml.fn.compute_processes)
		return source_absent(s, "the driver is older than R510");
	int last = p->nvml.fn.count(&gpus);
	for (unsigned i = 0; i < gpus && i < NVML_GPUS_MAX; i++) {
		r = nvml_add_gpu(p, s, i, to);
		answers += r == NVML_SUCCESS;
		last = r == NVML_SUCCESS ? last : r;
	}
	if (answers)
		return 0;
	nvml_close(&p->nvml);
	return last != NVML_SUCCESS ? nvml_failed(s, &p->nvml, "no GPU names its processes", last) :
				      source_absent(s, "NVML sees no GPU");
}
