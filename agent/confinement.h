/* SPDX-License-Identifier: BSD-3-Clause */
/* confinement.h - confine the agent to the needs of its configuration */
#pragma once

#include "recorder/options.h"

/*
 * Restrict the agent and its child processes to the files and system calls that the configuration
 * needs; `walks` also allows BPF iterators, which the BPF programs of collectors use. First create
 * a missing archive or runtime directory, because a rule needs an existing folder. If the
 * configuration has confine = no, restrict and create nothing. Release the result with free(3).
 */
struct confinement *confinement_start(const struct options *o, const struct config *k, bool walks);
/*
 * Check that the rules set by confinement_start() allow what a new configuration needs. Returns 0,
 * or -EPERM with the reason in `errors`.
 */
int confinement_allows(const struct confinement *c, const struct config *next,
		       struct buf *errors) MUST_CHECK;
/* Append the lines about the confinement in the reply to the verb "status". */
void confinement_put(const struct confinement *c, struct buf *b);
