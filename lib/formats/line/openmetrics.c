/* SPDX-License-Identifier: BSD-3-Clause */
/* openmetrics.c - OpenMetrics text with times, as promtool and VictoriaMetrics import it */
#include "formats/line/exposition.h"

static void put(struct buf *to, const struct line_node *node, const struct record *r)
{
	const struct exposition_form form = { .openmetrics = true, .timed = true };
	exposition_put(to, node, r, form);
}

static void end(struct buf *to)
{
	buf_add(to, STR("# EOF\n"));
}

const struct line_encoder openmetrics_encoder = {
	.name         = "openmetrics",
	.about        = "OpenMetrics text with times (promtool tsdb create-blocks-from)",
	.content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.put          = put,
	.end          = end,
};
