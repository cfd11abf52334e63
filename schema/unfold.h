/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.h - remove wraps from the counters of records, and mark resets */
#pragma once

#include "schema/record_source.h"

/*
 * State to unfold the counters of records. The unfolded value of a counter of W bits continues
 * above 2^W when the counter wraps. After a reset, the unfolded value falls, and .since of its row
 * becomes the time of the reset; readers that compute rates detect the reset by either change. A
 * reading of half the previous one or less is left out until the next reading shows if it was a dip
 * or a reset (see delta.h). The result depends only on the records since the state was empty or
 * loaded.
 */
struct unfold;

/* Create an empty state. wants() returns true for types to unfold; arg is its first argument. */
struct unfold *unfold_new(bool (*wants)(void *arg, struct str type), void *arg);
/*
 * Leave out the values of keys for which drops() returns true. Call this before the first unfold(),
 * because drops() is only asked when a type has a new schema. drops() gets the arg of unfold_new().
 */
void unfold_drop(struct unfold *u, bool (*drops)(void *arg, struct str type, struct str key));
void unfold_free(struct unfold *u);	/* Release the state. NULL is allowed. */

/*
 * Return a copy of record r with unfolded counters. It lacks the types for which wants() of
 * unfold_new() returns false. It is valid until the next call, but not longer than r. Reads the
 * header of the source to detect a boot.
 */
const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source);

/* Forget devices that had no row since the last call of unfold_sweep(), to limit the memory. */
void unfold_sweep(struct unfold *u);

/*
 * unfold_put() appends the state as text; unfold_take() replaces the state by the state in such a
 * text. unfold_take() returns 0, or -EBADMSG and leaves the state empty.
 */
void unfold_put(const struct unfold *u, struct buf *to);
int unfold_take(struct unfold *u, struct str text) MUST_CHECK;
