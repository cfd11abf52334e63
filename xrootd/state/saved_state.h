/* SPDX-License-Identifier: BSD-3-Clause */
/* saved_state.h - what a receiver knows, kept in a file from one run to the next */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/sums/xrd_reports.h"
#include "tracers/xrootd/sums/xrd_sums.h"
#include "tracers/xrootd/join/xrd_join.h"

#define SAVED_LINES 16	/* outputs of lines */

/* Where the output of the run before was when it was saved. */
struct saved_output {
	int64_t last_us;	/* of records: TIME of the newest group */
	uint64_t size;		/* of a file */
	bool begun;		/* a group was written */
	uint64_t bytes;		/* of datagrams */
	struct xrd_reports *reports;	/* rows that wait, or NULL; only beside sums */
	struct {
		struct buf *text;	/* lines that wait for room, or NULL */
		uint64_t size;		/* of the file that they are for */
	} lines[SAVED_LINES];
};

/* sums: NULL where there are none. */
void state_put(struct buf *b, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o);

/*
 * Lines that wait are added to .text, rows to .reports, as far as these are there. Into an empty
 * join, and empty sums if there are any here and there. 0, -EBADMSG: damaged, -EPROTO: of another
 * version; then both may hold a part of it, and are for nothing but xrd_join_free() and
 * xrd_sums_free().
 */
int state_take(struct str text, struct xrd_join *j, struct xrd_sums *sums,
	       struct saved_output *o) MUST_CHECK;

/* The same with a file: put into its place as a whole. 0 or -errno. */
int state_save(const char *path, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o) MUST_CHECK;
int state_save_into(int fd, const struct xrd_join *j, const struct xrd_sums *sums,
		    const struct saved_output *o) MUST_CHECK;	/* a file that is there */
int state_load(const char *path, struct xrd_join *j, struct xrd_sums *sums,
	       struct saved_output *o) MUST_CHECK;
