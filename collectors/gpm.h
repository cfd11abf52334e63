/* SPDX-License-Identifier: BSD-3-Clause */
/* gpm.h - counters of a GPU or GPU instance, added up from the means that NVML's GPM reports */
#pragma once

#include "collectors/nvml.h"
#include "schema/types/nvidia_gpm.h"

/* Owns its samples: gpm_close() ends it. */
struct gpm {
	struct nvml_device *device;
	unsigned gpu, instance;
	bool is_instance;
	bool refused;			/* another program has the counters */
	double dram_peak;		/* bytes in a second; 0: not known */
	struct nvml_gpm_sample *before, *now;
	uint64_t before_ns;		/* when .before was taken; 0: it holds nothing */
	bool counts;			/* some interval was added up */
	uint32_t without;		/* a bit for each metric that it does not support */
	double total[N_GPM_KEYS];	/* in the units of the type */
};

bool gpm_is_loaded(const struct nvml *fn);	/* the library has its functions */
bool gpm_is_supported(const struct nvml *fn, struct nvml_device *d);

/* Allocates the samples. NVML_SUCCESS, or what NVML says. */
int gpm_open(const struct nvml *fn, struct gpm *g) MUST_CHECK;
void gpm_close(const struct nvml *fn, struct gpm *g);

/* Takes the first sample, where there is none: gpm_count() needs one, some 100 ms ago. */
int gpm_begin(const struct nvml *fn, struct gpm *g) MUST_CHECK;

/*
 * Takes a sample and adds the means since the last one, times their interval, to the totals.
 * NVML_SUCCESS; NVML_NO_ANSWER: a metric has no valid value, and no total has this interval; or
 * an error of NVML: the next interval begins with the next sample that gpm_begin() takes.
 */
int gpm_count(const struct nvml *fn, struct gpm *g, struct nvml_gpm_metrics *scratch) MUST_CHECK;

bool gpm_has(const struct gpm *g, size_t key);	/* a key of the type, after gpm_count() */
