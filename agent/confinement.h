/* SPDX-License-Identifier: BSD-3-Clause */
/* confinement.h - confine the agent to the needs of its configuration */
#pragma once

#include "recorder/options.h"

/*
 * Confine the agent and its child processes to what they need to read, write and call. `walks`
 * allows running BPF iterators, for the kernel programs of collectors. Makes the folders of the
 * configuration first, because a folder that does not exist cannot be allowed. Release the result
 * with free(3).
 */
struct confinement *confinement_start(const struct options *o, const struct config *k, bool walks);
/* Check whether a new configuration is within the rules. Returns 0, or -EPERM and why. */
int confinement_allows(const struct confinement *c, const struct config *next,
		       struct buf *errors) MUST_CHECK;
/* Append the lines for "status". */
void confinement_put(const struct confinement *c, struct buf *b);
