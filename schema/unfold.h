/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.h - continue the counters of records beyond wraps, and mark resets */
#pragma once

#include "schema/record_source.h"

/*
 * Unfolds the counters of records. A counter of W bits continues above 2^W. If a counter was reset,
 * its value falls, and its .since becomes the time at which it began to count again; readers that
 * compute rates take each of the two changes for a reset. An unexplained lower reading is left out
 * until the next reading shows a dip or a reset (see delta.h). The result depends only on the
 * records since the state was empty or loaded.
 */
struct unfold;

struct unfold *unfold_new(bool (*wants)(void *arg, struct str type), void *arg);
/*
 * Set a filter: from now on, leave out the values of keys for which drops() returns true. drops()
 * gets the arg of unfold_new().
 */
void unfold_drop(struct unfold *u, bool (*drops)(void *arg, struct str type, struct str key));
void unfold_free(struct unfold *u);	/* Release the state. NULL is allowed. */

/*
 * Return the record with unfolded counters, and without types that wants() rejects. The returned
 * record is valid until the next call, but not longer than r. Reads the source's header properties
 * to detect a boot.
 */
const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source);

/*
 * Forget devices that had no row since the last call, so that the state is bounded by the devices
 * of one file.
 */
void unfold_sweep(struct unfold *u);

/*
 * Write the state as text, and read it back into u, replacing the state. unfold_take() returns 0,
 * or -EBADMSG, which leaves the state empty.
 */
void unfold_put(const struct unfold *u, struct buf *to);
int unfold_take(struct unfold *u, struct str text) MUST_CHECK;
