/* SPDX-License-Identifier: BSD-3-Clause */
/* shown.h - what the pages of a report show, in words: its head, bars of use, a figure's columns */
#pragma once

#include "base/buf.h"
#include "figures/report.h"
#include "figures/totals.h"
#include "figures/units.h"
#include "figures/used.h"
#include "schema/factors.h"

/* "Job 15", "Job 15, 12_3", or what hosts did. */
void shown_title(struct buf *b, const struct report *r);

/* Nodes, who, what for, when: a row for each that is known, of words for a terminal. */
void shown_head(const struct report *r, const struct factors *factors,
		void (*row)(void *arg, const char *label, const char *value), void *arg);

struct shown_bar {
	const char *label;
	double percent;
	bool bad;		/* far too little, or nearly all */
	struct text share, n, of;
	bool at_least, at_most;
};
bool shown_bar(const struct report *r, enum used_what what, struct shown_bar *ret);

/* Sentences about the peaks of the bars: where they are from, and what is above them. */
void shown_peaks(struct buf *b, const struct report *r);

/* A figure that is known, as its row shows it; "" where a column has nothing. */
struct shown_figure {
	struct text whole, second;	/* of all nodes: the amount, the rate or share */
	struct text mean, min, max;	/* of the nodes */
};
struct shown_figure shown_figure(const struct report *r, const struct figure *f,
				 const struct total *t);
struct text shown_value(const struct figure *f, double v);	/* of one node */
const char *shown_second(const struct figure *f);	/* title of the second column */
/* At most 9 characters wide: four digits that count, and no more than that of a large number. */
struct text shown_number(double v);
/* So many percent of imbalance that the nodes are named; small shares are uneven everywhere. */
bool shown_is_uneven(const struct figure *f, const struct total *t);

/* Why nothing is known of the job itself, and what the other figures count then. */
#define SHOWN_NO_GROUP       "no scheduler made a control group for this job,"
#define SHOWN_NO_GROUP_MEANS "or none was read; what follows is of its whole nodes"
