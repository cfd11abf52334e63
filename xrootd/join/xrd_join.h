/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_join.h - users, paths, opens and closes joined into one record per access to a file */
#pragma once

#include "tracers/xrootd/join/xrd_accesses.h"

struct xrd_join;

#define XRD_WAIT 5000000	/* microseconds that a transfer waits for a late user or path */
#define XRD_COPY_WAIT 90000000	/* for a report of its copy, by a stream with a period of its own */
#define XRD_TICK 1000000	/* between looks at what waits */
#define XRD_IDLE ((int64_t)86400 * 1000000)

/* memory: bytes that users and files may take. */
struct xrd_join *xrd_join_new(const struct xrd_listener *to, size_t memory);
void xrd_join_free(struct xrd_join *j);		/* ends all that is open */

/* Adds a datagram; times of arrival are microseconds since 1970 and should not go back. */
void xrd_join_add(struct xrd_join *j, const struct xrd_source *from, struct str datagram,
		  int64_t now);
void xrd_join_tick(struct xrd_join *j, int64_t now);	/* at least every second */
void xrd_join_finish(struct xrd_join *j);		/* nothing will come any more */
void xrd_join_abandon(struct xrd_join *j);	/* nothing is reported any more, be it open */
void xrd_join_hurry(struct xrd_join *j, int64_t ns);	/* limits xrd_join_finish() */

const struct xrd_join_counts *xrd_join_counts(const struct xrd_join *j);
struct xrd_servers *xrd_join_servers(struct xrd_join *j);
