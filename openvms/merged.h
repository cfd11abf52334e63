/* SPDX-License-Identifier: BSD-3-Clause */
/* merged.h - merge the samples of several files into one stream, with a node for each file */
#pragma once

#include "openvms/played.h"

/*
 * Open n files and merge their samples by time; at equal times, earlier files come first. Each file
 * must have one node, and all files the same interval; the node of file i gets index i. Class RMS
 * is left out, because a recording has a single list of file names. Returns 0 or -errno; errors are
 * logged. Call moments_close() in both cases.
 */
int merged_open(struct moments *m, const struct played_file *file, size_t n,
		uint32_t wanted) MUST_CHECK;
