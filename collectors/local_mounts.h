/* SPDX-License-Identifier: BSD-3-Clause */
/* local_mounts.h - list the mounts of local file systems whose paths cannot hang */
#pragma once

#include "collectors/source.h"

struct local_mount {
	char *path;		/* path of the mount point for system calls, without escapes */
	char *device;	/* device of the row: the path as written in /proc/mounts, with escapes */
};

/* A kind of local file systems, and the collector's function for their rows. */
struct local_mounts_kind {
	/* selects file systems by their type in /proc/mounts */
	bool (*is_wanted)(struct str type);
	void (*add_row)(struct source *s, const struct local_mount *p);
	const char *absent;			/* reason to report if no row was added */
};
/*
 * Add the rows of all mounts of a kind. The mounts are listed again if /proc/mounts has changed.
 * Returns 0, or -ENOENT with s->why set.
 */
int local_mounts_collect(struct source *s, const struct local_mounts_kind *kind) MUST_CHECK;
