/* SPDX-License-Identifier: BSD-3-Clause */
/* drm_fdinfo.h - parse the kernel's statistics of a DRM client, /proc/PID/fdinfo/FD */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

/*
 * A DRM client (Documentation/gpu/drm-usage-stats.rst). The strings are borrowed from the parsed
 * text.
 */
struct drm_client {
	/* driver such as "amdgpu", and PCI address such as "0000:c1:00.0" */
	struct str driver, address;
	uint64_t id;	/* id of the client; several descriptors may show the same client */
	bool busy_known, memory_known;
	uint64_t busy;		/* engine time in ns, summed over all engines; never decreases */
	uint64_t memory;	/* bytes in the GPU's own memory */
};

/*
 * Parse a file /proc/PID/fdinfo/FD. Returns false if the descriptor is no DRM client or the kernel
 * is too old to print the client's id.
 */
bool drm_fdinfo_take(struct str text, struct drm_client *ret);
