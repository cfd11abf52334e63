/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - find AMD GPUs and decode their binary table gpu_metrics */
#pragma once

#include <stdbool.h>
#include "collectors/source.h"
#include "schema/types/amd_gpu.h"

struct amd_card {
	char dir[40];		/* directory below the root: "sys/class/drm/card1" */
	/* directory of sensors in .dir: "device/hwmon/hwmon4"; empty if there is none */
	char hwmon[48];
	char address[16];	/* PCI address: "0000:c1:00.0" */
	bool wide;		/* the energy counter has 64 bits, see amd_metrics_get() */
};

/*
 * Get the list of AMD GPUs in the order of their PCI addresses, and set *n to its length, which may
 * be 0. The list is made at the first call and when s->rescan is set, from files that the kernel
 * answers from memory, so no GPU is woken.
 */
const struct amd_card *amd_cards(struct source *s, size_t *n);
/*
 * .present of the collectors of AMD GPUs. Safe in the agent's process, because the kernel answers
 * uevent from memory.
 */
int amd_cards_present(struct source *s);

/*
 * Get the offsets of the values in a gpu_metrics table. Returns NULL if the table is empty,
 * truncated or of an unknown version.
 */
const struct amd_layout *amd_layout_of(struct str table);

/*
 * Count the partitions that the table has values for. Returns 0 if there are none, or if the
 * version or size is unknown.
 */
size_t amd_partitions(struct str table);
/*
 * Read the values of an existing partition, indexed by enum amd_xcp_key. Returns a mask of the keys
 * found.
 */
uint32_t amd_partition_get(struct str table, size_t partition, uint64_t *values);

/*
 * Read one value of the table. Returns false if this version lacks the value or the firmware does
 * not provide it. wide: this GPU counts energy in 64 bits. In tables before version 1.4, the energy
 * of other GPUs is not read: it has 32 bits, which wrap within minutes, and is in another unit.
 */
bool amd_metrics_get(const struct amd_layout *layout, struct str table, enum amd_metric metric,
		     bool wide, uint64_t *ret);
