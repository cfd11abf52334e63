/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h - what each line of a page is of: a node, or a device of one */
#pragma once

#include "figures/report.h"

#define LINES_MAX 4096	/* of devices */

struct line {
	size_t node;
	char *device;	/* NULL: all */
};

/* All zero is a valid empty one. */
struct lines {
	struct line *line;
	size_t n, cap;
	size_t next;	/* the line that is most likely looked for */
	bool too_many;
};

void lines_add_nodes(struct lines *l, const struct report *r);
void lines_add_device(struct lines *l, size_t node, struct str device);	/* once */
void lines_sort(struct lines *l);	/* devices of a node by name, 2 before 10 */
void lines_free(struct lines *l);

/* "n1", "gpu0", "n1 gpu0": as short as it can be among these nodes. */
void line_put_name(struct buf *b, const struct line *l, const struct report *r);

/* A pattern as of fnmatch(3) that means this name alone. */
void line_put_pattern(struct buf *b, const char *device);
