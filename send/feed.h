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
	bool new_archive;		/* it came while the sender waited for it */
	const volatile int *stop;
	sigset_t usual;			/* signals as they are while something is waited for */
};

/*
 * Until *stop is set, or with .once until the last record is delivered. 0, or -errno, which is
 * said. What was delivered is in the cursor of the section.
 */
int feed_run(struct section *s, const struct feed_node *node) MUST_CHECK;
