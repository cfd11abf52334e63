/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - the values of each panel and node over time, on a grid that all nodes share */
#pragma once

#include "plot/chart.h"
#include "report/panels.h"
#include "report/survey.h"

/*
 * The grid's edges are the times of all samples, if these are 1,000 at most: what is drawn is then
 * exact. Otherwise they are so far apart that there are 1,000 parts, and each shows the mean over
 * itself; for more than 64 million values (320 MiB: 3,355 nodes of 20 panels) the parts are fewer.
 */
#define SERIES_EDGES_MAX  1001
#define SERIES_VALUES_MAX ((size_t)64 << 20)

struct series {
	const struct panels *panels;
	const struct lines *lines;
	struct chart chart;

	size_t summed;		/* lines that are one now, 0: they are not */
	bool lacking;		/* of which some had no value at times */

	/* the line that is being read */
	size_t at;
	int64_t start, interval, usec;
	struct steps steps;
	struct part {
		double sum, weight;
		bool joined;
	} *part;		/* [panel][edge] */
};

/* even: all parts are as long as one another. */
void series_init(struct series *s, const struct panels *p, const struct survey *y,
		 const struct report *r, bool even);
void series_free(struct series *s);
void series_begin(struct series *s, size_t line, const struct node *node);
void series_sample(void *series, const struct job_sample *t);	/* for struct report */
void series_end(struct series *s);

/* The values of a line, for another process that has the same series, and there. */
void series_put(const struct series *s, size_t line, struct buf *b);
void series_take(struct series *s, size_t line, struct str bytes);

/* Makes one line of all: their sum, the mean of shares and ratios. */
void series_sum(struct series *s);

/* The words of the chart, once all nodes are in it; the survey's marks are borrowed. */
void series_name(struct series *s, const struct survey *y, const struct report *r);
