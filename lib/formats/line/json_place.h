/* SPDX-License-Identifier: BSD-3-Clause */
/* json_place.h - write time, host, labels and jobs of a record as JSON members */
#pragma once

#include "formats/line/line.h"

/* Append "time" in seconds, "host", the labels, and the array "jobs". */
void json_put_place(struct buf *b, const struct line_node *node, const struct record *r);
