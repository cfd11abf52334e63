/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h - files of records one after another, for programs that print what they make of them */
#pragma once

#include "archive/input.h"

/* All zero but .before and .arg is a valid new one. */
struct reading {
	const char *file;	/* being read now */
	struct input *in;
	struct record_source source;
	bool failed;		/* some file, or a part of it, could not be read */
	void (*before)(void *arg);	/* a line is about to be logged; or NULL */
	void *arg;
};

/* False, and said why: the file cannot be opened. Later defects are logged where they stand. */
bool reading_open(struct reading *r, const char *file);
void reading_close(struct reading *r);

/* To standard output, and empties it. Where that fails the program ends, well if nobody reads. */
void reading_print(struct reading *r, struct buf *out);
