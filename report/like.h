/* SPDX-License-Identifier: BSD-3-Clause */
/* like.h - suggest jobs with ids that resemble the id that the user typed */
#pragma once

#include <stdbool.h>
#include "archive/input.h"
#include "base/buf.h"

/* All zero is a valid empty list. */
struct like {
	char **id;	/* distinct ids in version order: 2 before 10 */
	size_t n, cap;
	/* all ids in .id are parts of the typed id: 95_1 or 95+1 for the typed id 95 */
	bool tasks;
};

/*
 * Find the job ids in the n files that resemble name. For "95", find "95_1" (task of an array),
 * "95+1" (component of a heterogeneous job), "95.1" and "95.server" (with a cluster or server
 * name). For "95_1", find "95".
 */
void like_find(struct like *l, const char *name, const struct archive_file *file, size_t n);
void like_put(struct buf *b, const struct like *l);	/* writes "95_1, 95_2, 95_3 and 4 more" */
void like_free(struct like *l);
