/* SPDX-License-Identifier: BSD-3-Clause */
/* merged.h - merge the moments of several files into one stream, with a node for each file */
#pragma once

#include "openvms/played.h"

/*
 * Open files of one node each that were recorded at one interval. The node of the first file gets
 * index 0, the node of the second file 1, and so on; moments with the same stamp come in this
 * order. Class RMS is left out, because a recording has a single list of file names. Returns 0 or
 * -errno; errors are logged.
 */
int merged_open(struct moments *m, const struct played_file *file, size_t n,
		uint32_t wanted) MUST_CHECK;
