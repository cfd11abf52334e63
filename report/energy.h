/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.h - compute the energy of a job's nodes, from the best source on each node */
#pragma once

#include "figures/report.h"
#include "schema/factors.h"

extern const char *const energy_names[ENERGY_NONE];	/* names of the sources in JSON and CSV */

enum share_is {
	SHARE_NONE,		/* there is no job, or the nodes' energy is unknown */
	SHARE_MEASURED,
	SHARE_ESTIMATED,	/* an estimate with bounds, see figures/share.h */
	SHARE_UNKNOWN,
	SHARE_KINDS
};
extern const char *const share_names[SHARE_KINDS];

/*
 * Energy in joules of whole nodes, including the energy that other jobs used there. If the source
 * is a power meter that is read periodically, .joules is the integral by trapezoids; .least and
 * .most are the integrals of the lower and of the higher of every two successive readings. The true
 * energy is between .least and .most if power was monotonic between readings. .most is infinite if
 * a node, a part of a node or a part of the time was not measured.
 */
struct energy {
	enum energy_from from;	/* the least accurate source that was used on any node */
	double joules, least, most;
	/* the job's share of this energy; equal to the energy if no other job used the nodes */
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
struct energy energy_of(const struct report *r);	/* sum over all nodes of the report */

/*
 * Compute the cost of the job's share, or of the whole energy if there is no job. start and end are
 * in microseconds. Returns false if the energy or the share is unknown, or no cost factor is set.
 */
bool energy_cost(const struct energy *e, const struct factors *f, int64_t start, int64_t end,
		 struct bill *ret);

/*
 * Write the energy as a JSON object, with its cost unless "cost" is NULL. Writes nothing if no
 * source of energy is known.
 */
void energy_put_json(struct buf *b, const struct energy *e, const struct bill *cost);
/* Write the energy as text, or nothing if no source of energy is known. */
void energy_put_text(struct buf *b, const struct energy *e);
/* Write the job's share as text; nothing if there is no job or no other job used the nodes. */
void energy_put_share(struct buf *b, const struct energy_share *s);
