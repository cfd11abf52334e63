/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.h - plot the nodes of a report over time, as a program for gnuplot */
#pragma once

#include "base/listener.h"
#include "plot/plot.h"
#include "report/search.h"
#include "report/survey.h"

/*
 * Read all samples of the report's nodes, and collect their times, marks and keys in y. Keeps the
 * settings .wanted, .sum, .by_device and .device of y.
 */
void draw_survey(struct survey *y, const struct search *q, const struct report *r);

/*
 * Write a gnuplot program that draws the keys in y->wanted or, if there are none, the default
 * panels that have data. Call survey_end() first. "words" receives a description with a sentence
 * per panel; "causes" receives a table that lists, for each panel, the jobs that contributed most.
 * Either may be NULL. Returns false, after telling the listener, if there is nothing to draw, the
 * records lack a requested key, or there are more than LINES_MAX devices.
 */
bool draw_program(struct buf *program, struct buf *words, struct buf *causes,
		  const struct search *q,
		  const struct report *r, struct survey *y, const struct plot_how *how,
		  const struct listener *listener);
