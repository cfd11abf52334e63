/* SPDX-License-Identifier: BSD-3-Clause */
/* usual.h - what a page of plots and the summary of a job show, in their order */
#pragma once

#include <stddef.h>

extern const char *const summary_names[];
extern const size_t n_summary_names;

/*
 * The figures of one type that name the panel are added up in it. Of several types the one is drawn
 * with the fewest steps that are not plain; of equals the first of .prefer, then of figures[].
 */
struct usual_panel {
	const char *title;
	const char *unit_name;		/* NULL: the figure's own */
	const char *prefer[4];		/* types */
	const char *derived;		/* name of a figure in figures/derived.h instead */
};
extern const struct usual_panel usual_panels[];
extern const size_t n_usual_panels;
