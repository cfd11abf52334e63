/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot.h - run gnuplot */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/listener.h"

/*
 * Run gnuplot on a program that contains its data, and write the drawing to a descriptor. Returns
 * 0; -ENOENT if gnuplot is not installed; -EIO if gnuplot failed; or another -errno. Reports
 * errors, with gnuplot's message.
 */
int gnuplot_run(struct str program, int to, const struct listener *listener) MUST_CHECK;

/* Run gnuplot and append the drawing to a buffer. Returns the same values as gnuplot_run(). */
int gnuplot_draw(struct str program, struct buf *to, const struct listener *listener) MUST_CHECK;

/*
 * Run gnuplot for a drawing of characters, and append it without form feed and trailing blanks.
 * Returns the same values as gnuplot_run().
 */
int gnuplot_run_text(struct str program, struct buf *to,
		     const struct listener *listener) MUST_CHECK;

/*
 * Return the width for a drawing of characters: that of the terminal, but at most 400; 80 if
 * standard output is no terminal or narrower than 40 columns.
 */
unsigned gnuplot_columns(void);
