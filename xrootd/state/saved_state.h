/* SPDX-License-Identifier: BSD-3-Clause */
/* saved_state.h - save the receiver's state to a file for the next run */
#pragma once

#include "base/buf.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"
#include "xrootd/join/xrd_join.h"

#define SAVED_LINES 16	/* maximum number of outputs of lines */

/* State of the outputs when the receiver's state was saved. */
struct saved_output {
	int64_t last_us;	/* time of the newest record group, in microseconds */
	uint64_t size;		/* size of the file of records, in bytes */
	bool begun;		/* at least one record group was written */
	bool ended;		/* the run ended normally: it received nothing after this save */
	uint64_t bytes;		/* sum of the bytes of all datagrams */
	struct xrd_reports *reports;	/* rows not written yet, or NULL; only with sums */
	struct {
		struct buf *text;	/* lines not written yet, or NULL */
		uint64_t size;		/* size of the output's file, in bytes */
	} lines[SAVED_LINES];
};

/* Append the state to b. sums may be NULL. */
void state_put(struct buf *b, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o);

/*
 * Restore a state into an empty join, and into empty sums if both the state and the caller have
 * sums; `sums` may be NULL. Append unwritten lines and rows to the buffers in `o` that are not
 * NULL. Returns 0; -EBADMSG if the state is damaged; or -EPROTO if it has another version. After an
 * error, join and sums may be incomplete and can only be freed.
 */
int state_take(struct str text, struct xrd_join *j, struct xrd_sums *sums,
	       struct saved_output *o) MUST_CHECK;

/*
 * Replace a file by the state, or load the state from a file. All return 0 or -errno. Loading an
 * empty file returns -ENOENT; saving into a file that was removed returns -EACCES.
 */
int state_save(const char *path, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o) MUST_CHECK;
int state_save_into(int fd, const struct xrd_join *j, const struct xrd_sums *sums,
		    const struct saved_output *o) MUST_CHECK;	/* overwrites a file */
int state_load(const char *path, struct xrd_join *j, struct xrd_sums *sums,
	       struct saved_output *o) MUST_CHECK;
int state_load_from(int fd, struct xrd_join *j, struct xrd_sums *sums,
		    struct saved_output *o) MUST_CHECK;	/* reads a file that was just opened */
