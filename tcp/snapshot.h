/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.h - convert the values of a socket into an entry of a .pm file */
#pragma once

#include "base/system/sockets.h"
#include "formats/pm/pm_columns.h"
#include "tcp/ports.h"

/* Do not copy this structure: .h points to .column. */
struct snapshots {
	struct pm_header h;
	struct pm_column column[PM_KNOWN];
	uint32_t seq;			/* sequence number of the next entry */
};

/* Set up the columns for this kernel. facts_n: size of tcp_info in this kernel, in bytes. */
void snapshots_init(struct snapshots *s, size_t facts_n, bool sack);

/* Count n lost snapshots, and skip n sequence numbers. Pass 1 if the number is unknown. */
void snapshots_lost(struct snapshots *s, uint32_t n);

struct known_connection {
	uint64_t cookie;
	struct port_pair ports;
	bool seen;		/* the kernel listed the connection since the last sweep */
	bool missed;		/* the connection was not seen before the last sweep */
	bool ended;		/* the last snapshot of the connection was recorded */
	uint8_t extra;		/* number of SYN and FIN flags that bytes_acked counts: 0 to 2 */
	uint32_t cwnd;		/* congestion window in segments */
	/* time of the last snapshot_store_socket(), in nanoseconds of CLOCK_MONOTONIC */
	int64_t stored_at;
	bool has_start;
	uint32_t start;		/* sequence number of the first byte sent */
	uint32_t retransmits;	/* number of events "segment retransmitted" */
	unsigned char entry[PM_ENTRY_SIZE];
};

/*
 * Set or get a value in the entry. A column that this kernel lacks is not set, and its value is 0.
 * A number too large for a 32-bit column is set to UINT32_MAX; in snd_max and snd_fack it wraps.
 */
void snapshot_set(const struct snapshots *s, struct known_connection *k, enum pm_place place,
		  uint64_t value);
uint64_t snapshot_get(const struct snapshots *s, const struct known_connection *k,
		      enum pm_place place);

/* Store the values that the kernel reports for the socket. Mark all other values as invalid. */
void snapshot_store_socket(const struct snapshots *s, struct known_connection *k,
			   const struct socket_seen *seen);

/*
 * Mark all values as invalid, except those that identify the connection. snapshot_set() makes a
 * value valid again.
 */
void snapshot_begin(const struct snapshots *s, struct known_connection *k);

/*
 * Set the entry's sequence number, its time, the cause of the snapshot (column "location"), and a
 * number that belongs to the cause (column "callvalue").
 */
void snapshot_stamp(struct snapshots *s, struct known_connection *k, enum pm_location at,
		    uint32_t value, int64_t usec);
