/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.h - one sink gets the records of the archive, in order, from where it was */
#pragma once

#include "send/feed_node.h"

struct feed;

/*
 * Delivers until *stop is set, or with .once until the last record. 0, or -errno, and said why. The
 * section's cursor has the place of the last delivered record.
 */
int feed_run(struct section *s, const struct feed_node *node) MUST_CHECK;

/* While there is no archive: a sink without a cursor gets one, to begin with the first record. */
void feed_await(struct section *s, const struct feed_node *node);

/* With .dry of the node. */
int feed_count(struct section *s, const struct feed_node *node,
	       struct feed_waiting *ret) MUST_CHECK;

/* A feed by itself, with its cursor: 0, also where it has none yet, or -errno, and said why. */
struct feed *feed_new(struct section *s, const struct feed_node *node);
int feed_load_cursor(struct feed *f) MUST_CHECK;
void feed_free(struct feed *f);
