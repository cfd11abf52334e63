/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot.h - run gnuplot */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/listener.h"

/*
 * Run gnuplot on a program, such as that of plot_put_script(), and write the drawing to the
 * descriptor `to`. Returns 0; -ENOENT if gnuplot is not installed; -EIO if gnuplot failed; or
 * another -errno. Reports errors to the listener, with gnuplot's message.
 */
int gnuplot_run(struct str program, int to, const struct listener *listener) MUST_CHECK;

/* Run gnuplot and append the drawing to a buffer. Returns the same values as gnuplot_run(). */
int gnuplot_draw(struct str program, struct buf *to, const struct listener *listener) MUST_CHECK;

/*
 * Run gnuplot on a program that draws with characters (PLOT_TEXT), and append the drawing without
 * form feeds and trailing blanks. Returns the same values as gnuplot_run().
 */
int gnuplot_run_text(struct str program, struct buf *to,
		     const struct listener *listener) MUST_CHECK;

/*
 * Return the width of a drawing with characters, in columns: the width of the terminal, but at most
 * 400. Returns 80 if standard output is not a terminal, or is narrower than 40 columns.
 */
unsigned gnuplot_columns(void);
