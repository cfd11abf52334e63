/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_node.h - shared settings of the feeds of a node, and the result of a dry run */
#pragma once

#include <signal.h>
#include "archive/cursor.h"
#include "archive/follow_host.h"
#include "send/sections.h"

/* The settings that all feeds of a node share. Feeds borrow them. */
struct feed_node {
	const struct config *config;
	const char *host;
	struct sink_node sink;		/* settings for the sinks, without .types */
	bool once;			/* send only the last record, and use no cursor */
	bool dry;	/* count records instead of sending them, and change no file */
	/* called in the process of a section, before it reads or sends anything */
	void (*begin)(const struct feed_node *node, const struct section *s);
	const volatile int *stop;
	sigset_t usual;			/* signal mask to use while waiting */
};

struct feed_waiting {
	uint64_t records;
	/* times of the first and the last waiting record, in the order of the archive */
	int64_t first_us, last_us;
	/* there is no cursor: delivery will start with new records */
	bool fresh;
};
