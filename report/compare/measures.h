/* SPDX-License-Identifier: BSD-3-Clause */
/* measures.h - values by which runs of jobs are compared, and what a difference means */
#pragma once

#include "figures/parts.h"
#include "figures/report.h"
#include "figures/units.h"

/* How a difference relates to the elapsed time. */
enum measure_role {
	MEASURE_CAUSE,	/* may explain the longer elapsed time */
	/* time spent waiting, such as for I/O, or in the kernel, which makes the run longer */
	MEASURE_WAIT,
	MEASURE_SIGN,	/* a symptom of another cause; does not explain the elapsed time itself */
};

struct measure {
	const char *name, *label;	/* .name is used in JSON, .label in text */
	/*
	 * Reads the value on a node. If .over is MEASURE_RUN and node is r->n, reads the value of
	 * the whole run. Returns NAN if the value is unknown.
	 */
	double (*read)(const struct report *r, const struct measure *m, size_t node);
	enum measure_unit {
		MEASURE_TIME, MEASURE_COUNT, MEASURE_PERCENT, MEASURE_BYTES, MEASURE_DERIVED,
	} unit;
	double least;		/* smallest relevant difference, in .unit */
	enum measure_role role;
	/* 1: higher values make a run longer; -1: lower values make a run longer; 0: neither */
	int slower;
	/* sentence about run B if its value is higher than that of run A, and if it is lower */
	const char *more, *less;
	const char *advice;	/* advice to the user, or NULL */
	/* names of one or two figures to add up, or name of one derived figure; NULL if unused */
	const char *of[2];
	enum part part;		/* the part of the CPU time that read_part() returns */
	/* how to get the value of a whole run: by .read(), or as sum or mean over all nodes */
	enum { MEASURE_RUN, MEASURE_SUM, MEASURE_MEAN } over;
	/* the value describes whole nodes; it is unknown if other jobs shared a node */
	bool alone;
	/* if the measure counts bytes of a file system: the label of the file system; else NULL */
	const char *files;
};
#define MEASURES 30
extern const struct measure measures[MEASURES];
enum { MEASURE_LENGTH };	/* measures[0] is the elapsed time */
#define MEASURE_FILES "files"	/* "measure" in JSON if the two runs used different file systems */

/*
 * Read a measure on a node, or of the whole run if node is r->n. Returns NAN if the value is
 * unknown, or if .alone is set and other jobs used the node.
 */
double measure_read(const struct measure *m, const struct report *r, size_t node);
struct text measure_text(const struct measure *m, double n);	/* formats a value for people */
