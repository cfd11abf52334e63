/* SPDX-License-Identifier: BSD-3-Clause */
/* feeds.h - run a process for each sink, so that a sink that hangs or dies delays no other */
#pragma once

#include "send/feed.h"

/*
 * Run all feeds until *stop is set by SIGTERM or SIGINT. These signals and SIGCHLD must be blocked,
 * but not in node->usual. Returns 0.
 */
int feeds_run(const struct sections *s, const struct feed_node *node) MUST_CHECK;
