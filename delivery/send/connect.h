/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.h - test whether the receivers of all sinks can be reached, and report their answers */
#pragma once

#include "send/feed_node.h"

/*
 * Try to reach all receivers at the same time, each from its own process, for up to 5 s. Delivers
 * nothing. Appends a line for each section, with its place in the configuration: to answers if the
 * receiver was reached, otherwise to errors. Returns 0, or -EREMOTEIO if a receiver cannot be
 * reached.
 */
int connect_all(const struct sections *s, const struct feed_node *node, struct buf *answers,
		struct buf *errors) MUST_CHECK;
