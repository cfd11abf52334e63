/* SPDX-License-Identifier: BSD-3-Clause */
/* drm_clients.h - processes on GPUs of amdgpu, i915, nouveau and xe, from /proc/PID/fdinfo */
#pragma once

#include "base/names.h"
#include "base/system/processes.h"
#include "collectors/gpu_shares.h"

#define DRM_GPUS_MAX    64
#define DRM_CLIENTS_MAX 4096

struct drm_gpu {
	char address[16];		/* "0000:c1:00.0" */
	const char *driver;
	bool times;			/* the driver says how long engines worked for whom */
	char name[GPU_NAME_MAX];	/* "amdgpu/0": in the order of addresses, for each driver */
};

/* A client as it was at the last moment. */
struct drm_seen {
	uint64_t gpu, id, busy;
	bool now;
};

/* All zero is a valid empty one; drm_clients_free() ends it. */
struct drm_clients {
	bool looked;
	size_t n_gpus;
	struct drm_gpu gpu[DRM_GPUS_MAX];
	size_t n, cap;
	struct drm_seen *client;
	struct names names, fds;
	struct processes processes;
	bool opened;	/* .processes was */
};

/* How many GPUs there are whose driver says what clients use; looks at s->rescan. */
size_t drm_clients_look(struct drm_clients *c, struct source *s);
/*
 * 0, or -errno: -EACCES if a process may have GPUs open that cannot be seen. Then no GPU has a row.
 */
int drm_clients_collect(struct drm_clients *c, struct source *s, struct gpu_shares *to);
void drm_clients_free(struct drm_clients *c);
