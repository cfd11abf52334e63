/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.h - what the nodes of a report did over time, as a program for gnuplot */
#pragma once

#include "base/listener.h"
#include "plot/plot.h"
#include "report/search.h"
#include "report/survey.h"

/* Looks at all samples of the report's nodes, and no others. The questions in y are kept. */
void draw_survey(struct survey *y, const struct search *q, const struct report *r);

/*
 * The panels that have something to show: of the keys that the survey wanted, or the usual ones.
 * survey_end() was called. False, and the listener was told why. Words get a sentence of each
 * panel, causes the jobs with most of it, if not NULL.
 */
bool draw_program(struct buf *program, struct buf *words, struct buf *causes,
		  const struct search *q,
		  const struct report *r, struct survey *y, const struct plot_how *how,
		  const struct listener *listener);
