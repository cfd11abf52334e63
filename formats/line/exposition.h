/* SPDX-License-Identifier: BSD-3-Clause */
/* exposition.h - series as text that Prometheus scrapes: its own form, and OpenMetrics */
#pragma once

#include "formats/line/series.h"

/* With times, and counters named as OpenMetrics has them; or as of now, in the older form. */
void exposition_put(struct buf *to, const struct line_node *node, const struct record *r,
		    bool openmetrics);
void exposition_put_quoted(struct buf *to, struct str text);	/* a label's value in its quotes */
