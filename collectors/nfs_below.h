/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_below.h - find NFS mounts that share a superblock, and so its counters, in mountinfo */
#pragma once

#include "collectors/source.h"

/*
 * Write to the header which mounts share counters: only the first mount of each superblock is
 * counted. See rows_below().
 */
void nfs_below(struct source *s, struct str mountinfo);
