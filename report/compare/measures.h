/* SPDX-License-Identifier: BSD-3-Clause */
/* measures.h - values of a run by which it is compared, and what a difference says */
#pragma once

#include "figures/parts.h"
#include "figures/report.h"
#include "figures/units.h"

/* A difference says of the time that a run takes: */
enum measure_role {
	MEASURE_CAUSE,	/* may be why it is longer */
	MEASURE_WAIT,	/* a part of the CPU time given: so much more of the time */
	MEASURE_SIGN,	/* goes with something else */
};

struct measure {
	const char *name, *label;	/* in JSON, and for people */
	/* On a node, or, unless .over says more, of the run if it is r->n; NAN: not known. */
	double (*read)(const struct report *r, const struct measure *m, size_t node);
	enum measure_unit {
		MEASURE_TIME, MEASURE_COUNT, MEASURE_PERCENT, MEASURE_BYTES, MEASURE_DERIVED,
	} unit;
	double least;		/* a difference that says something, in this unit */
	enum measure_role role;
	int slower;		/* 1: more of it takes longer, -1: less of it, 0: neither */
	const char *more, *less;	/* sentences about B */
	const char *advice;	/* or NULL */
	const char *of[2];	/* figures that are read, or a derived one, or NULL, */
	enum part part;		/* or a part of the CPU time */
	enum { MEASURE_RUN, MEASURE_SUM, MEASURE_MEAN } over;	/* a run has this of its nodes */
	bool alone;		/* of whole nodes: not known where other jobs were */
	const char *files;	/* the file system of which it has the bytes; NULL: none */
};
#define MEASURES 29
extern const struct measure measures[MEASURES];
enum { MEASURE_LENGTH };	/* the first of them */
#define MEASURE_FILES "files"	/* in JSON: another file system */

/*
 * On a node, or of the run if it is r->n. NAN: not known, as .alone where other jobs were there.
 */
double measure_read(const struct measure *m, const struct report *r, size_t node);
struct text measure_text(const struct measure *m, double n);	/* for people */
