/* SPDX-License-Identifier: BSD-3-Clause */
/* line_of.h - what an encoding says of all records of a node, from what a sink knows of it */
#pragma once

#include "formats/line/line.h"
#include "sinks/sink.h"

/* label has room for LINE_LABELS_MAX and stays the caller's; the texts are the node's. */
struct line_node line_of(const struct sink_node *node, struct line_label *label,
			 struct rates *rates);
