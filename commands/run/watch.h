/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - the sampler of a run on one node */
#pragma once

#include "base/listener.h"
#include "run/room.h"

struct watch {
	const struct room *room;
	const char *id;
	const char *hostname;	/* "": this machine's own */
	const char *attributes;	/* of the begin mark, "uid=7 name=a.out" */
	int64_t interval_us;
	size_t ranks;		/* of this node, all that will come; 0: not known */
	const struct listener *listener;
};

/*
 * Starts it if this node has none: 0 when its first sample is in the archive, -EBUSY: there is one,
 * or -errno, and said why. It ends with the last front of this node, however that ended.
 */
int watch_start(const struct watch *w) MUST_CHECK;
