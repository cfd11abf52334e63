/* SPDX-License-Identifier: BSD-3-Clause */
/* played.h - moments of files: MONITOR recordings and raw files of the archive */
#pragma once

#include "archive/input.h"
#include "monitor/moment.h"

/* Input files are opened by root, if root starts this, and read by who is not. */
struct played_file {
	const char *path;
	int fd;		/* of input_open_file(): -errno is said when the file's turn comes */
};

/*
 * Takes a file of either kind, plain or compressed. wanted: the classes, bit n class n; of a
 * recording those that it lacks are taken out of *wanted. 0 or -errno, which is logged.
 */
int played_open(struct moments *m, const struct played_file *file,
		uint32_t *wanted) MUST_CHECK;
