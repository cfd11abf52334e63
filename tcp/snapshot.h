/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.h - the values of a socket as an entry of a .pm file */
#pragma once

#include "base/system/sockets.h"
#include "formats/pm/pm_columns.h"
#include "tcp/ports.h"

struct snapshots {
	struct pm_header h;
	struct pm_column column[PM_KNOWN];
	uint32_t seq;			/* sequence number of the next entry */
};

/*
 * Set up the columns for this kernel. facts_n: number of bytes that the kernel fills in tcp_info.
 */
void snapshots_init(struct snapshots *s, size_t facts_n, bool sack);

/* Count n lost snapshots, and skip n sequence numbers. n may be a lower bound. */
void snapshots_lost(struct snapshots *s, uint32_t n);

struct known_connection {
	uint64_t cookie;
	struct port_pair ports;
	bool seen;		/* the connection was seen since the last sweep */
	bool missed;		/* the connection was missing at the last sweep */
	bool ended;		/* the final snapshot of the connection was recorded */
	uint8_t extra;		/* how many of SYN and FIN bytes_acked includes: 0, 1 or 2 */
	uint32_t cwnd;		/* congestion window in segments */
	/* time of the last snapshot_store_socket(), in nanoseconds of CLOCK_MONOTONIC */
	int64_t stored_at;
	bool has_start;
	uint32_t start;		/* sequence number of the first byte sent */
	uint32_t retransmits;	/* number of retransmit events */
	unsigned char entry[PM_ENTRY_SIZE];
};

void snapshot_set(const struct snapshots *s, struct known_connection *k, enum pm_place place,
		  uint64_t value);
uint64_t snapshot_get(const struct snapshots *s, const struct known_connection *k,
		      enum pm_place place);

/*
 * Store all values that the kernel reports for the socket. Keep all other values, but mark them
 * invalid.
 */
void snapshot_store_socket(const struct snapshots *s, struct known_connection *k,
			   const struct socket_seen *seen);

/*
 * Mark all values invalid, except the values that identify the connection. snapshot_set() marks
 * values valid again.
 */
void snapshot_begin(const struct snapshots *s, struct known_connection *k);

/*
 * Complete the entry with the next sequence number, the time, and the location. The location is the
 * cause of the snapshot.
 */
void snapshot_stamp(struct snapshots *s, struct known_connection *k, enum pm_location at,
		    uint32_t value, int64_t usec);
