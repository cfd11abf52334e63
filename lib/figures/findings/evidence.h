/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h - find and print the evidence for a finding */
#pragma once

#include "base/buf.h"
#include "figures/report.h"
#include "figures/totals.h"

/* Append the name of a node. */
void evidence_node(struct buf *why, const struct report *r, size_t node);

/*
 * Compute a derived figure over all nodes. Returns false if the figure is unknown.
 * evidence_at_least() also returns false if the true value may be smaller than the computed value,
 * evidence_at_most() if it may be larger.
 */
bool evidence_at_least(const struct report *r, const char *id, struct derived_total *t);
bool evidence_at_most(const struct report *r, const char *id, struct derived_total *t);

/*
 * Set *sum to a figure summed over all nodes of the job. Returns false if a node lacks the figure,
 * or its value is unknown.
 */
bool evidence_sum(const struct report *r, const char *id, double *sum);

/* Append how many bytes the job itself read from and wrote to disks. */
void evidence_put_moved(struct buf *why, double read, double written);

/* Return the duration of the job on each node, in seconds, summed over its nodes. */
double evidence_seconds(const struct report *r);
