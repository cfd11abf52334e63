/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h - read files of records one after another */
#pragma once

#include "archive/input.h"

/* State of reading files. Initialise with zeros, and set .before and .arg. */
struct reading {
	const char *file;	/* file being read */
	struct input *in;
	struct record_source source;
	bool failed;		/* whether a file or a part of a file could not be read */
	/* called before a line is logged; NULL if nothing must be called */
	void (*before)(void *arg);
	void *arg;
};

/*
 * Begin a file. fd is its descriptor, or -errno of named_files_take(). Returns false if there is
 * nothing to read, which is logged unless archive_is_aside(). Defects that are found later are
 * logged with their file and line.
 */
bool reading_open(struct reading *r, const char *file, int fd);
void reading_close(struct reading *r);

/*
 * Print `out` to standard output, and empty `out`. On failure, exits the program: with success if
 * the reader of a pipe has closed the pipe.
 */
void reading_print(struct reading *r, struct buf *out);
