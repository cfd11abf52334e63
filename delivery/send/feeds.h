/* SPDX-License-Identifier: BSD-3-Clause */
/* feeds.h - a process for each sink: one that waits, hangs or dies holds up no other */
#pragma once

#include "send/feed.h"

/* Until *stop is set, which a blocked SIGTERM or SIGINT does. 0 or -errno. */
int feeds_run(const struct sections *s, const struct feed_node *node) MUST_CHECK;
