/* SPDX-License-Identifier: BSD-3-Clause */
/* feeds.h - run a process for each sink, so that a sink that hangs or dies delays no other */
#pragma once

#include "send/feed.h"

/*
 * Run all feeds until *stop is set by SIGTERM or SIGINT, which must be blocked. Returns 0 or
 * -errno.
 */
int feeds_run(const struct sections *s, const struct feed_node *node) MUST_CHECK;
