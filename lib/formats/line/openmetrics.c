/* SPDX-License-Identifier: BSD-3-Clause */
/* openmetrics.c - encode records as OpenMetrics text with times (promtool, VictoriaMetrics) */
#include "formats/line/exposition.h"

static void openmetrics_put_record(struct buf *to, const struct line_node *node,
				   const struct record *r)
{
	const struct exposition_form form = { .openmetrics = true, .timed = true,
					      .scraped = true };
	exposition_put(to, node, r, form);
}

static void openmetrics_put_eof(struct buf *to)
{
	buf_add(to, STR("# EOF\n"));
}

const struct line_encoder openmetrics_encoder = {
	.name         = "openmetrics",
	.about        = "OpenMetrics text with times (promtool tsdb create-blocks-from)",
	.content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.put          = openmetrics_put_record,
	.end          = openmetrics_put_eof,
};
