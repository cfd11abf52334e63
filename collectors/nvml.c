/* SPDX-License-Identifier: BSD-3-Clause */
/* nvml.c - load NVIDIA's management library at run time */
#include "collectors/nvml.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/names.h"
#include "base/system/library.h"

#define LIBRARY "libnvidia-ml.so.1"
#define DRIVER  "proc/driver/nvidia"

/*
 * NVML's functions. true: the function is optional, because drivers before 2018 lack it or most
 * GPUs do not support it.
 */
static const struct library_symbol symbols[] = {
	{ "nvmlInit_v2",                       offsetof(struct nvml, init)                     },
	{ "nvmlShutdown",                      offsetof(struct nvml, shutdown)                 },
	{ "nvmlErrorString",                   offsetof(struct nvml, error_string)             },
	{ "nvmlDeviceGetCount_v2",             offsetof(struct nvml, count)                    },
	{ "nvmlDeviceGetHandleByIndex_v2",     offsetof(struct nvml, handle)                   },
	{ "nvmlDeviceGetMemoryInfo",           offsetof(struct nvml, memory)                   },
	{ "nvmlDeviceGetUtilizationRates",     offsetof(struct nvml, utilization),      true   },
	{ "nvmlDeviceGetPowerUsage",           offsetof(struct nvml, power),            true   },
	{ "nvmlDeviceGetEnforcedPowerLimit",   offsetof(struct nvml, power_limit),      true   },
	{ "nvmlDeviceGetTemperature",          offsetof(struct nvml, temperature),      true   },
	{ "nvmlDeviceGetClockInfo",            offsetof(struct nvml, clock),            true   },
	{ "nvmlDeviceGetCurrentClocksEventReasons",
					       offsetof(struct nvml, event_reasons),    true   },
	{ "nvmlDeviceGetCurrentClocksThrottleReasons",
					       offsetof(struct nvml, throttle_reasons), true   },
	{ "nvmlDeviceGetEncoderUtilization",   offsetof(struct nvml, encoder),          true   },
	{ "nvmlDeviceGetDecoderUtilization",   offsetof(struct nvml, decoder),          true   },
	{ "nvmlDeviceGetFieldValues",          offsetof(struct nvml, fields),           true   },
	{ "nvmlDeviceGetMaxMigDeviceCount",    offsetof(struct nvml, mig_count),        true   },
	{ "nvmlDeviceGetMigDeviceHandleByIndex", offsetof(struct nvml, mig_handle),     true   },
	{ "nvmlDeviceGetGpuInstanceId",        offsetof(struct nvml, gpu_instance),     true   },
	{ "nvmlDeviceGetComputeInstanceId",    offsetof(struct nvml, compute_instance), true   },
	{ "nvmlDeviceGetAttributes_v2",        offsetof(struct nvml, attributes),       true   },
	{ "nvmlDeviceGetComputeRunningProcesses_v3",
					       offsetof(struct nvml, compute_processes), true  },
	{ "nvmlDeviceGetGraphicsRunningProcesses_v3",
					       offsetof(struct nvml, graphics_processes), true },
	{ "nvmlDeviceGetMPSComputeRunningProcesses_v3",
					       offsetof(struct nvml, mps_processes),    true   },
	{ "nvmlDeviceGetProcessUtilization",   offsetof(struct nvml, process_use),      true   },
	{ "nvmlDeviceGetMaxClockInfo",         offsetof(struct nvml, max_clock),        true   },
	{ "nvmlDeviceGetMemoryBusWidth",       offsetof(struct nvml, bus_width),        true   },
	{ "nvmlGpmQueryDeviceSupport",         offsetof(struct nvml, gpm_support),      true   },
	{ "nvmlGpmSampleAlloc",                offsetof(struct nvml, gpm_alloc),        true   },
	{ "nvmlGpmSampleFree",                 offsetof(struct nvml, gpm_free),         true   },
	{ "nvmlGpmSampleGet",                  offsetof(struct nvml, gpm_sample),       true   },
	{ "nvmlGpmMigSampleGet",               offsetof(struct nvml, gpm_mig_sample),   true   },
	{ "nvmlGpmMetricsGet",                 offsetof(struct nvml, gpm_metrics),      true   },
};

static bool nvml_file_exists(struct source *s, const char *path)
{
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_PATH);
	return fd >= 0;
}

/*
 * Returns true if the library is in LD_LIBRARY_PATH, which dlopen(3) also searches. Sites set the
 * variable if the library is outside the paths of ld.so.conf, as on WSL.
 */
static bool is_in_library_path(struct source *s)
{
	const char *env = secure_getenv("LD_LIBRARY_PATH");
	struct str path = str_of(env ? env : ""), dir;
	char file[512];

	for (; path.n; path = str_skip(path, path.n > dir.n ? dir.n + 1 : dir.n)) {
		const char *colon = memchr(path.p, ':', path.n);
		dir = (struct str){ path.p, colon ? (size_t)(colon - path.p) : path.n };
		int n = snprintf(file, sizeof(file), STR_FMT "/" LIBRARY, STR_ARG(dir));
		if (str_peek(dir) == '/' && n < (int)sizeof(file) && nvml_file_exists(s, file))
			return true;
	}
	return false;
}

int nvml_present(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "captured tree: no NVIDIA driver to query");
	if (nvml_file_exists(s, DRIVER) || is_in_library_path(s))
		return 0;
	return source_absent(s, "no /" DRIVER ": the driver is not loaded");
}

