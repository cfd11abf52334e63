/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - find AMD GPUs and decode their binary table gpu_metrics */
#pragma once

#include <stdbool.h>
#include "collectors/source.h"
#include "schema/types/amd_gpu.h"

struct amd_card {
	char dir[40];		/* directory below the root: "sys/class/drm/card1" */
	/* sensor directory below .dir, such as "device/hwmon/hwmon4"; "" if there is none */
	char hwmon[48];
	char address[16];	/* PCI address: "0000:c1:00.0" */
	bool wide;		/* the energy counter has 64 bits */
};

/*
 * Get the list of AMD GPUs, sorted by PCI address, and set *n to its length, which may be 0. The
 * source's state keeps the list, which is made at the first call and at each rescan. The files that
 * are read do not wake the GPUs, because the kernel answers from memory.
 */
const struct amd_card *amd_cards(struct source *s, size_t *n);
/*
 * Check if this node has an AMD GPU (struct collector, .present). Returns 0 or -ENOENT. Does not
 * block.
 */
int amd_cards_present(struct source *s);

/*
 * Get the offsets of the values in a gpu_metrics table. Returns NULL if the table is empty,
 * truncated or of an unknown version.
 */
const struct amd_layout *amd_layout_of(struct str table);

/*
 * Count the partitions for which a gpu_metrics table has values. Returns 0 also if the table's
 * version or size is unknown.
 */
size_t amd_partitions(struct str table);
/*
 * Read the values of a partition, a number below amd_partitions(). values[] has XCP_KEYS members,
 * indexed by enum amd_xcp_key. Returns a mask of the keys found.
 */
uint32_t amd_partition_get(struct str table, size_t partition, uint64_t *values);

/*
 * Read one value of the table for which amd_layout_of() returned the layout. Energy is in uJ. wide:
 * this GPU's energy counter has 64 bits, see struct amd_card. Returns false if the table's version
 * lacks the value or the firmware does not provide it. In tables before version 1.4, a 32-bit
 * energy counter is not read: it wraps within minutes, and has another unit.
 */
bool amd_metrics_get(const struct amd_layout *layout, struct str table, enum amd_metric metric,
		     bool wide, uint64_t *ret);
