/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_gpu - memory, power, utilization, clocks and errors of each NVIDIA GPU, from NVML
 *
 * The first five keys are those of hpcperfstats before 2026. Utilization, power and clocks are the
 * driver's averages over about the last second; energy, throttling times and NVLink traffic are
 * counters, which cover the whole time between two samples. A GPU that reports itself lost has no
 * row; the other GPUs are not affected. PCI Express traffic is not read, because it takes 20 ms to
 * measure.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include "collectors/nvml.h"
#include "schema/types/nvidia_gpu.h"

/*
 * The function for each key. If a key has two functions, the second is called if the library lacks
 * the first, or if the first has no value. The second is not called if the first reports that the
 * GPU does not support the value.
 */
static const struct nvml_question questions[] = {
	{ POWER,         NVML_U32,        offsetof(struct nvml, power)                },
	{ POWER_LIMIT,   NVML_U32,        offsetof(struct nvml, power_limit)          },
	{ TEMPERATURE,   NVML_U32_OF, offsetof(struct nvml, temperature), NVML_TEMPERATURE_GPU },
	{ SM_CLOCK,      NVML_U32_OF, offsetof(struct nvml, clock), NVML_CLOCK_SM     },
	{ MEM_CLOCK,     NVML_U32_OF, offsetof(struct nvml, clock), NVML_CLOCK_MEM    },
	{ ENCODER,       NVML_U32_PERIOD, offsetof(struct nvml, encoder)              },
	{ DECODER,       NVML_U32_PERIOD, offsetof(struct nvml, decoder)              },
	{ EVENT_REASONS, NVML_U64,        offsetof(struct nvml, event_reasons)        },
	{ EVENT_REASONS, NVML_U64,        offsetof(struct nvml, throttle_reasons)     },
};

/*
 * Keys that NVML has as fields. One call reads all fields; for their ids see "Field Value Enums" in
 * the NVML reference.
 */
static const struct field {
	unsigned char key;
	unsigned id, scope;
} fields[] = {
	{ ECC_CE,          3                   },
	{ ECC_UE,          4                   },
	{ ECC_CE_LIFE,     5                   },
	{ ECC_UE_LIFE,     6                   },
	{ HELD_POWER,      74                  },
	{ HELD_THERMAL,    75                  },
	{ MEM_TEMPERATURE, 82                  },
	{ ENERGY,          83                  },
	{ PCIE_REPLAY,     94                  },
	{ NVLINK_TX,       138, NVML_ALL_LINKS },
	{ NVLINK_RX,       139, NVML_ALL_LINKS },
	{ ROWS_CE,         142                 },
	{ ROWS_UE,         143                 },
};

struct nvidia_gpu {
	struct nvml_device *device;	/* NULL if the GPU could not be opened */
	uint64_t unsupported;		/* mask of the keys that the GPU does not support */
};
struct nvidia_gpu_state {
	struct nvml_state nvml;
	unsigned n;
	struct nvidia_gpu gpu[NVML_GPUS_MAX];
};

/* The row being filled, and the state of its GPU. */
struct nvidia_gpu_row {
	struct nvidia_gpu *gpu;
	struct row row;
	uint64_t have;		/* mask of the keys that the row has */
	bool lost;
};

static void nvidia_gpu_set_key(struct nvidia_gpu_row *f, size_t key, int result, uint64_t v)
{
	if (result == NVML_SUCCESS) {
		row_set(f->row, key, v);
		f->have |= (uint64_t)1 << key;
	}
	if (result == NVML_ERROR_NOT_SUPPORTED)
		f->gpu->unsupported |= (uint64_t)1 << key;
	if (result == NVML_ERROR_GPU_IS_LOST)
		f->lost = true;
}

static void nvidia_gpu_add_memory(struct nvidia_gpu_row *f, const struct nvml *fn)
{
	struct nvml_memory m = { 0 };
	int r = fn->memory(f->gpu->device, &m);
	r = nvml_known(r, m.total, UINT64_MAX);
	nvidia_gpu_set_key(f, MEMTOTAL, r, m.total);
	nvidia_gpu_set_key(f, MEMFREE, r, m.free);
	nvidia_gpu_set_key(f, MEMUSED, r, m.used);
}

static void nvidia_gpu_add_utilization(struct nvidia_gpu_row *f, const struct nvml *fn)
{
	struct nvml_utilization u = { 0 };
	if (!fn->utilization || f->gpu->unsupported >> UTILIZATION & 1)
		return;
	int r = fn->utilization(f->gpu->device, &u);
	nvidia_gpu_set_key(f, UTILIZATION, nvml_known(r, u.gpu, UINT32_MAX), u.gpu);
	nvidia_gpu_set_key(f, MEM_UTILIZATION, nvml_known(r, u.memory, UINT32_MAX), u.memory);
}

