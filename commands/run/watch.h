/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - the sampler of a run on one node */
#pragma once

#include "base/listener.h"
#include "run/room.h"

struct watch {
	const struct room *room;
	const char *id;
	const char *hostname;	/* hostname to use in records, or "" for that of the machine */
	const char *attributes;	/* attributes of the begin mark, such as "uid=7 name=a.out" */
	int64_t interval_us;
	size_t ranks;		/* number of ranks that this node will have, or 0 if unknown */
	const struct listener *listener;
};

/*
 * Start the sampler if this node has none. It ends with the last process of the run on this node,
 * however that process ended. Returns 0 when the first sample is in the archive; an error of
 * room_lock(), such as -EBUSY if another process has started a sampler; or another -errno. The only
 * error that is reported to .listener is a failure of recorder_open().
 */
int watch_start(const struct watch *w) MUST_CHECK;
