/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.h - collect the statistics files of a Lustre client */
#pragma once

#include "collectors/source.h"
#include "schema/types/lustre.h"

#define LUSTRE_PLACES 2	/* procfs and debugfs, depending on Lustre's version */
#define LUSTRE_IN_PLACES(path) { LUSTRE_PROC "/" path, LUSTRE_DEBUG "/" path }

/* The .data of a collector of Lustre. */
struct lustre_type {
	const char *dir[LUSTRE_PLACES];	/* directories of this type's clients */
	const char *server;	/* "osc" of "work-OST0000-osc-ffff8104435c8c00"; NULL for mounts */
	const char *const *varying;	/* keys that only some versions count; NULL ends the list */
};

/*
 * Add a row for each mount. The device is "work-ffff8104435c8c00": the file system and the address
 * of the superblock, so that a file system mounted twice has two rows. Rows of servers are sums
 * over all servers of a mount. Returns 0 or -errno, as a collector does.
 */
int lustre_collect(struct source *s) MUST_CHECK;

/*
 * The metrics of each line of the previous file, since the files of all servers of a type have the
 * same keys in the same order. All zero is a valid empty state.
 */
struct lustre_lines {
	struct lustre_line {
		unsigned char metric, metrics;	/* first metric of the key, number of metrics */
		unsigned char key_size;		/* 0: the line is unknown */
	} line[64];
	/* mask of keys with a negative sum; the caller clears the mask */
	uint64_t below_0;
};

/*
 * Add one statistics file to the row. For a metric with a unit ("B", "us"), add the sum of a line's
 * samples, otherwise their number. A negative sum is left out. Returns false if a line is
 * malformed.
 */
bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text) MUST_CHECK;

/*
 * Call look() for the possible places of Lustre's files, starting at *place, where they were found
 * and opened last time. look() returns 0 or -errno, -ENOENT if the files are not there. Returns 0
 * with *place set, or the last error.
 */
int lustre_look(struct source *s, size_t *place,
		int (*look)(struct source *s, size_t place)) MUST_CHECK;

/*
 * Set s->why to the reason why neither directory has statistics; e is the error of reading. Returns
 * -ENOENT.
 */
int lustre_absent(struct source *s, const char *proc, const char *debug, int e);
