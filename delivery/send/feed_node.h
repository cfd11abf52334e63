/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_node.h - what the feeds of a node share, and what one counts */
#pragma once

#include <signal.h>
#include "archive/cursor.h"
#include "archive/follow_host.h"
#include "send/sections.h"

/* All feeds share one, borrowed. */
struct feed_node {
	const struct config *config;
	const char *host;
	struct sink_node sink;		/* but for .types */
	bool once;			/* the last record, and no cursor */
	bool dry;			/* records are counted, not sent; no file changes */
	void (*begin)(const struct feed_node *node, const struct section *s);
	const volatile int *stop;
	sigset_t usual;			/* signals as they are while something is waited for */
};

struct feed_waiting {
	uint64_t records;
	int64_t first_us, last_us;	/* their times, in the order of the archive */
	bool fresh;			/* no cursor: only new records count */
};