/* directory of the GPU instances, such as gpu0/mig/gi1; since driver R450 */
#define CAPABILITIES DRIVER "/capabilities"
static bool any_instance(struct source *s, const struct names *gpus, struct names *instances)
{
	char dir[96];
	for (size_t i = 0; i < gpus->n; i++) {
		snprintf(dir, sizeof(dir), CAPABILITIES "/%.32s/mig", gpus->name[i]);
		if (names_list(instances, &s->files, dir, "gi") == 0 && instances->n)
			return true;
	}
	return false;
}

int nvml_instances_present(struct source *s)
{
	struct names gpus = { 0 }, instances = { 0 };
	int r = nvml_present(s);
	if (r == 0 && names_list(&gpus, &s->files, CAPABILITIES, "gpu") == 0 &&
	    !any_instance(s, &gpus, &instances))
		r = source_absent(s, "no GPU instance in /" CAPABILITIES "/gpuN/mig");
	names_free(&gpus);
	names_free(&instances);
	return r;
}

int nvml_failed(struct source *s, const struct nvml_state *st, const char *what, int result)
{
	const char *text = st->fn.error_string(result);
	source_absent(s, "%s: %s", what, text ? text : "unknown error");
	return -EIO;
}

bool nvml_next_instance(const struct nvml *fn, struct nvml_device *d, unsigned *i,
			struct nvml_instance *to)
{
	unsigned places = 0;
	if (!fn->mig_count || !fn->mig_handle || !fn->gpu_instance || !fn->compute_instance ||
	    fn->mig_count(d, &places) != NVML_SUCCESS)
		return false;
	while (*i < places)
		if (fn->mig_handle(d, (*i)++, &to->device) == NVML_SUCCESS &&
		    fn->gpu_instance(to->device, &to->gi) == NVML_SUCCESS &&
		    fn->compute_instance(to->device, &to->ci) == NVML_SUCCESS)
			return true;
	return false;
}

int nvml_open(struct source *s, struct nvml_state *st)
{
	const char *why;
	int r = st->open ? 0 : nvml_present(s);
	if (r < 0 || st->open)
		return r;

	if (!st->loaded &&
	    library_load(LIBRARY, symbols, ARRAY_SIZE(symbols), &st->fn, &why) < 0)
		return source_absent(s, "%s", why);
	st->loaded = true;
	r = st->fn.init();
	if (r != NVML_SUCCESS) {
		nvml_failed(s, st, "nvmlInit_v2", r);
		return r == NVML_ERROR_DRIVER_NOT_LOADED ? -ENOENT : -EIO;
	}
	st->open = true;
	return 0;
}

int nvml_look(struct source *s, struct nvml_state *st, int (*look)(struct source *s))
{
	int r = nvml_open(s, st);
	if (r == 0 && (!st->looked || s->rescan)) {
		r = look(s);
		st->looked |= r == 0;
	}
	return r;
}

void nvml_close(struct nvml_state *st)
{
	if (st->open)
		st->fn.shutdown();
	st->open = st->looked = false;
}

static int nvml_check_value(int result, uint64_t v, uint64_t not_available, uint64_t *ret)
{
	result = nvml_known(result, v, not_available);
	if (result == NVML_SUCCESS)
		*ret = v;
	return result;
}

int nvml_ask(const struct nvml *fn, struct nvml_device *d, const struct nvml_question *q,
	     uint64_t *ret)
{
	union {
		int (*any)(void);
		int (*u32)(struct nvml_device *d, unsigned *v);
		int (*u32_of)(struct nvml_device *d, unsigned of, unsigned *v);
		int (*u32_period)(struct nvml_device *d, unsigned *v, unsigned *us);
		int (*u64)(struct nvml_device *d, unsigned long long *v);
	} ask;
	unsigned long long wide = UINT64_MAX;
	unsigned v = UINT32_MAX, period;
	int r;

	memcpy(&ask, (const char *)fn + q->at, sizeof(ask));
	if (!ask.any)
		return NVML_NO_ANSWER;
	if (q->shape == NVML_U32)
		r = ask.u32(d, &v);
	else if (q->shape == NVML_U32_OF)
		r = ask.u32_of(d, q->sensor, &v);
	else if (q->shape == NVML_U32_PERIOD)
		r = ask.u32_period(d, &v, &period);
	else
		r = ask.u64(d, &wide);
	return q->shape == NVML_U64 ? nvml_check_value(r, wide, UINT64_MAX, ret) :
				      nvml_check_value(r, v, UINT32_MAX, ret);
}

/*
 * Get the value of a field. Returns NVML_SUCCESS; NVML_NO_ANSWER if the field has no value or a
 * signed or fractional type; or an NVML error.
 */
int nvml_field_value(const struct nvml_field *f, uint64_t *ret)
{
	if (f->result != NVML_SUCCESS)
		return f->result;
	switch (f->type) {
	case NVML_TYPE_UNSIGNED_INT:
		return nvml_check_value(0, f->value.ui, UINT32_MAX, ret);
	case NVML_TYPE_UNSIGNED_LONG:
		return nvml_check_value(0, f->value.ul, ULONG_MAX, ret);
	case NVML_TYPE_UNSIGNED_LONG_LONG:
		return nvml_check_value(0, f->value.ull, UINT64_MAX, ret);
	}
	return NVML_NO_ANSWER;
}
