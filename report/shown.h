/* SPDX-License-Identifier: BSD-3-Clause */
/* shown.h - format the parts of a report that text and HTML share: head, bars and columns */
#pragma once

#include "base/buf.h"
#include "figures/report.h"
#include "figures/totals.h"
#include "figures/units.h"
#include "figures/used.h"
#include "schema/factors.h"

/* Write the title: "Job 15", "Job 15, 12_3", "Host n1 at TIME", or "All records of hosts". */
void shown_title(struct buf *b, const struct report *r);

/* Write the known parts of "(alice, account bio, partition main)". b must be empty. */
void shown_owner(struct buf *b, const struct report *r);
/* Write the known parts of "COMPLETED, exit 0:0". */
void shown_state(struct buf *b, const struct report *r);

/*
 * Pass each row of the report's head to row(): times, nodes, allocation, energy. The values have no
 * control characters, so they are safe to print on a terminal.
 */
void shown_head(const struct report *r, const struct factors *factors,
		void (*row)(void *arg, const char *label, const char *value), void *arg);

struct shown_bar {
	const char *label;
	const char *of_what;	/* text after the used and allocated amounts: " CPUs busy" */
	double percent;
	bool bad;		/* to be highlighted: the use is far too low, or near the limit */
	struct text share, n, of;
	bool at_least, at_most;
};
/* Get the bar of a resource. Returns false if its use is unknown. */
bool shown_bar(const struct report *r, enum used_what what, struct shown_bar *ret);

/*
 * Write a sentence on the bars of FLOP/s and memory bandwidth: the source of each peak rate and, if
 * a measured rate exceeds its peak, the reason. b must be empty.
 */
void shown_peaks(struct buf *b, const struct report *r);

/* A known figure, formatted for its row in a table. Texts that do not apply are "". */
struct shown_figure {
	struct text whole, second;	/* amount on all nodes, and its rate or share */
	struct text mean, min, max;	/* mean, minimum and maximum over the nodes */
};
struct shown_figure shown_figure(const struct report *r, const struct figure *f,
				 const struct total *t);
struct text shown_value(const struct figure *f, double v);	/* value on a single node */
const char *shown_second(const struct figure *f);	/* title of the second column */
/* Format a number in at most 9 characters. Numbers below 1000 get up to four significant digits. */
struct text shown_number(double v);
/*
 * Return whether a figure differs so much between nodes that the report names the nodes with the
 * minimum and the maximum. Shares below 1 % on all nodes never count as uneven.
 */
bool shown_is_uneven(const struct figure *f, const struct total *t);

/* Texts for a job with only figures of its whole nodes: the reason, and a warning about them. */
#define SHOWN_NO_GROUP       "no scheduler made a control group for this job,"
#define SHOWN_NO_GROUP_MEANS "or none was read; what follows is of its whole nodes"
