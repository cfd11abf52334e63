/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.h - collect the statistics files of a Lustre client */
#pragma once

#include "collectors/source.h"
#include "schema/types/lustre.h"

/* directories of Lustre's files, depending on its version: procfs or debugfs */
#define LUSTRE_PLACES 2
#define LUSTRE_IN_PLACES(path) { LUSTRE_PROC "/" path, LUSTRE_DEBUG "/" path }

/* .data of each collector of Lustre statistics. */
struct lustre_type {
	/* directories with clients of this type, in procfs and debugfs */
	const char *dir[LUSTRE_PLACES];
	/* server type, as "osc" in "work-OST0000-osc-ffff8104435c8c00"; NULL: clients are mounts */
	const char *server;
	const char *const *varying;	/* keys that only some versions have; NULL ends the list */
};

/*
 * Add a row for each mount. The device is "work-ffff8104435c8c00": the file system and the address
 * of the superblock, so that a file system mounted twice has two rows. Rows of servers are sums
 * over all servers of a mount. Returns 0 or -errno, as a collector does.
 */
int lustre_collect(struct source *s) MUST_CHECK;

/*
 * The metrics of each line of the file that was parsed last. They speed up parsing the next file,
 * which probably has the same lines: the files of all servers of a type have the same keys in the
 * same order. All zero is a valid empty state.
 */
struct lustre_lines {
	struct lustre_line {
		/* index of the line's first metric, and number of metrics */
		unsigned char metric, metrics;
		unsigned char key_size;		/* 0: the line is unknown */
	} line[64];
	/* mask of the keys with a negative sum; the caller clears this mask */
	uint64_t below_0;
};

/*
 * Add the values of a statistics file to the row: the sum of a line's samples if the metric has a
 * unit ("B", "us"), else their number. Negative sums are left out. Returns false if a line is
 * malformed.
 */
bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text) MUST_CHECK;

/*
 * Call look() for procfs and debugfs until it succeeds, starting at *place, where the files were
 * last time. look() returns 0 or -errno; -ENOENT if this directory has no such files. Returns 0
 * with *place set; the last error other than -ENOENT; or -ENOENT if neither directory has the
 * files.
 */
int lustre_look(struct source *s, size_t *place,
		int (*look)(struct source *s, size_t place)) MUST_CHECK;

/*
 * Explain in s->why that neither directory has statistics; e is the error of reading them. Returns
 * -ENOENT.
 */
int lustre_absent(struct source *s, const char *proc, const char *debug, int e);
