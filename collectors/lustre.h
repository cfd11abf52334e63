/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.h - collect the statistics files of a Lustre client */
#pragma once

#include "collectors/source.h"
#include "schema/types/lustre.h"

/* places where Lustre's files may be, depending on its version: procfs or debugfs */
#define LUSTRE_PLACES 2
#define LUSTRE_IN_PLACES(path) { LUSTRE_PROC "/" path, LUSTRE_DEBUG "/" path }

/* The .data of a collector of Lustre. */
struct lustre_type {
	const char *dir[LUSTRE_PLACES];	/* for each place: the directory with this type's clients */
	/* "osc" in "work-OST0000-osc-ffff8104435c8c00"; NULL if each client is a mount */
	const char *server;
	const char *const *varying;	/* keys that only some versions count; NULL ends the list */
};

/*
 * Add a row for each mount. The device is "work-ffff8104435c8c00": the file system and the address
 * of the superblock, so that a file system mounted twice has two rows. Rows of servers are sums
 * over all servers of a mount. Returns 0 or -errno, as a collector does.
 */
int lustre_collect(struct source *s) MUST_CHECK;

/*
 * For each line of the file that was parsed before, the metrics of the line. The next file is
 * likely to have the same lines, since the files of all servers of a type have the same keys in the
 * same order. All zero is a valid empty state.
 */
struct lustre_lines {
	struct lustre_line {
		/* index of the first metric of the line's key, and number of metrics */
		unsigned char metric, metrics;
		unsigned char key_size;		/* 0: the line is unknown */
	} line[64];
	/* mask of the keys whose sum was negative; the caller clears the mask */
	uint64_t below_0;
};

/*
 * Add one statistics file to the row. If a metric has a unit ("B", "us"), add the sum of the line's
 * samples, otherwise the number of samples. A negative sum is not added. Returns false if a line is
 * malformed.
 */
bool lustre_add_stats(const struct source *s, struct lustre_lines *lines, struct row row,
		      struct str text) MUST_CHECK;

/*
 * Call look() for each possible place of Lustre's files until one succeeds, starting at *place, the
 * place where the files were found last time. look() returns 0 or -errno; -ENOENT if the place has
 * no such files. Returns 0 with *place set, or the error of the last call.
 */
int lustre_look(struct source *s, size_t *place,
		int (*look)(struct source *s, size_t place)) MUST_CHECK;

/*
 * Set s->why to the reason why neither of two directories has statistics; e is the error of reading
 * them. Returns -ENOENT.
 */
int lustre_absent(struct source *s, const char *proc, const char *debug, int e);
