/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml.h - the part of NVIDIA's management library that is used, loaded where it is installed
 *
 * Names, values and layouts: NVML API Reference Guide (docs.nvidia.com/deploy/nvml-api). It has
 * been stable since 2012: what changes gets a new name (_v2), and the old one stays.
 */
#pragma once

#include <stdbool.h>
#include "collectors/source.h"

struct nvml_device;	/* nvmlDevice_t points to one */
struct nvml_gpm_sample;	/* nvmlGpmSample_t likewise */

enum nvml_result {	/* nvmlReturn_t */
	NVML_SUCCESS                 = 0,
	NVML_ERROR_NOT_SUPPORTED     = 3,
	NVML_ERROR_NOT_FOUND         = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_GPU_IS_LOST       = 15,
	NVML_ERROR_IN_USE            = 19,
};

enum { NVML_TEMPERATURE_GPU = 0 };			/* nvmlTemperatureSensors_t */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };		/* nvmlClockType_t */

struct nvml_memory {		/* nvmlMemory_t, bytes */
	unsigned long long total, free, used;
};
struct nvml_utilization {	/* nvmlUtilization_t, percent */
	unsigned gpu, memory;
};
struct nvml_attributes {	/* nvmlDeviceAttributes_t */
	unsigned multiprocessors, copy_engines, decoders, encoders, jpeg, ofa;
	unsigned gpu_slices, compute_slices;
	unsigned long long memory_mb;
};
struct nvml_field {		/* nvmlFieldValue_t */
	unsigned id, scope;
	long long timestamp, latency;
	int type, result;	/* nvmlValueType_t, nvmlReturn_t */
	union {
		double d;
		unsigned ui;
		unsigned long ul;
		unsigned long long ull;
	} value;
};
enum nvml_type {		/* nvmlValueType_t */
	NVML_TYPE_UNSIGNED_INT       = 1,
	NVML_TYPE_UNSIGNED_LONG      = 2,
	NVML_TYPE_UNSIGNED_LONG_LONG = 3,
};
#define NVML_ALL_LINKS (~0u)	/* scope of a field of NVLink: all of them, added up */

/* "GPM Structs": the driver looks at .n of .metric, whatever the maximum of its header is. */
#define NVML_GPM_VERSION 1	/* of both */
#define NVML_GPM_METRICS_MAX 98
struct nvml_gpm_support {	/* nvmlGpmSupport_t */
	unsigned version, is_supported;
};
struct nvml_gpm_metric {	/* nvmlGpmMetric_t */
	unsigned id;
	int result;
	double value;
	const char *short_name, *long_name, *unit;
};
struct nvml_gpm_metrics {	/* nvmlGpmMetricsGet_t */
	unsigned version, n;
	struct nvml_gpm_sample *first, *second;
	struct nvml_gpm_metric metric[NVML_GPM_METRICS_MAX];
};

struct nvml_process {		/* nvmlProcessInfo_t of _v2 and _v3 */
	unsigned pid;
	unsigned long long memory;	/* bytes; all ones: not available */
	unsigned gpu_instance, compute_instance;
};
struct nvml_use {		/* nvmlProcessUtilizationSample_t; percent */
	unsigned pid;
	unsigned long long timestamp;	/* microseconds */
	unsigned sm, memory, encoder, decoder;
};

