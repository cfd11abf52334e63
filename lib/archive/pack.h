/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - a closed raw file becomes a compressed one */
#pragma once

#include "base/base.h"

/*
 * NAME in the folder becomes NAME.zst with the same owner, mode and time; NAME goes only when
 * NAME.zst is on the disk, whole. 0 or -errno; -EOPNOTSUPP in a build without libzstd.
 */
int pack_file(int dirfd, const char *name) MUST_CHECK;
