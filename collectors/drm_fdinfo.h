/* SPDX-License-Identifier: BSD-3-Clause */
/* drm_fdinfo.h - what the kernel says of a DRM client, in /proc/PID/fdinfo/FD */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

/* Borrows from the text. Documentation/gpu/drm-usage-stats.rst */
struct drm_client {
	struct str driver, address;	/* "amdgpu", "0000:c1:00.0" */
	uint64_t id;		/* of the client: several descriptors may be of one */
	bool busy_known, memory_known;
	uint64_t busy;		/* ns of all engines together, only grows */
	uint64_t memory;	/* bytes in the GPU's own memory */
};

/* False: the file is of no DRM client, or the kernel is too old to say which client it is of. */
bool drm_fdinfo_take(struct str text, struct drm_client *ret);
