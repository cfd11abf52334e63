/* SPDX-License-Identifier: BSD-3-Clause */
/* played.h - play back moments from files: MONITOR recordings and raw files of the archive */
#pragma once

#include "archive/input.h"
#include "openvms/moment.h"

/*
 * An input file. If root starts the program, root opens the file, and an unprivileged user reads
 * it.
 */
struct played_file {
	const char *path;
	/* result of input_open_file(); -errno is reported when the file is played */
	int fd;
};

/*
 * Open a file of either kind, plain or compressed. wanted is a mask of classes; classes that a
 * recording lacks are removed from *wanted. Returns 0 or -errno; errors are logged.
 */
int played_open(struct moments *m, const struct played_file *file,
		uint32_t *wanted) MUST_CHECK;
