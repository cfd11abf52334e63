/* SPDX-License-Identifier: BSD-3-Clause */
/* gpm.h - integrate the averages of NVML's GPM into counters of a GPU or GPU instance */
#pragma once

#include "collectors/nvml.h"
#include "schema/types/nvidia_gpm.h"

/*
 * The counters of one GPU or GPU instance. The structure owns .before and .now; gpm_close()
 * releases them.
 */
struct gpm {
	struct nvml_device *device;
	unsigned gpu, instance;
	bool is_instance;
	bool refused;			/* another program has reserved the counters */
	double dram_peak;	/* peak memory bandwidth in bytes per second; 0 if unknown */
	struct nvml_gpm_sample *before, *now;
	uint64_t before_ns;		/* time of .before in ns; 0: .before is empty */
	bool has_interval;		/* at least one interval was added to .total */
	uint32_t unsupported;		/* mask of the metrics that the GPU does not support */
	double total[N_GPM_KEYS];	/* value of each key so far, in its unit */
};

/* Returns true if the installed NVML library has all functions of GPM. */
bool gpm_is_loaded(const struct nvml *fn);
/* Returns true if the GPU supports GPM. Call this only if gpm_is_loaded() returned true. */
bool gpm_is_supported(const struct nvml *fn, struct nvml_device *d);

/*
 * Allocate .before and .now. The caller has set .device and .is_instance, and the other members to
 * 0. Returns NVML_SUCCESS or an NVML error.
 */
int gpm_open(const struct nvml *fn, struct gpm *g) MUST_CHECK;
void gpm_close(const struct nvml *fn, struct gpm *g);

/*
 * Take the sample that starts the next interval; for use when .before_ns is 0. Call gpm_count() at
 * least 100 ms later. Returns NVML_SUCCESS or an NVML error.
 */
int gpm_begin(const struct nvml *fn, struct gpm *g) MUST_CHECK;

/*
 * Take a sample. Multiply the averages since the previous sample by the interval, and add them to
 * .total. Returns NVML_SUCCESS; NVML_NO_ANSWER if a value is invalid, so that the interval is
 * skipped; or an NVML error, after which the next interval starts at the next gpm_begin().
 */
int gpm_count(const struct nvml *fn, struct gpm *g, struct nvml_gpm_metrics *scratch) MUST_CHECK;

/* Returns true if the GPU supports this key. Call gpm_count() first. */
bool gpm_has(const struct gpm *g, size_t key);
