/* SPDX-License-Identifier: BSD-3-Clause */
/* sides.h - two sets of runs, and the measures in which they differ beyond their spread */
#pragma once

#include "figures/findings/findings.h"
#include "report/compare/measures.h"

/* Mean and variance of a measure, over runs or over the nodes of a run. */
struct sample {
	size_t n;
	double mean, squares;	/* .squares: sum of squared deviations from the mean */
};

/* A set of runs. All zero is a valid empty set; call side_free() to free it. */
struct side {
	char **job;
	size_t runs, cap;
	struct sample of[MEASURES];	/* mean and variance of each measure over the runs */
	struct sample nodes[MEASURES];	/* the same over the nodes of the first run */
	size_t parted;	/* number of runs for which the parts of the CPU time are known */
	struct parts parts;		/* mean over the .parted runs */
	size_t *found;	/* number of runs with each finding of finding_rules[] */
};

void side_add(struct side *s, const struct report *r, const struct finding_site *site);
void side_free(struct side *s);
double side_mean(const struct side *s, size_t measure);		/* returns NAN if unknown */
/* standard deviation over runs; NAN for fewer than 2 runs */
double side_spread(const struct side *s, size_t measure);

/*
 * Return whether two sides differ in a measure: by more than SIDES_FLOOR percent of the larger
 * value, by more than the measure's .least, and by more than chance exceeds in 1 % of cases
 * (Student's t-test over the runs of each side or, for two single runs, over their nodes; the
 * elapsed times of two single runs have no test).
 */
#define SIDES_FLOOR 5	/* percent of the larger value */
bool sides_differ(const struct side side[2], size_t measure);

/*
 * Return the measure of the file system on which the side read and wrote the most bytes, or
 * MEASURES if these bytes are fewer than the .least of each measure.
 */
size_t side_files(const struct side *s);

struct difference {
	size_t measure;		/* index in measures[]; MEASURES: the file system changed */
	/* rough estimate of how much of log(time B / time A) the measure explains */
	double explains;
	bool fits;	/* a difference in this direction makes the slower side slower */
};
/*
 * The differences, at most one per measure, in the order in which they are shown. Differences that
 * explain the elapsed time come first, sorted by contribution.
 */
struct differences {
	struct difference of[MEASURES + 1];
	size_t n;
};
struct differences sides_compare(const struct side side[2]);
