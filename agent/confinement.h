/* SPDX-License-Identifier: BSD-3-Clause */
/* confinement.h - what the agent may still do once its configuration is known */
#pragma once

#include "recorder/options.h"

/*
 * From here on the agent, and what it starts, reads, writes and calls only what it must; walks: it
 * runs programs in the kernel. Folders of the configuration are made first: what is not there
 * cannot be allowed. Ended by free(3).
 */
struct confinement *confinement_start(const struct options *o, const struct config *k, bool walks);
/* 0, or -EPERM and why: a configuration that the agent goes on with needs what was not allowed. */
int confinement_allows(const struct confinement *c, const struct config *next,
		       struct buf *errors) MUST_CHECK;
void confinement_put(const struct confinement *c, struct buf *b);	/* for status */
