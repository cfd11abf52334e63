/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.h - one sink gets the records of the archive, in order, from where it was */
#pragma once

#include <signal.h>
#include "archive/cursor.h"
#include "archive/follow_host.h"
#include "send/sections.h"

/* What all feeds share; borrowed. */
struct feed_node {
	const struct config *config;
	const char *host;
	struct sink_node sink;		/* but for .types */
	bool once;			/* the last record, and no cursor */
	bool dry;			/* what waits is counted; nothing is sent or written */
	bool new_archive;		/* it came while the sender waited for it */
	void (*begin)(const struct feed_node *node, const struct section *s);	/* its process */
	const volatile int *stop;
	sigset_t usual;			/* signals as they are while something is waited for */
};

/*
 * Until *stop is set, or with .once until the last record is delivered. 0, or -errno, which is
 * said. What was delivered is in the cursor of the section.
 */
int feed_run(struct section *s, const struct feed_node *node) MUST_CHECK;

/* What a sink has yet to get: with .dry of the node. */
struct feed_waiting {
	uint64_t records;
	int64_t first_us, last_us;	/* their times, in the order of the archive */
	bool fresh;			/* no cursor: it begins with what is new */
};

int feed_count(struct section *s, const struct feed_node *node,
	       struct feed_waiting *ret) MUST_CHECK;
