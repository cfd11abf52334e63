/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.h - remove wraps from the counters of records, and mark resets */
#pragma once

#include "schema/record_source.h"

/*
 * State to unfold the counters of records. A counter of W bits goes on above 2^W. After a reset,
 * the value falls, and .since is the time at which it began to count again; readers that compute
 * rates detect a reset by either of these. A lower reading is left out until the next
 * reading shows whether it is a dip or a reset (see delta.h). The result depends only on the
 * records since the state was empty or loaded.
 */
struct unfold;

struct unfold *unfold_new(bool (*wants)(void *arg, struct str type), void *arg);
/*
 * Leave out values of keys for which drops() returns true. Call this before the first unfold(): the
 * keys of a type are only checked when its schema is new. The arg of drops() is that of
 * unfold_new().
 */
void unfold_drop(struct unfold *u, bool (*drops)(void *arg, struct str type, struct str key));
void unfold_free(struct unfold *u);	/* Release the state. NULL is allowed. */

/*
 * Return the record with unfolded counters, without types that wants() rejects. It is valid until
 * the next call, but not longer than r. Reads the header of the source to detect a boot.
 */
const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source);

/* Forget devices that had no row since the last call, to bound the memory. */
void unfold_sweep(struct unfold *u);

/*
 * Write the state as text, or replace it from text. unfold_take() returns 0, or -EBADMSG, with an
 * empty state.
 */
void unfold_put(const struct unfold *u, struct buf *to);
int unfold_take(struct unfold *u, struct str text) MUST_CHECK;
