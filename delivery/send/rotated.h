/* SPDX-License-Identifier: BSD-3-Clause */
/* rotated.h - list a file that is rotated, and its rotated files, in the order of their lines */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define ROTATED_MAX 1024	/* a listing has fewer files than this */

struct rotated_file {
	char *path;
	int64_t inode;
	int64_t mtime_ns;
	uint64_t size;		/* size on disk, in bytes */
	int64_t number;		/* N of a name FILE.N; -1: the name has a date or other text */
	bool current;		/* the file is FILE itself */
	/* the name has the suffix of a compression program: FILE.N.gz, FILE.N.zst or another */
	bool packed;
	bool unreadable;	/* compressed, in a format that nodometer does not read */
	/*
	 * the text after FILE in the name is no number or date; such a file is read only if the
	 * cursor is in it
	 */
	bool aside;
};

/* A listing, oldest file first, with FILE as the last one. All zero is a valid empty listing. */
struct rotated {
	struct rotated_file *file;
	size_t n, cap;
	bool partial;		/* the newest rotated files were left out */
	/*
	 * with .partial: files that were last written at this time or later were left out, except
	 * FILE
	 */
	int64_t most_ns;
};

/*
 * List FILE, whose absolute path is given, and the files in its folder with a name of logrotate(8):
 * FILE.1, FILE-20260101, FILE-20260101.gz, and with "extension .json" transfers.1.json. A
 * compressed file is left out while the uncompressed file still exists.
 *
 * The files are sorted by the time when they were last written; if the times of FILE.2 and FILE.1
 * agree, FILE.2 comes first. Exception: if all rotated files have numbers, and the file with the
 * highest number is not newer than the file with the lowest, the files are sorted by number,
 * because times are wrong after the clock was set back.
 *
 * If there are ROTATED_MAX files or more, about half of the files are left out: first files last
 * written before since_ns, then the newest files, but never FILE. Returns 0 or -errno.
 */
int rotated_list(const char *path, int64_t since_ns, struct rotated *ret) MUST_CHECK;
void rotated_free(struct rotated *r);	/* Release the memory; leaves an empty list. */

/*
 * Return true if the file was last written at time ns or later. Compares only seconds if the file
 * is compressed and has a time of whole seconds, because the compressor may have cut the time.
 */
bool rotated_is_since(const struct rotated_file *f, int64_t ns);

/*
 * Return the inode number of a file, or its modification time, reduced to 63 bits as in listings
 * and cursors.
 */
struct stat;
int64_t rotated_inode(const struct stat *st);
int64_t rotated_mtime_ns(const struct stat *st);
/*
 * Return the time of the clock that sets file times, in nanoseconds: no later write gets an earlier
 * time.
 */
int64_t rotated_clock_ns(void);
