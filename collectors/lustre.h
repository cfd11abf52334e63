/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.h - types that are the statistics files of a Lustre client */
#pragma once

#include "collectors/source.h"
#include "schema/types/lustre.h"

#define LUSTRE_PLACES 2	/* versions of Lustre differ in where their files are */
#define LUSTRE_IN_PLACES(path) { LUSTRE_PROC "/" path, LUSTRE_DEBUG "/" path }

/* A collector of Lustre has one of these as its .data. */
struct lustre_type {
	const char *dir[LUSTRE_PLACES];	/* of clients of this type */
	const char *server;	/* "osc" of "work-OST0000-osc-ffff8104435c8c00"; NULL: mounts */
	const char *const *varying;	/* keys that not every version counts; NULL ends them */
};

/*
 * Adds a row for each mount, device "work-ffff8104435c8c00": the file system and the address of its
 * superblock, so that a file system which is mounted twice has two. The servers' rows are sums over
 * all servers of a mount. 0 or -errno as a collector returns it.
 */
int lustre_collect(struct source *s) MUST_CHECK;

/*
 * The metrics of each line of the last file: files of all servers of a type have the same keys in
 * the same order. All zero knows nothing.
 */
struct lustre_lines {
	struct lustre_line {
		unsigned char metric, metrics;	/* the first one of the key, how many */
		unsigned char key_size;		/* 0: not known */
	} line[64];
};

/*
 * Adds one statistics file to the row: of metrics with a unit ("B", "us") the sum of a line's
 * samples, of the others their number. False if a line is not as it should be.
 */
bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text) MUST_CHECK;

/*
 * Looks in both places, first in *place, where the last look found its files and has them open.
 * look() returns 0 or -errno, -ENOENT: not there. Returns 0, with *place set, or the last error.
 */
int lustre_look(struct source *s, size_t *place,
		int (*look)(struct source *s, size_t place)) MUST_CHECK;

/* Why there are no statistics in these two directories: e is what reading gave. Returns -ENOENT. */
int lustre_absent(struct source *s, const char *proc, const char *debug, int e);
