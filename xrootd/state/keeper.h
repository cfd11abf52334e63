/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h - keeps a receiver's state in a file, every minute and at its end */
#pragma once

#include <sys/types.h>
#include "base/listener.h"
#include "tracers/xrootd/state/saved_state.h"

#define KEEP_EVERY ((int64_t)60000000)

struct keeper {
	const char *path;	/* NULL: nothing is kept */
	int fd;			/* of the file, where it cannot be replaced, or -1 */
	pid_t pid;		/* of who writes now, or 0 */
	int64_t saved;		/* when, microseconds */
	int limit_ms;		/* so long keeper_save() waits for a disk */
	bool hangs;		/* the last writer was too slow */
	bool failed;		/* a failure was said, */
	const struct listener *listener;	/* to whom, or NULL */
};

/*
 * Opens the file, and makes it, empty, if need be: a user who may not make files in its folder
 * writes into it, which a crash can leave torn.
 */
void keeper_open(struct keeper *k);

/* By a process of its own, which has all as it is now: datagrams are read meanwhile. */
void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now);

/* Now; false: it could not be written, or not in time, and that is said: the file is as before. */
bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o);

/* Nothing is left to be kept. */
void keeper_forget(struct keeper *k);
