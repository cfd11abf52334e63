/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot.h - runs gnuplot */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/listener.h"

/*
 * Runs gnuplot on a program that needs no other file; what it draws goes to the descriptor. 0, or
 * -errno and said why: -ENOENT if there is none, -EIO if it failed, with its own words.
 */
int gnuplot_run(struct str program, int to, const struct listener *listener) MUST_CHECK;

/* The same; what it draws is added to a buffer. */
int gnuplot_draw(struct str program, struct buf *to, const struct listener *listener) MUST_CHECK;

/* The same for a drawing of characters: without the form feed and the blanks after its lines. */
int gnuplot_run_text(struct str program, struct buf *to,
		     const struct listener *listener) MUST_CHECK;

/* The width of a drawing of characters: that of the terminal on standard output, or 80. */
unsigned gnuplot_columns(void);
