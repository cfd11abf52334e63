/* SPDX-License-Identifier: BSD-3-Clause */
/* deliveries.h - show Prometheus the progress of all sinks of a node, as their cursors store it */
#pragma once

#include "base/buf.h"

/*
 * Append OpenMetrics series with the progress that the cursors in the folder `dir` (STATE-DIR/HOST)
 * store. Appends nothing if the folder has no cursor or cannot be read.
 */
void deliveries_put(struct buf *to, const char *dir, struct str host);
