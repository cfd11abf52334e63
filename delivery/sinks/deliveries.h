/* SPDX-License-Identifier: BSD-3-Clause */
/* deliveries.h - report the progress of all sinks of a node as metrics for Prometheus */
#pragma once

#include "base/buf.h"

/*
 * Append OpenMetrics series made of the cursors in a folder, STATE-DIR/HOST. Appends nothing if the
 * folder has no cursor or cannot be read.
 */
void deliveries_put(struct buf *to, const char *dir, struct str host);
