/* SPDX-License-Identifier: BSD-3-Clause */
/* drm_clients.h - find processes on GPUs of amdgpu, i915, nouveau and xe, in /proc/PID/fdinfo */
#pragma once

#include "base/names.h"
#include "base/system/processes.h"
#include "collectors/gpu_shares.h"

#define DRM_GPUS_MAX    64
#define DRM_CLIENTS_MAX 4096

struct drm_gpu {
	char address[16];		/* PCI address: "0000:c1:00.0" */
	const char *driver;
	bool times;			/* the driver reports each client's engine time */
	/* device of the rows: the driver and the GPU's number, such as "amdgpu/0" */
	char name[GPU_NAME_MAX];
};

/* The previous reading of a DRM client. */
struct drm_seen {
	uint64_t gpu;	/* hash of the GPU's PCI address */
	uint64_t id, busy;
	bool now;
};

/* All zero is a valid empty state; drm_clients_free() releases it. */
struct drm_clients {
	bool looked;
	size_t n_gpus;
	struct drm_gpu gpu[DRM_GPUS_MAX];
	size_t n, cap;
	struct drm_seen *client;
	struct names names, fds;
	struct processes processes;
	bool opened;	/* .processes is open */
};

/*
 * Count the GPUs whose drivers report the use of each client. If s->rescan is set, update the list
 * of GPUs first.
 */
size_t drm_clients_look(struct drm_clients *c, struct source *s);
/*
 * Add the processes on all GPUs to `to`. Returns 0 or -errno; -EACCES if the files of some process
 * are unreadable, because any GPU may then be in use.
 */
int drm_clients_collect(struct drm_clients *c, struct source *s, struct gpu_shares *to);
void drm_clients_free(struct drm_clients *c);
