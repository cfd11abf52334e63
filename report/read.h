/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h - the files of one host, and what they say of a job */
#pragma once

#include "archive/input.h"
#include "figures/node.h"

/* Who wants to know of reading. */
struct read_listener {
	void (*defect)(void *arg, struct str text);	/* a sentence without a full stop */
	void *arg;
};

/* What was found on a host; runs_free(&.runs) ends it. */
struct node_read {
	struct runs runs;
	size_t files, unreadable;
};

/*
 * The n files of one host, in order of time, and nothing else: hosts can be read in any order, or
 * by several processes. elsewhere: what is known of the job from other hosts, NULL if nothing is;
 * then files that are far from it are passed over.
 */
void node_read(const struct node_query *q, const struct runs *elsewhere,
	       const struct archive_file *file, size_t n, const struct read_listener *listener,
	       struct node_read *ret);
