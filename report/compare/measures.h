/* SPDX-License-Identifier: BSD-3-Clause */
/* measures.h - values by which runs are compared, and the meaning of their differences */
#pragma once

#include "figures/parts.h"
#include "figures/report.h"
#include "figures/units.h"

/* How a difference relates to the elapsed time. */
enum measure_role {
	MEASURE_CAUSE,	/* may explain the longer elapsed time */
	/* part of the allocated CPU time, so its increase adds to the elapsed time */
	MEASURE_WAIT,
	MEASURE_SIGN,	/* accompanies another cause */
};

struct measure {
	const char *name, *label;	/* .name is used in JSON, .label in text */
	/*
	 * Reads the value on a node, or the value of the run if node is r->n and .over is
	 * MEASURE_RUN. Returns NAN if it is unknown.
	 */
	double (*read)(const struct report *r, const struct measure *m, size_t node);
	enum measure_unit {
		MEASURE_TIME, MEASURE_COUNT, MEASURE_PERCENT, MEASURE_BYTES, MEASURE_DERIVED,
	} unit;
	double least;		/* smallest relevant difference, in this unit */
	enum measure_role role;
	/* 1: a higher value takes longer; -1: a lower value takes longer; 0: neither */
	int slower;
	const char *more, *less;	/* sentences about B, for a higher and a lower value */
	const char *advice;	/* advice to the user, or NULL */
	/* the figures to add up, or a derived figure; NULL if .read needs none */
	const char *of[2];
	enum part part;		/* the part of the CPU time that read_part() reads */
	/* how a run combines the values of its nodes */
	enum { MEASURE_RUN, MEASURE_SUM, MEASURE_MEAN } over;
	/* the value is of whole nodes, and unknown if other jobs shared them */
	bool alone;
	const char *files;	/* file system to which the bytes belong, or NULL */
};
#define MEASURES 30
extern const struct measure measures[MEASURES];
enum { MEASURE_LENGTH };	/* index of the elapsed time, which comes first */
#define MEASURE_FILES "files"	/* name in JSON of a change of the file system */

/*
 * Read a measure on a node, or of the run if node is r->n. Returns NAN if it is unknown; .alone
 * measures are unknown if other jobs were on the nodes.
 */
double measure_read(const struct measure *m, const struct report *r, size_t node);
struct text measure_text(const struct measure *m, double n);	/* formats a value for people */
