/* SPDX-License-Identifier: BSD-3-Clause */
/* value_files.h - collect devices that are directories with one file per key */
#pragma once

#include "collectors/source.h"

struct value_files {
	const char *dir;	/* directory of the devices, below the root */
	/* prefix of the devices' names, followed by a number; other names are ignored */
	const char *prefix;
	bool by_number;		/* the device's name in the row is only the number */
	/* a directory's name may have any text after the prefix, not only a number */
	bool any_name;
};

/*
 * Add a row for each device. If a file has no number, its key is missing. s->data is a struct
 * value_files; the key of a metric is the path of its file below the device. Returns 0 or -errno.
 */
int value_files_collect(struct source *s) MUST_CHECK;
/* Add rows like value_files_collect(), for a directory that the collector chooses. */
int value_files_add(struct source *s, const struct value_files *where) MUST_CHECK;
