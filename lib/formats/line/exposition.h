/* SPDX-License-Identifier: BSD-3-Clause */
/* exposition.h - encode series as Prometheus or OpenMetrics text */
#pragma once

#include "formats/line/series.h"

struct exposition_form {
	bool openmetrics;	/* OpenMetrics; false: Prometheus text */
	/* write the time of each sample; false: the receiver uses its time of reception */
	bool timed;
	/* leave out metrics named node_*, because a node_exporter on this node also sends them */
	bool beside;
	bool scraped;	/* add the labels of a scrape, see struct series_listener */
};

void exposition_put(struct buf *to, const struct line_node *node, const struct record *r,
		    struct exposition_form form);
/*
 * Append the lines "# HELP" and "# TYPE" of an OpenMetrics family, whose name is `prefix` followed
 * by `name`. Nothing is escaped.
 */
void exposition_put_head(struct buf *to, const char *prefix, const char *name, const char *help,
			 enum metric_kind kind);
/* Append the name of a sample of such a family: the family's name, with _total for a counter. */
void exposition_put_name(struct buf *to, const char *prefix, const char *name,
			 enum metric_kind kind);
/* Append a label's value, escaped and in quotes. */
void exposition_put_quoted(struct buf *to, struct str text);
