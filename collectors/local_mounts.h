/* SPDX-License-Identifier: BSD-3-Clause */
/* local_mounts.h - list the mounts of local file systems that a path lookup reaches safely */
#pragma once

#include "base/system/mounts.h"
#include "collectors/source.h"

struct local_mount {
	char *path;		/* path for system calls */
	char *device;		/* path as written in /proc/mounts, with escapes */
};

/* All zero is a list that was never read; local_mounts_free() releases it. */
struct local_mounts {
	struct mounts mounts;
	struct local_mount *place;
	size_t n, cap;
};

/*
 * Update the list if /proc/mounts changed. is_wanted() selects types of file systems. Returns 0, or
 * -ENOENT with s->why set.
 */
int local_mounts_look(struct local_mounts *p, struct source *s,
		      bool (*is_wanted)(struct str type)) MUST_CHECK;
void local_mounts_free(struct local_mounts *p);
