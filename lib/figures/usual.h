/* SPDX-License-Identifier: BSD-3-Clause */
/* usual.h - contents and order of the default page of plots, and of a job's summary */
#pragma once

#include <stddef.h>

extern const char *const summary_names[];
extern const size_t n_summary_names;

/*
 * A panel of the default page: the sum of all figures of one record type that have the panel's
 * title as .panel. If several types have such figures, the type with the fewest estimated changes
 * (not counting wraps) is drawn; of types with equally many, the first in .prefer, else the first
 * in figures[].
 */
struct usual_panel {
	const char *title;
	const char *unit_name;		/* NULL: use the unit of the figure */
	const char *prefer[4];		/* record types to prefer, best first */
	/* id of a derived figure (derived.h) to draw in place of the recorded key; NULL: none */
	const char *derived;
};
extern const struct usual_panel usual_panels[];
extern const size_t n_usual_panels;
