/* SPDX-License-Identifier: BSD-3-Clause */
/* exposition.h - encode series as text for Prometheus, in its own form or as OpenMetrics */
#pragma once

#include "formats/line/series.h"

struct exposition_form {
	bool openmetrics;	/* write OpenMetrics; false: the older Prometheus form */
	/* write the time of each sample; false: the receiver uses its current time */
	bool timed;
	/*
	 * leave out node_exporter's metric names (node_*), because node_exporter runs on the node,
	 * too
	 */
	bool beside;
	bool scraped;	/* add labels as a scrape does, see struct series_listener */
};

void exposition_put(struct buf *to, const struct line_node *node, const struct record *r,
		    struct exposition_form form);
/*
 * exposition_put_head() appends the lines "# HELP" and "# TYPE" of an OpenMetrics family. The name
 * of the family is `prefix` followed by `name`. exposition_put_name() appends the name of a sample
 * of this family; for a counter, this name ends in _total. The texts are not escaped.
 */
void exposition_put_head(struct buf *to, const char *prefix, const char *name, const char *help,
			 enum metric_kind kind);
void exposition_put_name(struct buf *to, const char *prefix, const char *name,
			 enum metric_kind kind);
/* Append a label's value, escaped and in quotes. */
void exposition_put_quoted(struct buf *to, struct str text);
