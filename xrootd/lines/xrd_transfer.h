/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_transfer.h - write one access to a file as a line of JSON */
#pragma once

#include "base/buf.h"
#include "xrootd/join/xrd_join.h"

/* Append a line. nodometer-xrootd-transfers(5) lists the keys. */
void xrd_transfer_put(struct buf *b, const struct xrd_transfer *t);

/* Append members about the server. They are null if the server is unknown. */
void xrd_transfer_put_server(struct buf *b, const struct xrd_server *s);
const char *xrd_transfer_end_name(enum xrd_end why);	/* get the value of the member "ended_by" */
