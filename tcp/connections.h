/* SPDX-License-Identifier: BSD-3-Clause */
/* connections.h - the open TCP connections, each with its last snapshot */
#pragma once

#include "base/map.h"
#include "tcp/snapshot.h"

/* All zero is a valid empty value. */
struct connections {
	struct known_connection *p;
	size_t n, cap;
	struct map by_cookie, by_tuple;
};

/*
 * Return the connection with the cookie of s, and add it if it is new. For a new connection, call
 * snapshot_store_socket() next. The pointer is valid until the next connections_get() or
 * connections_sweep().
 */
struct known_connection *connections_get(struct connections *c, const struct socket_seen *s);
/* Find a connection by its cookie. Returns NULL if there is none. */
struct known_connection *connections_find(struct connections *c, uint64_t cookie);
/*
 * Return the newest connection with these addresses and ports that existed at time `at`
 * (CLOCK_MONOTONIC, ns), or NULL.
 */
struct known_connection *connections_between(struct connections *c, const struct snapshots *s,
					     const unsigned char laddr[16],
					     const unsigned char raddr[16],
					     struct port_pair p, int64_t at);

/*
 * Remove connections that have ended, or that were not seen before two sweeps in a row. One sweep
 * is not enough: the kernel removes a connection from its tables before it reports the state CLOSE
 * (tcp_set_state()).
 */
void connections_sweep(struct connections *c, const struct snapshots *s);
void connections_free(struct connections *c);
