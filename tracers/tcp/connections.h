/* SPDX-License-Identifier: BSD-3-Clause */
/* connections.h - the connections that there are, each with its last snapshot */
#pragma once

#include "base/map.h"
#include "tracers/tcp/snapshot.h"

/* All zero is a valid empty one. */
struct connections {
	struct known *p;
	size_t n, cap;
	struct map by_cookie, by_tuple;
};

/* The connection with that cookie, which may be new; valid until the next call. */
struct known *connections_get(struct connections *c, const struct socket_seen *s);
struct known *connections_find(struct connections *c, uint64_t cookie);	/* or NULL */
/* The newest one of these ends that was there at that time (CLOCK_MONOTONIC, ns), or NULL. */
struct known *connections_between(struct connections *c, const struct snapshots *s,
				  const unsigned char laddr[16], const unsigned char raddr[16],
				  struct ports p, int64_t at);

/*
 * Forgets those that have ended, or were not seen since the sweep before the last: the kernel
 * takes a connection out of its tables before it reports the state CLOSE (tcp_set_state()).
 */
void connections_sweep(struct connections *c, const struct snapshots *s);
void connections_free(struct connections *c);
