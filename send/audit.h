/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.h - what a receiver holds is compared with what was delivered, and holes are refilled */
#pragma once

#include "send/feed_node.h"

/*
 * The records up to the cursor, from the first one that the receiver holds. said gets lines for
 * people. 0: all of them are there in the end; 1: some are not; -EOPNOTSUPP: the receiver cannot be
 * asked; or another -errno; said has why. No cursor changes.
 */
int audit_run(struct section *s, const struct feed_node *node, struct buf *said) MUST_CHECK;
