/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h - find and print the evidence for a finding */
#pragma once

#include "base/buf.h"
#include "figures/report.h"
#include "figures/totals.h"

/* append the node's name */
void evidence_node(struct buf *why, const struct report *r, size_t node);

/*
 * Compute a derived figure. Returns true if the figure is known and its true value is at least, or
 * at most, the computed number.
 */
bool evidence_at_least(const struct report *r, const char *id, struct derived_total *t);
bool evidence_at_most(const struct report *r, const char *id, struct derived_total *t);

/*
 * Set *sum to a figure summed over all nodes of the job. Returns false if a node lacks the figure.
 */
bool evidence_sum(const struct report *r, const char *id, double *sum);

/* Sum the seconds that the job's nodes were observed. */
double evidence_seconds(const struct report *r);
