/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.h - the energy of a job's nodes, from the best source that each of them has */
#pragma once

#include "figures/report.h"
#include "report/factors.h"

/* The best one first. */
enum energy_from {
	ENERGY_COUNTER,	/* of the whole node, by its controller */
	ENERGY_BMC,	/* power of the whole node by its BMC, from sample to sample */
	ENERGY_ACPI,	/* the same by ACPI's power meter */
	ENERGY_PARTS,	/* processors, their memory and GPUs, as far as these are measured */
	ENERGY_NONE,
};
extern const char *const energy_names[ENERGY_NONE];	/* in JSON and CSV */

/*
 * Joules of whole nodes, whoever else was there. Of power that is read now and then, what lies
 * between two samples is taken by trapezoid, and .least and .most by its lower and higher end: as
 * far as power only rose or only fell between two samples, the energy is between them. .most is
 * infinite where a part is not measured, of a node or of the time.
 */
struct energy {
	enum energy_from from;	/* the worst one of the nodes that have one */
	double joules, least, most;
};
struct energy energy_of_node(const struct node *n);
struct energy energy_of(const struct report *r);	/* of all its nodes */

/*
 * An object of a report in JSON, with what it costs, or NULL; and a row of the head of its page.
 * Nothing of ENERGY_NONE.
 */
void energy_put_json(struct buf *b, const struct energy *e, const struct cost *cost);
void energy_put_text(struct buf *b, const struct energy *e);
