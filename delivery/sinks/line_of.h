/* SPDX-License-Identifier: BSD-3-Clause */
/* line_of.h - convert the node data of a sink into the node data of an encoder of formats/line/ */
#pragma once

#include "formats/line/line.h"
#include "sinks/sink.h"

/*
 * Make the node data for an encoder. `label` has room for LINE_LABELS_MAX labels and must stay
 * valid; the texts point into `node`.
 */
struct line_node line_of(const struct sink_node *node, struct line_label *label,
			 struct rates *rates);
