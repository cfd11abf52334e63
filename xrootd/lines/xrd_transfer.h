/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_transfer.h - one access to a file as a line of JSON */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/join/xrd_join.h"

/* With the newline; the keys are in nodometer-xrootd(1). */
void xrd_transfer_put(struct buf *b, const struct xrd_transfer *t);
