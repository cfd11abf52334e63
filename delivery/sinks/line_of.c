/* SPDX-License-Identifier: BSD-3-Clause */
/* line_of.c - convert the node data of a sink into the node data of an encoder of formats/line/ */
#include "sinks/line_of.h"

struct line_node line_of(const struct sink_node *node, struct line_label *label,
			 struct rates *rates)
{
	struct str labels = str_of(node->labels);
	size_t n = 0;
	while (n < LINE_LABELS_MAX && sink_take_label(&labels, &label[n].name, &label[n].value))
		n++;
	return (struct line_node){ str_of(node->host), label, n, rates, node->whole };
}
