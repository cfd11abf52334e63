/* SPDX-License-Identifier: BSD-3-Clause */
/* sides.h - find the measures in which two sets of runs differ by more than chance explains */
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
	struct sample nodes[MEASURES];	/* mean and variance over the nodes of the first run */
	size_t parted;	/* number of runs with known parts of the CPU time */
	struct parts parts;		/* mean over the .parted runs */
	size_t *found;	/* number of runs with each finding of finding_rules[] */
};

void side_add(struct side *s, const struct report *r, const struct finding_site *site);
void side_free(struct side *s);
/* Return the mean of a measure over the runs; NAN if the measure is unknown in all runs. */
double side_mean(const struct side *s, size_t measure);
/* Return the standard deviation of a measure over the runs; NAN for fewer than 2 runs. */
double side_spread(const struct side *s, size_t measure);

/*
 * Return whether the means of two sides differ in a measure. The difference must exceed SIDES_FLOOR
 * percent of the larger mean, the measure's .least, and the difference that chance exceeds with a
 * probability of 1 %. Chance is estimated by Student's t-test over the runs of each side or, for
 * two single runs, over their nodes; the elapsed times of two single runs are not tested.
 */
#define SIDES_FLOOR 5	/* percent of the larger value */
bool sides_differ(const struct side side[2], size_t measure);

/*
 * Return the measure (with .files set) of the file system with the most bytes read and written by
 * the side's runs, or MEASURES if no file system reaches the .least of its measure.
 */
size_t side_files(const struct side *s);

struct difference {
	size_t measure;		/* index in measures[]; MEASURES: the file system changed */
	/* rough estimate of how much of log(elapsed time B / elapsed time A) this explains */
	double explains;
	bool fits;	/* a difference in this direction makes the slower side slower */
};
/*
 * The differences, at most one per measure, in the order in which they are shown. Differences with
 * .fits come first, causes and waits before symptoms, sorted by .explains.
 */
struct differences {
	struct difference of[MEASURES + 1];
	size_t n;
};
struct differences sides_compare(const struct side side[2]);
