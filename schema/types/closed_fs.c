/* SPDX-License-Identifier: BSD-3-Clause */
/* closed_fs.c - types of file systems whose statistics nodometer cannot collect */
#include "schema/type.h"

const struct type beegfs_type = {
	.name    = "beegfs",
	.about   = "BeeGFS mounts: why they are not measured",
	.source  = "/proc/mounts",
	.device  = "none",
};

const struct type gpfs_type = {
	.name    = "gpfs",
	.about   = "GPFS mounts: why they are not measured",
	.source  = "/proc/mounts",
	.device  = "none",
};
