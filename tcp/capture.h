/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h - a recording of TCP connections (.pm file) in memory */
#pragma once

#include "base/map.h"
#include "formats/pm/pm_columns.h"
#include "tcp/ports.h"

#define CAPTURE_BYTES_MAX (1ull << 31)	/* maximum memory for snapshots, in bytes */

struct tcp_connection {
	struct port_pair ports;
	char name[128];		/* "1055.5050", or with addresses "10.0.0.1:1055 10.0.0.2:5050" */
	unsigned same;		/* number of earlier connections with the same ports */
	size_t first, n;	/* range of the connection's entries in .of_connection */
	size_t key, key_n;	/* range in .keys of the bytes that identify the connection */
};

struct snapshot {
	int64_t seq;		/* sequence number, extended to 64 bits */
	size_t at;		/* offset of the snapshot in .entries, in bytes */
	uint32_t connection;
};

/* Sequence number and time of one entry in the file, even if .only leaves out the entry. */
struct capture_moment {
	int64_t seq;
	uint32_t shown;		/* sequence number as stored in the file (32 bits) */
	uint64_t sec, usec;
};

/* A .pm file in memory. Before capture_read(), set .only and leave all other members zero. */
struct capture {
	struct ports_list only;	/* ports of the connections to keep; empty: all connections */

	struct pm_header h;
	const struct pm_column *time, *valid;
	bool unsorted;
	size_t cut;		/* bytes of an incomplete entry at the end of the file */
	struct buf entries, keys;
	struct snapshot *snapshot;
	size_t n, cap;
	uint32_t *of_connection;	/* indexes of snapshots, grouped by connection */
	struct tcp_connection *connection;
	size_t n_connections, cap_connections;
	struct map by_key, by_ports;
	struct capture_moment *moment;
	size_t n_moments, cap_moments;
	/* largest amount of memory that TCP used in the whole system, in clusters (m_clused) */
	uint64_t clusters_most;
};

/*
 * Read a file. Returns 0; -EBADMSG with *fault set if the file is malformed; -EFBIG if its
 * snapshots need more than CAPTURE_BYTES_MAX; or another -errno.
 */
int capture_read(struct capture *c, int fd, struct pm_fault *fault) MUST_CHECK;
/* Open a file. Returns a descriptor or -errno; capture_load() logs this error. */
int capture_open(const char *file) MUST_CHECK;
/*
 * Read a file like capture_read(), and log errors and warnings. fd: the result of capture_open(),
 * which the caller closes. Returns 0 or -errno.
 */
int capture_load(struct capture *c, const char *file, int fd) MUST_CHECK;
void capture_free(struct capture *c);	/* does not free .only */

static inline const unsigned char *capture_entry(const struct capture *c, size_t snapshot)
{
	return (const unsigned char *)c->entries.p + c->snapshot[snapshot].at;
}

/* Return the number of entries that are missing before this entry. */
static inline uint64_t capture_gap(const struct capture *c, size_t moment)
{
	int64_t step = moment ? c->moment[moment].seq - c->moment[moment - 1].seq : 1;
	return step > 1 ? (uint64_t)step - 1 : 0;
}

/*
 * Read the value of an integer column in a snapshot. Returns false if the snapshot has no valid
 * value for the column.
 */
bool capture_value(const struct capture *c, size_t snapshot, const struct pm_column *column,
		   uint64_t *ret);

/*
 * Read the time of a snapshot in microseconds since the epoch. Returns false if the file has no
 * column "time".
 */
bool capture_time(const struct capture *c, size_t snapshot, int64_t *usec);
