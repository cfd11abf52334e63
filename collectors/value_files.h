/* SPDX-License-Identifier: BSD-3-Clause */
/* value_files.h - collect devices that are directories with one file per key */
#pragma once

#include "collectors/source.h"

struct value_files {
	const char *dir;	/* directory of the devices, below the root */
	/* prefix of the devices' names, before a number */
	const char *prefix;
	bool by_number;		/* the row's device is only the number that follows the prefix */
	/* any text, not only a number, may follow the prefix */
	bool any_name;
};

/*
 * Add a row for each device in s->data, a struct value_files. A key's name is the path of its file
 * below the device's directory. If the file has no number, the row lacks the key. A device without
 * any number has no row. Returns 0 or -errno.
 */
int value_files_collect(struct source *s) MUST_CHECK;
/* Add rows like value_files_collect(), for `where` instead of s->data. */
int value_files_add(struct source *s, const struct value_files *where) MUST_CHECK;
