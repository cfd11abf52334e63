/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.h - the numbers of a socket as an entry of a .pm file */
#pragma once

#include "base/system/sockets.h"
#include "formats/pm/pm_columns.h"
#include "tracers/tcp/ports.h"

struct snapshots {
	struct pm_header h;
	struct pm_column column[PM_KNOWN];
	uint32_t seq;			/* of the next entry */
};

/* For this kernel; facts_n: bytes of its tcp_info. */
void snapshots_init(struct snapshots *s, size_t facts_n, bool sack);

/* At least so many are missing here. */
void snapshots_lost(struct snapshots *s, uint32_t n);

struct known {
	uint64_t cookie;
	struct ports ports;
	bool seen;		/* since the last sweep */
	bool missed;		/* not seen before the last sweep */
	bool ended;		/* the final snapshot was taken */
	uint8_t extra;		/* bytes_acked has so many of SYN and FIN */
	uint32_t cwnd;		/* segments */
	int64_t taken;		/* CLOCK_MONOTONIC of snapshot_take(), nanoseconds */
	bool has_start;
	uint32_t start;		/* sequence number of the first byte that is sent */
	uint32_t retransmits;	/* events of them */
	unsigned char entry[PM_ENTRY_SIZE];
};

void snapshot_set(const struct snapshots *s, struct known *k, enum pm_place place, uint64_t value);
uint64_t snapshot_get(const struct snapshots *s, const struct known *k, enum pm_place place);

/* All that the kernel says of it; the rest stays as it was, and is not valid. */
void snapshot_take(const struct snapshots *s, struct known *k, const struct socket_seen *seen);

/* Only what snapshot_set() sets from here on is valid. */
void snapshot_begin(const struct snapshots *s, struct known *k);

/* The next number, this moment, and where it was taken: the entry is complete. */
void snapshot_stamp(struct snapshots *s, struct known *k, enum pm_location at, uint32_t value,
		    int64_t usec);
