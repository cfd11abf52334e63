/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h - assign the lines of a chart to nodes or devices */
#pragma once

#include "figures/report.h"

#define LINES_MAX 4096	/* limit of the lines in a chart that has a line per device */

struct line {
	size_t node;
	char *device;	/* NULL: all devices of the node */
};

/* All zero is a valid empty list. */
struct lines {
	struct line *line;
	size_t n, cap;
	size_t next;	/* index in .line at which lines_add_device() starts its next search */
	bool too_many;	/* a device was left out, because there are more than LINES_MAX */
};

void lines_add_nodes(struct lines *l, const struct report *r);
/* Add a device of a node, unless the list has the device already. */
void lines_add_device(struct lines *l, size_t node, struct str device);
/* sorts devices by node, then by name in version order: 2 before 10 */
void lines_sort(struct lines *l);
void lines_free(struct lines *l);

/* Write the shortest name that is unique in the report: "n1", "gpu0" or "n1 gpu0". */
void line_put_name(struct buf *b, const struct line *l, const struct report *r);

/* Write a pattern for fnmatch(3) that matches only this device name, then a NUL. */
void line_put_pattern(struct buf *b, const char *device);
