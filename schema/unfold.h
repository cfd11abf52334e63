/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.h - records whose counters only grow: wraps are added up, and resets are marked */
#pragma once

#include "schema/record_source.h"

/*
 * Makes counters of W bits go on above 2^W. A counter that was set back falls, and its .since says
 * when it began to count: readers that compute rates take both for a reset. A reading that went
 * back for no known cause is left out until the next one shows a dip or a reset (delta.h). The
 * result depends on nothing but the records since the state was empty or was loaded.
 */
struct unfold;

struct unfold *unfold_new(bool (*wants)(void *arg, struct str type), void *arg);
/* Values of keys that are dropped are absent from then on. arg is that of unfold_new(). */
void unfold_drop(struct unfold *u, bool (*drops)(void *arg, struct str type, struct str key));
void unfold_free(struct unfold *u);	/* NULL is fine */

/*
 * The record without types that are not wanted, its counters unfolded; valid until the next call,
 * and as long as r is. The source is asked what its header says of the boot.
 */
const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source);

/* Forgets devices that had no row since the last call: bounded by what one file has. */
void unfold_sweep(struct unfold *u);

/* The state as text, and back, in place of what there is: 0, or -EBADMSG: it is empty then. */
void unfold_put(const struct unfold *u, struct buf *to);
int unfold_take(struct unfold *u, struct str text) MUST_CHECK;
