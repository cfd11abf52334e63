/* SPDX-License-Identifier: BSD-3-Clause */
/* sides.h - two sets of runs, and by which measures they differ beyond their spread */
#pragma once

#include "figures/findings.h"
#include "report/compare/measures.h"

/* Values of a measure: of runs, or of the nodes of one. */
struct sample {
	size_t n;
	double mean, squares;	/* of the distances from it */
};

/* All zero is a valid empty one; sides_free() ends it. */
struct side {
	char **job;
	size_t runs, cap;
	struct sample of[MEASURES];	/* over the runs */
	struct sample nodes[MEASURES];	/* over the nodes of the first run */
	size_t parted;			/* runs of which it is known where their CPU time went: */
	struct parts parts;		/* the mean over these */
	size_t *found;			/* runs with each of finding_rules[] */
};

void side_add(struct side *s, const struct report *r, const struct finding_site *site);
void side_free(struct side *s);
double side_mean(const struct side *s, size_t measure);		/* NAN: not known */
double side_spread(const struct side *s, size_t measure);	/* of runs; NAN: of fewer than 2 */

/*
 * Two values differ if they are further apart than 5 % of the larger one, than .least of the
 * measure, and than one of 100 pairs of such sets is by chance: Student's t, by the spread of the
 * runs of each side, or, of two single runs, by that of their nodes.
 */
#define SIDES_FLOOR 5	/* percent */
bool sides_differ(const struct side side[2], size_t measure);

/* MEASURES: both had their files in the same one, or it is not known. */
size_t side_files(const struct side *s);

struct difference {
	size_t measure;		/* MEASURES: their files were in different file systems */
	double explains;	/* of the length: the logarithm of its ratio, about */
	bool fits;		/* the side that took longer has more of what takes longer */
};
/* At most one of each measure: those that explain the length first, and of these the largest. */
struct differences {
	struct difference of[MEASURES + 1];
	size_t n;
};
struct differences sides_compare(const struct side side[2]);
