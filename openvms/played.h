/* SPDX-License-Identifier: BSD-3-Clause */
/* played.h - read samples from MONITOR recordings and raw files of the archive */
#pragma once

#include "archive/input.h"
#include "openvms/moment.h"

/* An input file, which is opened before the program drops its privileges and read afterwards. */
struct played_file {
	const char *path;
	/* result of input_open_file(): a descriptor, or -errno, which played_open() reports */
	int fd;
};

/*
 * Open a recording or a raw file, which may be compressed. Takes over .fd; .path must stay valid.
 * *wanted is a mask of classes; classes that a recording lacks are removed. Returns 0 or -errno;
 * errors are logged. Call moments_close() in both cases.
 */
int played_open(struct moments *m, const struct played_file *file,
		uint32_t *wanted) MUST_CHECK;
