/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h - read files of records one after another */
#pragma once

#include "archive/input.h"

/* State. Initialise with zeros, .before and .arg. */
struct reading {
	const char *file;	/* file being read */
	struct input *in;
	struct record_source source;
	bool failed;		/* whether a file, or a part of one, could not be read */
	void (*before)(void *arg);	/* called before a line is logged, or NULL */
	void *arg;
};

/*
 * Begin a file, with its descriptor or -errno of named_files_take(). Returns false if there is
 * nothing to read, which is logged unless archive_is_aside(). Later defects are logged where they
 * stand.
 */
bool reading_open(struct reading *r, const char *file, int fd);
void reading_close(struct reading *r);

/*
 * Print out to standard output and empty it. If that fails, the program exits, successfully if the
 * pipe was closed.
 */
void reading_print(struct reading *r, struct buf *out);
