/* SPDX-License-Identifier: BSD-3-Clause */
/* like.h - jobs of an archive that somebody may mean who writes part of their id, or more */
#pragma once

#include <stdbool.h>
#include "archive/input.h"
#include "base/buf.h"

/* All zero is a valid empty one. */
struct like {
	char **id;	/* each once, 2 before 10 */
	size_t n, cap;
	bool tasks;	/* the name is the first part of each */
};

/*
 * "95_1" of an array, "95+1" of a job of several parts, "95.1" of a cluster and "95.server" if the
 * name is 95; 95 if it is one of these.
 */
void like_find(struct like *l, const char *name, const struct archive_file *file, size_t n);
void like_put(struct buf *b, const struct like *l);	/* "95_1, 95_2, 95_3 and 4 more" */
void like_free(struct like *l);
