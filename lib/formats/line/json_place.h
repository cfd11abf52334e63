/* SPDX-License-Identifier: BSD-3-Clause */
/* json_place.h - write a record's time, host, labels and jobs as members of a JSON object */
#pragma once

#include "formats/line/line.h"

/*
 * Append "time", "host", a member for each label, and the array "jobs". The time is in seconds with
 * all digits, because a JSON number has no fixed width.
 */
void json_put_place(struct buf *b, const struct line_node *node, const struct record *r);
