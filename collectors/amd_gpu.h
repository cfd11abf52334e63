/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_gpu.h - where the files of AMD's GPUs are, and what the binary one of them holds */
#pragma once

#include <stdbool.h>
#include "collectors/source.h"
#include "schema/types/amd_gpu.h"

struct amd_card {
	char dir[40];		/* "sys/class/drm/card1" */
	char hwmon[48];		/* "device/hwmon/hwmon4", or empty */
	char address[16];	/* "0000:c1:00.0" */
	bool wide;		/* see amd_metrics_get() */
};

/*
 * In the order of their PCI addresses; *n of them, maybe none. It is looked for them at the first
 * call and when s->rescan is set, in what the kernel has in memory: no GPU is asked.
 */
const struct amd_card *amd_cards(struct source *s, size_t *n);
/* For struct collector: uevent comes from the kernel's memory, the agent itself may read it. */
int amd_cards_present(struct source *s);

/* Places of the values in gpu_metrics; NULL: an unknown version, a cut one, or no table. */
const struct amd_layout *amd_layout_of(struct str table);

/* How many the table has values of; 0: none, or a version or size that is not known. */
size_t amd_partitions(struct str table);
/* Values by enum amd_xcp_key of a partition that it has; returns a bit for each that is there. */
uint32_t amd_partition_get(struct str table, size_t partition, uint64_t *values);

/*
 * False: this version has no such value, or the firmware does not fill it. Before version 1.4 some
 * GPUs count energy in 32 bits (they are full after minutes) and in a unit of their own: wide says
 * that this one is not of those.
 */
bool amd_metrics_get(const struct amd_layout *layout, struct str table, enum amd_metric metric,
		     bool wide, uint64_t *ret);
