/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_below.h - which NFS mounts share a superblock, and so its counters, from mountinfo */
#pragma once

#include "collectors/source.h"

/* For the header, see rows_below(): of each superblock the first mount counts. */
void nfs_below(struct source *s, struct str mountinfo);
