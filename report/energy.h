/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.h - the energy of a job's nodes, from the best source that each of them has */
#pragma once

#include "figures/report.h"
#include "schema/factors.h"

extern const char *const energy_names[ENERGY_NONE];	/* in JSON and CSV */

enum share_is {
	SHARE_NONE,		/* there is no job, or no energy */
	SHARE_MEASURED,
	SHARE_ESTIMATED,	/* figures/share.h, within its bounds */
	SHARE_UNKNOWN,
	SHARE_KINDS
};
extern const char *const share_names[SHARE_KINDS];

/*
 * Joules of whole nodes, whoever else was there. Of power that is read now and then, what lies
 * between two samples is taken by trapezoid, and .least and .most by its lower and higher end: as
 * far as power only rose or only fell between two samples, the energy is between them. .most is
 * infinite where a part is not measured, of a node or of the time.
 */
struct energy {
	enum energy_from from;	/* the worst one of the nodes that have one */
	double joules, least, most;
	/* Of it, the job's, as it is where the job had its nodes alone. */
	struct energy_share {
		enum share_is is;
		double joules, least, most;
	} share;
};
static inline bool energy_share_known(const struct energy_share *s)
{
	return s->is == SHARE_MEASURED || s->is == SHARE_ESTIMATED;
}

struct energy energy_of_node(const struct report *r, const struct node *n);
struct energy energy_of(const struct report *r);	/* of all its nodes */

/* Of the job's share, or of all where there is no job. False: not known, or no factor is set. */
bool energy_cost(const struct energy *e, const struct factors *f, int64_t start, int64_t end,
		 struct bill *ret);

/*
 * An object of a report in JSON, with what it costs, or NULL; and a row of the head of its page.
 * Nothing of ENERGY_NONE.
 */
void energy_put_json(struct buf *b, const struct energy *e, const struct bill *cost);
void energy_put_text(struct buf *b, const struct energy *e);
void energy_put_share(struct buf *b, const struct energy_share *s);	/* nothing: it is all */
