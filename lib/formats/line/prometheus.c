/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * prometheus.c - encode records as Prometheus text without times, for receivers of current values
 */
#include "formats/line/exposition.h"

static void prometheus_put_record(struct buf *to, const struct line_node *node,
				  const struct record *r)
{
	exposition_put(to, node, r, (struct exposition_form){ .openmetrics = false });
}

const struct line_encoder prometheus_encoder = {
	.name         = "prometheus",
	.about        = "Prometheus text without times, for a Pushgateway",
	.content_type = "text/plain; version=0.0.4; charset=utf-8",
	.put          = prometheus_put_record,
};
