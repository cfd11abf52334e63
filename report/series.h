/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - compute each panel's values over time, on a time grid that all nodes share */
#pragma once

#include "plot/chart.h"
#include "report/panels.h"
#include "report/survey.h"

/*
 * Limits of the times and values in a chart. Up to 1,000 distinct sample times are used as they
 * are. If there are more, the time range is divided into 1,000 equal intervals, or fewer if there
 * would be more than 64 million values (320 MiB); each value is then the mean over an interval.
 */
#define SERIES_EDGES_MAX  1001
#define SERIES_VALUES_MAX ((size_t)64 << 20)

struct series {
	const struct panels *panels;
	const struct lines *lines;
	struct chart chart;

	/* number of lines that series_sum() combined; 0 if series_sum() was not called */
	size_t summed;
	/* at some times, series_sum() found no value of a line, so that the sum is too low */
	bool lacking;

	/*
	 * state of the line that is being read: .at is its index; .start and .interval are those of
	 * its node; .usec is the time of its latest sample
	 */
	size_t at;
	int64_t start, interval, usec;
	struct steps steps;
	struct part {
		double sum, weight;
		bool joined;
	} *part;		/* weighted sums of the current line's values, [panel][edge] */
};

/*
 * Initialize the series. With "even", all intervals of the chart have the same length. Borrows the
 * panels and the survey's lines; there must be at least one panel and one line.
 */
void series_init(struct series *s, const struct panels *p, const struct survey *y,
		 const struct report *r, bool even);
void series_free(struct series *s);
void series_begin(struct series *s, size_t line, const struct node *node);
void series_sample(void *series, const struct job_sample *t);	/* callback for struct node_query */
void series_end(struct series *s);

/* Pass the values of a line to another process: series_put() serializes, series_take() loads. */
void series_put(const struct series *s, size_t line, struct buf *b);
void series_take(struct series *s, size_t line, struct str bytes);

/* Combine all lines into a single line of sums or, for shares and ratios, of means. */
void series_sum(struct series *s);

/* Set the titles of the chart, after all lines were read. Borrows the survey's marks. */
void series_name(struct series *s, const struct survey *y, const struct report *r);
