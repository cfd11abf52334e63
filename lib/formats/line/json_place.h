/* SPDX-License-Identifier: BSD-3-Clause */
/* json_place.h - write time, host, labels and jobs of a record as JSON members */
#pragma once

#include "formats/line/line.h"

/*
 * Append "time", "host", a member for each label, and the array "jobs". The time is in seconds
 * since the epoch, with up to six digits after the point.
 */
void json_put_place(struct buf *b, const struct line_node *node, const struct record *r);
