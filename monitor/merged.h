/* SPDX-License-Identifier: BSD-3-Clause */
/* merged.h - the moments of several files as those of one, a node for each file */
#pragma once

#include "monitor/played.h"

/*
 * Opens files of one node each, recorded at one interval. The node of the first file gets index 0,
 * that of the second 1, and so on; moments of one stamp come in this order. Class RMS is left out:
 * its names of files are those of a file's one list. 0 or -errno, which is logged.
 */
int merged_open(struct moments *m, const struct played_file *file, size_t n,
		uint32_t wanted) MUST_CHECK;
