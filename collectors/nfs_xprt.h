/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_xprt.h - sum up the connections of each NFS mount (nconnect= makes several) */
#pragma once

#include "base/str.h"
#include "collectors/part_sums.h"

#define NFS_XPRT_KEYS 5		/* counters of a connection in type nfs */
#define NFS_XPRT_MAX  32	/* the kernel opens up to 16, and 16 more for trunking */

/* The lines "xprt:" of one mount. */
struct nfs_xprts {
	size_t n;
	struct nfs_xprt {
		uint64_t port, value[NFS_XPRT_KEYS];
	} xprt[NFS_XPRT_MAX];
};

/*
 * Add a connection: "tcp 865 1 1 0 35 ...". The port and the number of binds precede the counters;
 * TCP and RDMA have the number, time and idle time of connections in between
 * (net/sunrpc/xprtsock.c, xprtrdma/transport.c: *_print_stats()). Returns false if the line is
 * malformed.
 */
bool nfs_xprt_take(struct nfs_xprts *x, struct str line);

/* Prepare a table that keeps the previous readings of each mount. */
void nfs_xprt_init(struct part_table *t);

/*
 * Sum up a mount's connections, so that the sums do not decrease when a connection is closed. id
 * identifies the mount in the table, where its likely position is i.
 */
void nfs_xprt_sum(struct part_table *t, uint64_t id, size_t i, const struct nfs_xprts *x,
		  uint64_t sum[NFS_XPRT_KEYS]);