static void nvidia_gpu_add_answers(struct nvidia_gpu_row *f, const struct nvml *fn)
{
	for (size_t i = 0; !f->lost && i < ARRAY_SIZE(questions); i++) {
		const struct nvml_question *q = &questions[i];
		uint64_t v = 0;
		if ((f->gpu->unsupported | f->have) >> q->key & 1)
			continue;
		int r = nvml_ask(fn, f->gpu->device, q, &v);
		nvidia_gpu_set_key(f, q->key, r, v);
	}
}

static void nvidia_gpu_add_fields(struct nvidia_gpu_row *f, const struct nvml *fn)
{
	struct nvml_field value[ARRAY_SIZE(fields)] = { 0 };
	unsigned char key[ARRAY_SIZE(fields)];
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (f->gpu->unsupported >> fields[i].key & 1)
			continue;
		key[n] = fields[i].key;
		value[n++] = (struct nvml_field){ .id = fields[i].id, .scope = fields[i].scope };
	}
	if (!fn->fields || n == 0 || f->lost)
		return;
	int r = fn->fields(f->gpu->device, n, value);
	f->lost |= r == NVML_ERROR_GPU_IS_LOST;
	for (int i = 0; r == NVML_SUCCESS && i < n; i++) {
		uint64_t v = 0;
		int result = nvml_field_value(&value[i], &v);
		nvidia_gpu_set_key(f, key[i], result, v);
	}
}

static void nvidia_gpu_report(struct source *s, const struct nvidia_gpu_state *st, unsigned gpu,
			      int result)
{
	char what[32];
	snprintf(what, sizeof(what), "GPU %u", gpu);
	nvml_failed(s, &st->nvml, what, result);
}

static void collect_gpu(struct source *s, struct nvidia_gpu_state *st, unsigned index)
{
	char device[16];
	struct nvidia_gpu *gpu = &st->gpu[index];
	if (!gpu->device)
		return;

	snprintf(device, sizeof(device), "%u", index);
	struct nvidia_gpu_row f = { .gpu = gpu, .row = rows_add(&s->rows, str_of(device)) };
	nvidia_gpu_add_memory(&f, &st->nvml.fn);
	nvidia_gpu_add_utilization(&f, &st->nvml.fn);
	nvidia_gpu_add_answers(&f, &st->nvml.fn);
	nvidia_gpu_add_fields(&f, &st->nvml.fn);
	if (f.lost)
		nvidia_gpu_report(s, st, index, NVML_ERROR_GPU_IS_LOST);
	if (f.lost || !f.have)
		rows_drop(&s->rows);
}

static int nvidia_gpu_find(struct source *s)
{
	struct nvidia_gpu_state *st = s->state;
	int r = st->nvml.fn.count(&st->n);
	if (r != NVML_SUCCESS)
		return nvml_failed(s, &st->nvml, "nvmlDeviceGetCount_v2", r);

	st->n = st->n < NVML_GPUS_MAX ? st->n : NVML_GPUS_MAX;
	for (unsigned i = 0; i < st->n; i++) {
		struct nvml_device *d = NULL;
		r = st->nvml.fn.handle(i, &d);
		if (r != NVML_SUCCESS)
			nvidia_gpu_report(s, st, i, r);
		st->gpu[i] = (struct nvidia_gpu){ .device = r == NVML_SUCCESS ? d : NULL };
	}
	return 0;
}

/*
 * Collect all GPUs. If none answers, initialise NVML again at the next sample, because the GPUs may
 * have been reset.
 */
static int nvidia_gpu_collect(struct source *s)
{
	struct nvidia_gpu_state *st = source_state(s, sizeof(*st));
	int r = nvml_look(s, &st->nvml, nvidia_gpu_find);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < st->n; i++)
		collect_gpu(s, st, i);
	if (s->rows.n)
		return 0;
	nvml_close(&st->nvml);
	if (st->n == 0)
		return source_absent(s, "NVML sees no GPU");
	if (!s->why[0])
		source_absent(s, "no GPU reports anything");
	return -EIO;
}

const struct collector nvidia_gpu_collector = {
	.type     = &nvidia_gpu_type,
	.collect  = nvidia_gpu_collect,
	.present  = nvml_present,
	.start_ms = NVML_START_MS,
};
