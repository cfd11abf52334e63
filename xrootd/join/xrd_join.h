/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_join.h - join users, paths, opens and closes into one record per access to a file */
#pragma once

#include "xrootd/join/xrd_accesses.h"

struct xrd_join;

#define XRD_WAIT 5000000	/* microseconds that a transfer waits for a late user or path */
#define XRD_COPY_WAIT 90000000	/* microseconds that a transfer waits for a report of its copy */
#define XRD_TICK 1000000	/* microseconds between two checks of waiting files */
#define XRD_IDLE ((int64_t)86400 * 1000000)

/* Make a join. memory: limit for users and files, in bytes. */
struct xrd_join *xrd_join_new(const struct xrd_listener *to, size_t memory);
void xrd_join_free(struct xrd_join *j);		/* ends all open files */

/* Add a datagram. now: time of arrival, microseconds since 1970, should not decrease. */
void xrd_join_add(struct xrd_join *j, const struct xrd_source *from, struct str datagram,
		  int64_t now);
void xrd_join_tick(struct xrd_join *j, int64_t now);	/* call at least every second */
void xrd_join_finish(struct xrd_join *j);		/* the input has ended */
void xrd_join_abandon(struct xrd_join *j);	/* report nothing more, not even open files */
void xrd_join_hurry(struct xrd_join *j, int64_t ns);	/* limit xrd_join_finish() to ns */

/*
 * Go on after a kill: the earlier run received datagrams after it saved its state. Numbers that are
 * missing are not losses, and requests in the t-stream are not complete. written: that run wrote
 * lines, and so delivered the datagrams that the state holds.
 */
void xrd_join_resume(struct xrd_join *j, bool written);

const struct xrd_join_counts *xrd_join_counts(const struct xrd_join *j);
struct xrd_servers *xrd_join_servers(struct xrd_join *j);
