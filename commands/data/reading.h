/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h - open files of records one after another, and print output */
#pragma once

#include "archive/input.h"

/* State of reading files. Initialise with zeros, and set .before and .arg. */
struct reading {
	const char *file;	/* file being read */
	struct input *in;
	struct record_source source;
	bool failed;		/* a file could not be read, at least in part */
	/* called before a line is logged, or NULL */
	void (*before)(void *arg);
	void *arg;
};

/*
 * Begin a file. fd is its descriptor, which this function takes over, or the -errno that
 * named_files_take() returned for the file. Returns false if there is nothing to read, and logs
 * why, unless fd is -ECANCELED: a file without records, such as a lock. Defects found later are
 * logged with file and line.
 */
bool reading_open(struct reading *r, const char *file, int fd);
void reading_close(struct reading *r);

/*
 * Print `out` to standard output, and empty it. On failure, exits the program; a closed pipe counts
 * as success.
 */
void reading_print(struct reading *r, struct buf *out);
