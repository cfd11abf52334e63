/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_xprt.h - sum up the connections of each NFS mount (nconnect= makes several) */
#pragma once

#include "base/str.h"
#include "collectors/part_sums.h"

#define NFS_XPRT_KEYS 5		/* number of counters of each connection */
/* the kernel opens up to 16 connections per mount, and 16 for trunking */
#define NFS_XPRT_MAX  32

/* The lines "xprt:" of one mount. */
struct nfs_xprts {
	size_t n;
	struct nfs_xprt {
		uint64_t port, value[NFS_XPRT_KEYS];
	} xprt[NFS_XPRT_MAX];
};

/*
 * Add the connection of a line such as "tcp 865 1 1 0 35 ...". The port and the number of binds
 * precede the counters; for TCP and RDMA, the number of connects, the connect time and the idle
 * time come in between (net/sunrpc/xprtsock.c, xprtrdma/transport.c: *_print_stats()). Returns
 * false if the line is malformed.
 */
bool nfs_xprt_take(struct nfs_xprts *x, struct str line);

/* Prepare a table that keeps the previous readings of each mount. */
void nfs_xprt_init(struct part_table *t);

/*
 * Sum up a mount's connections. The sums never decrease when a connection is closed. id is the
 * mount's id in the table, and i the mount's probable index in the table.
 */
void nfs_xprt_sum(struct part_table *t, uint64_t id, size_t i, const struct nfs_xprts *x,
		  uint64_t sum[NFS_XPRT_KEYS]);
