/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h - save a receiver's state to a file, every minute and at its end */
#pragma once

#include <sys/types.h>
#include "base/listener.h"
#include "xrootd/state/saved_state.h"

#define KEEP_EVERY ((int64_t)60000000)	/* interval of saves, in microseconds */

struct keeper {
	const char *path;	/* path of the state file; NULL: nothing is saved */
	/* the open file at .path, for overwriting if it cannot be replaced; or -1 */
	int fd;
	pid_t pid;		/* running writer process, or 0 */
	int64_t started_us;	/* when the last save started */
	int64_t saved_us;	/* when the newest saved state was made; 0: none was saved yet */
	/*
	 * number of the shoveler's messages that are in the next state, in the state being saved,
	 * and in the newest saved state
	 */
	uint64_t messages, messages_saving, messages_saved;
	int limit_ms;		/* how long keeper_save() waits for a slow disk, in milliseconds */
	bool hangs;		/* the last writer process did not end in time */
	bool failed;		/* the failure was already reported */
	const struct listener *listener;	/* receives error messages; or NULL */
};

/*
 * Open the state file, or create an empty file. Call this before root privileges are dropped,
 * because the new user may have no access to the directory. If the new user cannot create files
 * there, states overwrite this file, and a crash can leave it torn.
 */
void keeper_open(struct keeper *k);

/*
 * Load the state from the open file, or from the path if no file is open. Returns the result of
 * state_load().
 */
int keeper_load(const struct keeper *k, struct xrd_join *j, struct xrd_sums *sums,
		struct saved_output *o) MUST_CHECK;

/* Save nothing from now on, and leave the file as it is. */
void keeper_leave(struct keeper *k);

/*
 * Save the state in a child process, while this process goes on receiving. Does nothing while an
 * earlier child runs.
 */
void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now);

/*
 * Save the state now. A child that still saves is killed. Returns false after reporting the error
 * if the state could not be saved in time; the file is then unchanged, unless states overwrite it.
 */
bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o);

/* Check if the child process has saved the state; update .saved_us and .messages_saved. */
void keeper_look(struct keeper *k);

/* Remove the state file, because nothing is left to save. */
void keeper_forget(struct keeper *k);
