/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.h - status: how far nodometer-send has delivered to each sink */
#pragma once

#include "recorder/config.h"

/* From the cursors of this host; nothing where there is none. */
void status_put_sinks(struct buf *b, const struct config *c);
/* As ,"sinks":[...] */
void status_put_sinks_json(struct buf *b, const struct config *c);
