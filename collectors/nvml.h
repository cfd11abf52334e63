/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml.h - the functions of NVIDIA's management library that collectors use, loaded at run time
 *
 * Names, values and layouts are from the NVML API Reference Guide
 * (docs.nvidia.com/deploy/nvml-api). The library keeps old functions: a changed function has a new
 * name (_v2).
 */
#pragma once

#include <stdbool.h>
#include "collectors/source.h"

struct nvml_device;	/* nvmlDevice_t is a pointer to it */
struct nvml_gpm_sample;	/* nvmlGpmSample_t is a pointer to it */

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
	int type, result;	/* .type: nvmlValueType_t; .result: nvmlReturn_t */
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
#define NVML_ALL_LINKS (~0u)	/* scope of an NVLink field: the sum of all links */

#define NVML_GPM_VERSION 1	/* version of nvmlGpmSupport_t and nvmlGpmMetricsGet_t */
/*
 * Largest number of metrics in a request. The driver reads the first .n entries of .metric, even if
 * its own header has another maximum (NVML reference, "GPM Structs").
 */
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

struct nvml_process {		/* nvmlProcessInfo_t of the functions _v2 and _v3 */
	unsigned pid;
	unsigned long long memory;	/* memory in bytes; UINT64_MAX if not available */
	unsigned gpu_instance, compute_instance;
};
struct nvml_use {		/* nvmlProcessUtilizationSample_t; percent */
	unsigned pid;
	unsigned long long timestamp;	/* time in microseconds */
	unsigned sm, memory, encoder, decoder;
};

/* NVML's functions. A function is NULL if the installed library is too old. */
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

/* A value of a GPU, and the function that returns it. */
struct nvml_question {
	unsigned char key;		/* index of the metric in its type */
	enum { NVML_U32, NVML_U32_OF, NVML_U32_PERIOD, NVML_U64 } shape;
	/*
	 * offset of the function in struct nvml; .shape gives the function's parameters after the
	 * device
	 */
	size_t at;
	unsigned sensor;	/* number of the sensor or clock, if .shape is NVML_U32_OF */
};

#define NVML_GPUS_MAX 64
#define NVML_START_MS 30000	/* timeout for waking all GPUs of a node */
#define NVML_NO_ANSWER (-1)	/* NVML has no such value or function */

/* All zero is a valid state before nvml_open(). */
struct nvml_state {
	bool loaded, open;
	bool looked;		/* the GPUs were listed after the library was opened */
	struct nvml fn;
};

/*
 * Check if NVIDIA's driver may be loaded, without calling it (struct collector, .present): the
 * driver's directory in /proc exists, or the library is in LD_LIBRARY_PATH. Returns 0, or -ENOENT
 * with s->why set.
 */
int nvml_present(struct source *s) MUST_CHECK;
/*
 * Check like nvml_present(), and also if a GPU has MIG instances. Returns 0, also if the driver
 * does not list GPUs in /proc; or -ENOENT with s->why set.
 */
int nvml_instances_present(struct source *s) MUST_CHECK;

/*
 * Load and initialise the library, unless it is open. Call this only in a worker process, because
 * the driver may hang. Without persistence mode, this wakes the GPUs, which takes seconds, and they
 * stay awake until the library is shut down or the process ends. Returns 0; -ENOENT if there is no
 * library or driver; or -EIO with NVML's message in s->why.
 */
int nvml_open(struct source *s, struct nvml_state *st) MUST_CHECK;
/*
 * Open the library, and call look() if the GPUs must be listed. Returns 0, or -errno of nvml_open()
 * or look().
 */
int nvml_look(struct source *s, struct nvml_state *st,
	      int (*look)(struct source *s)) MUST_CHECK;

struct nvml_instance {
	struct nvml_device *device;
	/* ids of the GPU instance, and of the compute instance in it */
	unsigned gi, ci;
};
/*
 * Get the next MIG instance of a GPU, from index *i on, and set *i to the index after it. Indexes
 * for which NVML returns an error are skipped, such as unused ones. Returns false after the last
 * instance; a GPU without MIG has none.
 */
bool nvml_next_instance(const struct nvml *fn, struct nvml_device *d, unsigned *i,
			struct nvml_instance *to);

/*
 * Return NVML_NO_ANSWER instead of NVML_SUCCESS if v is not_available, the driver's number for "no
 * value" at the width of v. Otherwise return result.
 */
static inline int nvml_known(int result, uint64_t v, uint64_t not_available)
{
	return result == NVML_SUCCESS && v == not_available ? NVML_NO_ANSWER : result;
}

/* Ask for one value. Returns NVML_SUCCESS with *ret set, NVML_NO_ANSWER, or an NVML error. */
int nvml_ask(const struct nvml *fn, struct nvml_device *d, const struct nvml_question *q,
	     uint64_t *ret) MUST_CHECK;
int nvml_field_value(const struct nvml_field *f, uint64_t *ret) MUST_CHECK;

/* Shut the library down. nvml_open() initialises it again. */
void nvml_close(struct nvml_state *st);

/* Set s->why to the failed operation and NVML's message. .loaded must be set. Returns -EIO. */
int nvml_failed(struct source *s, const struct nvml_state *st, const char *what, int result);
