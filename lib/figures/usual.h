/* SPDX-License-Identifier: BSD-3-Clause */
/* usual.h - contents and order of the usual page of plots and of a job's summary */
#pragma once

#include <stddef.h>

extern const char *const summary_names[];
extern const size_t n_summary_names;

/*
 * A panel of the usual page. Figures of one type that name the panel are added. If several types
 * name the panel, the type with the fewest steps that are not plain is drawn; if equal, the first
 * one in .prefer, then in figures[].
 */
struct usual_panel {
	const char *title;
	const char *unit_name;		/* NULL: unit of the figure */
	const char *prefer[4];		/* preferred types */
	const char *derived;		/* id in figures/derived.h of the figure to draw instead */
};
extern const struct usual_panel usual_panels[];
extern const size_t n_usual_panels;
