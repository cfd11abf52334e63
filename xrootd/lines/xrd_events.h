/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_events.h - write one record of a datagram as a line of JSON or CSV */
#pragma once

#include "base/buf.h"
#include "xrootd/join/xrd_join.h"

/* Append a record as a line. Window marks get no line: other records have their times. */
void xrd_event_put(struct buf *b, const struct xrd_event *e);

void xrd_event_csv_head(struct buf *b);
void xrd_event_csv(struct buf *b, const struct xrd_event *e);
