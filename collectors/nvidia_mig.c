/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_mig - memory of each MIG instance of NVIDIA GPUs, from NVML
 *
 * Instances have a type of their own, because NVML reports neither their utilization nor their
 * power, and all rows of a type must have the same keys.
 */
#include "collectors/collector.h"

#include <stdio.h>
#include "collectors/nvml.h"
#include "schema/types/nvidia_mig.h"

#define INSTANCES_MAX 512	/* limit of instances; a current GPU has at most 7 */

struct nvidia_mig_instance {
	struct nvml_device *device;
	unsigned gpu, gi, ci;
};
struct nvidia_mig_state {
	struct nvml_state nvml;
	size_t n;
	struct nvidia_mig_instance instance[INSTANCES_MAX];
};

static void nvidia_mig_find_instances(struct nvidia_mig_state *st, unsigned gpu)
{
	const struct nvml *fn = &st->nvml.fn;
	struct nvml_device *d;
	struct nvml_instance in;
	if (fn->handle(gpu, &d) != NVML_SUCCESS)
		return;
	for (unsigned i = 0; st->n < INSTANCES_MAX && nvml_next_instance(fn, d, &i, &in); )
		st->instance[st->n++] = (struct nvidia_mig_instance){ in.device, gpu, in.gi,
								     in.ci };
}

static int nvidia_mig_find(struct source *s)
{
	struct nvidia_mig_state *st = s->state;
	const struct nvml *fn = &st->nvml.fn;
	unsigned gpus = 0;
	st->n = 0;
	if (!fn->mig_count || !fn->mig_handle || !fn->gpu_instance || !fn->compute_instance)
		return source_absent(s, "the driver is older than MIG");
	int r = fn->count(&gpus);
	if (r != NVML_SUCCESS)
		return nvml_failed(s, &st->nvml, "nvmlDeviceGetCount_v2", r);
	for (unsigned i = 0; i < gpus && i < NVML_GPUS_MAX; i++)
		nvidia_mig_find_instances(st, i);
	return 0;
}

static void collect_instance(struct source *s, const struct nvml *fn,
			     const struct nvidia_mig_instance *in)
{
	struct nvml_memory m;
	struct nvml_attributes a;
	char device[48];
	if (fn->memory(in->device, &m) != NVML_SUCCESS || m.total == UINT64_MAX)
		return;

	snprintf(device, sizeof(device), "%u/%u/%u", in->gpu, in->gi, in->ci);
	struct row row = rows_add(&s->rows, str_of(device));
	row_set(row, MEMTOTAL, m.total);
	row_set(row, MEMFREE, m.free);
	row_set(row, MEMUSED, m.used);
	if (!fn->attributes || fn->attributes(in->device, &a) != NVML_SUCCESS)
		return;
	row_set(row, SM_COUNT, a.multiprocessors);
	row_set(row, GPU_SLICES, a.gpu_slices);
	row_set(row, COMPUTE_SLICES, a.compute_slices);
}

static int nvidia_mig_collect(struct source *s)
{
	struct nvidia_mig_state *st = source_state(s, sizeof(*st));
	int r = nvml_look(s, &st->nvml, nvidia_mig_find);
	if (r < 0)
		return r;
	for (size_t i = 0; i < st->n; i++)
		collect_instance(s, &st->nvml.fn, &st->instance[i]);
	if (s->rows.n)
		return 0;
	nvml_close(&st->nvml);
	return source_absent(s, "no MIG instance");
}

const struct collector nvidia_mig_collector = {
	.type     = &nvidia_mig_type,
	.collect  = nvidia_mig_collect,
	.present  = nvml_instances_present,
	.start_ms = NVML_START_MS,
};
