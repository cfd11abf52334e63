/* SPDX-License-Identifier: BSD-3-Clause */
/* exposition.h - series as text that Prometheus scrapes: its own form, and OpenMetrics */
#pragma once

#include "formats/line/series.h"

struct exposition_form {
	bool openmetrics;	/* counters are named so; else as in the older form */
	bool timed;		/* with times; else as of now */
	bool beside;		/* node_exporter shows it, too: names of its own are left out */
};

void exposition_put(struct buf *to, const struct line_node *node, const struct record *r,
		    struct exposition_form form);
void exposition_put_quoted(struct buf *to, struct str text);	/* a label's value in its quotes */
