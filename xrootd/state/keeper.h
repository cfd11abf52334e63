/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h - save a receiver's state to a file, every minute and at its end */
#pragma once

#include <sys/types.h>
#include "base/listener.h"
#include "xrootd/state/saved_state.h"

#define KEEP_EVERY ((int64_t)60000000)

struct keeper {
	const char *path;	/* path of the state file; NULL: nothing is saved */
	/* the file at .path, which is overwritten if it cannot be replaced; or -1 */
	int fd;
	pid_t pid;		/* running writer process, or 0 */
	int64_t saved;		/* time of the last save, in microseconds */
	/*
	 * number of messages that the next state, the state being saved, and the newest saved state
	 * include
	 */
	uint64_t messages, messages_saving, messages_saved;
	int limit_ms;		/* how long keeper_save() waits for a disk */
	bool hangs;		/* the last writer was too slow */
	bool failed;		/* the failure to save was reported already */
	const struct listener *listener;	/* gets errors; or NULL */
};

/*
 * Open the file, and create an empty file if needed. Call this before root privileges are dropped,
 * because the new user may have no access to the directory. A user who may not create files in
 * the directory overwrites this file, and a crash can leave it torn.
 */
void keeper_open(struct keeper *k);

/* Load the state of the opened file, else of the path. Returns what state_load() returns. */
int keeper_load(const struct keeper *k, struct xrd_join *j, struct xrd_sums *sums,
		struct saved_output *o) MUST_CHECK;

/* Save nothing from now on, and leave the file as it is. */
void keeper_leave(struct keeper *k);

/*
 * Save in a child process, which has a copy of the memory. Meanwhile, the parent goes on reading
 * datagrams.
 */
void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now);

/*
 * Save now. Returns false and reports the error if the file could not be written in time; the file
 * is unchanged then.
 */
bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o);

/* Reap a child process that has saved the state, and update .messages_saved. */
void keeper_look(struct keeper *k);

/* Remove the file, because nothing is left to be saved. */
void keeper_forget(struct keeper *k);
