/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xrd_join.h - join users, paths, opens and closes into one record per access to a file
 *
 * The input is XRootD's detailed monitoring, see formats/xrootd/xrdstream_records.h. Map records,
 * named by a letter, define the numbers of users (u: login) and files (d: path), add info about
 * users (i, U, T), or identify the server (=). The f-stream reports opens, closes and byte counts,
 * the t-stream single requests, and the g-stream caches, third-party copies and TCP connections.
 */
#pragma once

#include "xrootd/join/xrd_accesses.h"

struct xrd_join;

/* how long an ended file waits for its missing records, in microseconds */
#define XRD_WAIT 5000000
/* how long a closed file waits for the report of a third-party copy, in microseconds */
#define XRD_COPY_WAIT 90000000
#define XRD_TICK 1000000	/* interval at which waiting files are checked, in microseconds */
/* users and files without a record for this long are forgotten, in microseconds */
#define XRD_IDLE ((int64_t)86400 * 1000000)

/* Allocate a join. memory: limit for users and files, in bytes. */
struct xrd_join *xrd_join_new(const struct xrd_listener *to, size_t memory);
void xrd_join_free(struct xrd_join *j);		/* call xrd_join_finish() and free the memory */

/* Add a datagram. now: time of arrival in microseconds since 1970, which should not decrease. */
void xrd_join_add(struct xrd_join *j, const struct xrd_source *from, struct str datagram,
		  int64_t now);
/* Report files that have waited long enough. Call this at least every second. */
void xrd_join_tick(struct xrd_join *j, int64_t now);
/* Report all files and sessions, because the input has ended. */
void xrd_join_finish(struct xrd_join *j);
/* Report nothing from now on, not even open files. */
void xrd_join_abandon(struct xrd_join *j);
/* From ns nanoseconds after this call on, xrd_join_finish() reports files with .unwritten set. */
void xrd_join_hurry(struct xrd_join *j, int64_t ns);

/*
 * Continue from a saved state after the earlier run was killed. That run received more datagrams
 * after saving the state, so missing numbers are not counted as losses, and requests in the
 * t-stream count as incomplete. written: that run wrote lines after saving, so do not deliver the
 * datagrams held in the state again.
 */
void xrd_join_resume(struct xrd_join *j, bool written);

const struct xrd_join_counts *xrd_join_counts(const struct xrd_join *j);
struct xrd_servers *xrd_join_servers(struct xrd_join *j);
