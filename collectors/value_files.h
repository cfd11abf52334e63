/* SPDX-License-Identifier: BSD-3-Clause */
/* value_files.h - types whose devices are directories with one file per key */
#pragma once

#include "collectors/source.h"

struct value_files {
	const char *dir;	/* below the root: where the devices are */
	const char *prefix;	/* of their names; a number follows, other names are not devices */
	bool by_number;		/* the device is that number, not the whole name */
	bool any_name;		/* names need no number after the prefix */
};

/*
 * Adds a row for each device; a file without a number is a key that is missing. s->data is a struct
 * value_files, a metric's key the path of its file below the device. 0 or -errno.
 */
int value_files_collect(struct source *s) MUST_CHECK;
/* The same of a directory that the collector chooses. */
int value_files_add(struct source *s, const struct value_files *where) MUST_CHECK;
