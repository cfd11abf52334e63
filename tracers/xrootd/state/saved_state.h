/* SPDX-License-Identifier: BSD-3-Clause */
/* saved_state.h - what a receiver knows, kept in a file from one run to the next */
#pragma once

#include "base/wire.h"
#include "tracers/xrootd/sums/xrd_reports.h"
#include "tracers/xrootd/sums/xrd_sums.h"
#include "tracers/xrootd/join/xrd_join.h"

#define SAVED_LINES 2	/* transfers, events */

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

/* Parts of it: what the join and the sums know. Taking sets w->bad where they make no sense. */
void join_put_state(struct buf *b, const struct xrd_join *j);
void join_take_state(struct wire *w, struct xrd_join *j);
void servers_put_state(struct buf *b, const struct xrd_servers *all);
void servers_take_state(struct wire *w, struct xrd_servers *all);
void sums_put_state(struct buf *b, const struct xrd_sums *s);
void sums_take_state(struct wire *w, struct xrd_sums *s);
void reports_put_state(struct buf *b, const struct xrd_reports *r);
void reports_take_state(struct wire *w, struct xrd_reports *r);

static inline void state_put_text(struct buf *b, struct str s)
{
	wire_put(b, s.n, 4);
	buf_add(b, s);
}

static inline struct str state_take_text(struct wire *w)
{
	return wire_bytes(w, wire_u32(w));
}

/* Microseconds that sums of some of them cannot overflow. */
static inline int64_t state_take_time(struct wire *w)
{
	int64_t t = (int64_t)wire_u64(w);
	w->bad |= t < 0 || t > INT64_MAX / 4;
	return w->bad ? 0 : t;
}
