/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - compress a closed raw file */
#pragma once

#include "base/base.h"

/*
 * Compress NAME in the folder to NAME.zst with the same mode and times and, as root, the same
 * owner. Remove NAME once NAME.zst is complete and synced. Returns 0 or -errno; -EOPNOTSUPP in a
 * build without libzstd.
 */
int pack_file(int dirfd, const char *name) MUST_CHECK;
