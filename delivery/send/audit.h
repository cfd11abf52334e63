/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.h - compare a receiver's data with the archive and resend missing records */
#pragma once

#include "send/feed_node.h"

/*
 * Compare all archive records up to the cursor with the receiver's data, starting with the time of
 * the receiver's oldest data, and resend missing ones. `report` gets lines for a human reader.
 * Returns 0 if the receiver has everything in the end; 1 if something is missing or has other
 * values, or the receiver has no data of this host; or -errno: -EOPNOTSUPP if the receiver cannot
 * be queried. After -errno, `report` has the reason or is empty. Changes no cursor.
 */
int audit_run(struct section *s, const struct feed_node *node, struct buf *report) MUST_CHECK;
