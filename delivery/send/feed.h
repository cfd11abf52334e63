/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.h - give a sink the records of the archive, in order, starting at the sink's cursor */
#pragma once

#include "send/feed_node.h"

struct feed;

/*
 * Deliver records until *stop is set; with .once, only the last record. Errors are logged. The
 * section's cursor marks the last delivered record. Returns 0 or -errno.
 */
int feed_run(struct section *s, const struct feed_node *node) MUST_CHECK;

/*
 * If the section's sink has no cursor, save one at the first record that the archive will have.
 * Call this while there is no archive.
 */
void feed_await(struct section *s, const struct feed_node *node);

/* Count the records that wait for the sink. Requires node->dry. Returns 0 or -errno. */
int feed_count(struct section *s, const struct feed_node *node,
	       struct feed_waiting *ret) MUST_CHECK;

/*
 * For an audit: create a feed, and load its cursor, without delivering records. feed_load_cursor()
 * returns 0, also if there is no cursor yet; or -errno, and has then logged the reason.
 */
struct feed *feed_new(struct section *s, const struct feed_node *node);
int feed_load_cursor(struct feed *f) MUST_CHECK;
void feed_free(struct feed *f);
