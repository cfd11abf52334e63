/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_below.h - find NFS mounts that share a superblock and its counters, in mountinfo */
#pragma once

#include "collectors/source.h"

/*
 * Record in the file header which mounts share counters, so that readers count only the first of
 * these mounts: see rows_below().
 */
void nfs_below(struct source *s, struct str mountinfo);