/* The functions, each as the reference has it; NULL: the installed library is too old for it. */
struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*error_string)(int result);
	int (*count)(unsigned *n);
	int (*handle)(unsigned index, struct nvml_device **d);
	int (*memory)(struct nvml_device *d, struct nvml_memory *m);
	int (*utilization)(struct nvml_device *d, struct nvml_utilization *u);
	int (*power)(struct nvml_device *d, unsigned *mw);
	int (*power_limit)(struct nvml_device *d, unsigned *mw);
	int (*temperature)(struct nvml_device *d, unsigned sensor, unsigned *celsius);
	int (*clock)(struct nvml_device *d, unsigned type, unsigned *mhz);
	int (*event_reasons)(struct nvml_device *d, unsigned long long *mask);
	int (*throttle_reasons)(struct nvml_device *d, unsigned long long *mask);
	int (*encoder)(struct nvml_device *d, unsigned *percent, unsigned *period_us);
	int (*decoder)(struct nvml_device *d, unsigned *percent, unsigned *period_us);
	int (*fields)(struct nvml_device *d, int n, struct nvml_field *f);
	int (*mig_count)(struct nvml_device *d, unsigned *most);
	int (*mig_handle)(struct nvml_device *d, unsigned index, struct nvml_device **mig);
	int (*gpu_instance)(struct nvml_device *mig, unsigned *id);
	int (*compute_instance)(struct nvml_device *mig, unsigned *id);
	int (*attributes)(struct nvml_device *mig, struct nvml_attributes *a);
	int (*compute_processes)(struct nvml_device *d, unsigned *n, struct nvml_process *to);
	int (*graphics_processes)(struct nvml_device *d, unsigned *n, struct nvml_process *to);
	int (*mps_processes)(struct nvml_device *d, unsigned *n, struct nvml_process *to);
	int (*process_use)(struct nvml_device *d, struct nvml_use *to, unsigned *n,
			   unsigned long long after_us);
	int (*max_clock)(struct nvml_device *d, unsigned type, unsigned *mhz);
	int (*bus_width)(struct nvml_device *d, unsigned *bits);
	int (*gpm_support)(struct nvml_device *d, struct nvml_gpm_support *s);
	int (*gpm_alloc)(struct nvml_gpm_sample **sample);
	int (*gpm_free)(struct nvml_gpm_sample *sample);
	int (*gpm_sample)(struct nvml_device *d, struct nvml_gpm_sample *into);
	int (*gpm_mig_sample)(struct nvml_device *d, unsigned gpu_instance,
			      struct nvml_gpm_sample *into);
	int (*gpm_metrics)(struct nvml_gpm_metrics *m);
};

/* A value that one function gives. */
struct nvml_question {
	unsigned char key;		/* the metric that it is */
	enum { NVML_U32, NVML_U32_OF, NVML_U32_PERIOD, NVML_U64 } shape;
	size_t at;			/* the function in struct nvml, by its last parameters */
	unsigned of;			/* NVML_U32_OF: of which sensor or clock */
};

#define NVML_GPUS_MAX 64
#define NVML_START_MS 30000	/* so long may it take to wake all GPUs of a node */
#define NVML_NO_ANSWER (-1)	/* NVML_VALUE_NOT_AVAILABLE, or no such function */

/* All zero is one that was not opened. */
struct nvml_state {
	bool loaded, open;
	bool looked;		/* for devices, since it is open */
	struct nvml fn;
};

/* A collector's .present: asks nothing of the driver. 0, or -ENOENT: no driver is loaded. */
int nvml_present(struct source *s) MUST_CHECK;
/* The same, and -ENOENT where no GPU has a MIG instance. */
int nvml_instances_present(struct source *s) MUST_CHECK;

/*
 * Loads and initialises the library at the first call: a worker must do that, the driver can hang.
 * Without persistence mode that wakes the GPUs, which takes seconds; they stay awake as long as the
 * process lives. 0, -ENOENT: no library or no driver, or -EIO; s->why has NVML's own words.
 */
int nvml_open(struct source *s, struct nvml_state *st) MUST_CHECK;
/* The same, and look() for devices where they are looked for. 0 or -errno, of look() too. */
int nvml_look(struct source *s, struct nvml_state *st,
	      int (*look)(struct source *s)) MUST_CHECK;

struct nvml_instance {
	struct nvml_device *device;
	unsigned gi, ci;	/* of the GPU instance, of the compute instance in it */
};
/*
 * The next MIG instance of a GPU, from place *i on; false: there is none. Places without an
 * instance answer NVML_ERROR_NOT_FOUND, GPUs without MIG have no place.
 */
bool nvml_next_instance(const struct nvml *fn, struct nvml_device *d, unsigned *i,
			struct nvml_instance *to);

/* The result, but NVML_NO_ANSWER for a value of this width that says "not available". */
static inline int nvml_known(int result, uint64_t v, uint64_t not_available)
{
	return result == NVML_SUCCESS && v == not_available ? NVML_NO_ANSWER : result;
}

/* NVML_SUCCESS and *ret, NVML_NO_ANSWER, or what NVML says. */
int nvml_ask(const struct nvml *fn, struct nvml_device *d, const struct nvml_question *q,
	     uint64_t *ret) MUST_CHECK;
int nvml_field_value(const struct nvml_field *f, uint64_t *ret) MUST_CHECK;

/* To be initialised again at the next nvml_open(). */
void nvml_close(struct nvml_state *st);

/* s->why says what failed, in NVML's words; returns -EIO. */
int nvml_failed(struct source *s, const struct nvml_state *st, const char *what, int result);
