/* SPDX-License-Identifier: BSD-3-Clause */
/* joined.h - match XRootD file accesses to TCP connections by addresses and ports */
#pragma once

#include "base/buf.h"
#include "tcp/verdicts.h"

#define JOINED_MAX 1000000	/* maximum number of accesses kept in memory */

struct joined_access {
	char src[64], dst[64];		/* addresses of the server and of the client */
	uint16_t src_port, dst_port;
	/*
	 * start and end of the connection, in microseconds since the epoch; .to is INT64_MAX if
	 * unknown
	 */
	int64_t from, to;
	struct buf line;		/* the line that nodometer xrootd wrote for the access */
};

/* All zero is a valid empty value. */
struct joined {
	struct joined_access *p;
	size_t n, cap;
	struct map by_ports;
};

/*
 * Read accesses from a file that nodometer xrootd --fireflies wrote, and close fd. Returns 0, or
 * -errno after logging the error.
 */
int joined_load(struct joined *j, const char *file, int fd) MUST_CHECK;
void joined_free(struct joined *j);

/* Append a member "transfers" with the accesses that used the connection, if there are any. */
void joined_put_json(struct buf *b, const struct joined *j, const struct tcp_connection *c,
		     const struct verdict_sums *s);
/* Append a line for each access that used the connection. */
void joined_put_text(struct buf *b, const struct joined *j, const struct tcp_connection *c,
		     const struct verdict_sums *s);
