/* SPDX-License-Identifier: BSD-3-Clause */
/* line_of.h - convert the node data of a sink into the node data of an encoder of formats/line/ */
#pragma once

#include "formats/line/line.h"
#include "sinks/sink.h"

/*
 * Make the node data for an encoder. `label` points to an array of LINE_LABELS_MAX labels, which
 * must stay valid; the texts point into `node`.
 */
struct line_node line_of(const struct sink_node *node, struct line_label *label,
			 struct rates *rates);
