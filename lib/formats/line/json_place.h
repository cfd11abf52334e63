/* SPDX-License-Identifier: BSD-3-Clause */
/* json_place.h - when a record was, where, and of which jobs, as members of a JSON object */
#pragma once

#include "formats/line/line.h"

/* "time" in seconds, since JSON's numbers have no width, "host", labels, and "jobs", an array. */
void json_put_place(struct buf *b, const struct line_node *node, const struct record *r);
