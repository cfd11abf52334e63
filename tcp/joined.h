/* SPDX-License-Identifier: BSD-3-Clause */
/* joined.h - which accesses to files of XRootD went through a connection, by its four-tuple */
#pragma once

#include "base/buf.h"
#include "tracers/tcp/verdicts.h"

#define JOINED_MAX 1000000	/* accesses that are kept */

struct joined_access {
	char src[64], dst[64];		/* the server's address and the other */
	uint16_t src_port, dst_port;
	int64_t from, to;		/* of the flow; .to: INT64_MAX, it is not known */
	struct buf line;		/* as nodometer xrootd has written it */
};

/* All zero is a valid empty one. */
struct joined {
	struct joined_access *p;
	size_t n, cap;
	struct map by_ports;
};

/* Lines of nodometer xrootd --fireflies. 0, or -errno, which is logged. */
int joined_load(struct joined *j, const char *file) MUST_CHECK;
void joined_free(struct joined *j);

/* A member "transfers", of the accesses through the connection, or nothing. */
void joined_put_json(struct buf *b, const struct joined *j, const struct connection *c,
		     const struct verdict_sums *s);
/* A line for each. */
void joined_put_text(struct buf *b, const struct joined *j, const struct connection *c,
		     const struct verdict_sums *s);
