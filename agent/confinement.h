/* SPDX-License-Identifier: BSD-3-Clause */
/* confinement.h - confine the agent to the needs of its configuration */
#pragma once

#include "recorder/options.h"

/*
 * Restrict the agent and its child processes to the files and system calls that the configuration
 * needs. `walks` allows BPF iterators, which the BPF programs of collectors use. A missing archive
 * or runtime directory is created first, because a rule needs an existing folder. If the
 * configuration has confine = no, nothing is restricted or created. Release the result with
 * free(3).
 */
struct confinement *confinement_start(const struct options *o, const struct config *k, bool walks);
/*
 * Check that the rules of confinement_start() allow a new configuration. Returns 0, or -EPERM with
 * the reason in `errors`.
 */
int confinement_allows(const struct confinement *c, const struct config *next,
		       struct buf *errors) MUST_CHECK;
/* Append the lines about the confinement in the reply to the verb "status". */
void confinement_put(const struct confinement *c, struct buf *b);
