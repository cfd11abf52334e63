/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_events.h - one record of a datagram as a line of JSON or CSV */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/join/xrd_join.h"

/* With the newline; nothing for marks of windows, which are in the times of the others. */
void xrd_event_put(struct buf *b, const struct xrd_event *e);

void xrd_event_csv_head(struct buf *b);
void xrd_event_csv(struct buf *b, const struct xrd_event *e);
