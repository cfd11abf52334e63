/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_columns.h - the columns of .pm files that nodometer writes, and their meaning */
#pragma once

#include "formats/pm/pm.h"

enum pm_unit {
	PM_UNIT_NONE,		/* the column identifies the snapshot; pmgraph does not draw it */
	PM_UNIT_BYTES,
	PM_UNIT_SEQUENCE,	/* sequence number, modulo 2^32 */
	PM_UNIT_STREAM,		/* bytes of the stream since its start */
	PM_UNIT_USEC,
	PM_UNIT_SEGMENTS,
	PM_UNIT_RATE,		/* bytes per second */
	PM_UNIT_CLUSTERS,	/* number of mbuf clusters, whose size is in the header */
	PM_UNIT_NUMBER,
};

enum pm_place {
	PM_SEQ_NO, PM_TIME, PM_CALLVALUE, PM_LOCATION, PM_LPORT, PM_RPORT, PM_SND_CWND,
	PM_SND_MAX, PM_SND_FACK, PM_SB_HIWAT, PM_SND_SB_CC, PM_RCV_SB_CC, PM_SB_TARGET_HIWAT,
	PM_SB_NET_TARGET, PM_HIWAT_FAIR_SHARE, PM_M_CLUSED,
	PM_STATE, PM_CA_STATE, PM_SND_MSS, PM_RTT, PM_RTTVAR, PM_MIN_RTT, PM_SND_SSTHRESH,
	PM_RCV_WND, PM_SND_WND, PM_TOTAL_RETRANS, PM_WMEM_QUEUED, PM_SND_CWND_BYTES,
	PM_DELIVERY_RATE, PM_BYTES_ACKED, PM_BYTES_RECEIVED, PM_BYTES_RETRANS,
	PM_LADDR, PM_RADDR, PM_FAMILY, PM_COOKIE, PM_VALID,
	PM_NOTSENT_BYTES, PM_DATA_SEGS_OUT, PM_BUSY_TIME, PM_RWND_LIMITED, PM_SNDBUF_LIMITED,
	PM_KNOWN,		/* number of columns */
};
/* columns of the 64-byte entry in CMU-PSC-TR-2000-0001 */
#define PM_SEED_COLUMNS PM_STATE
#define PM_ENTRY_SIZE   224

struct pm_known {
	struct pm_column column;	/* definition in the header */
	char letter;			/* option letter of pmgraph, or NUL */
	enum pm_unit unit;
	const char *text;
};
extern const struct pm_known pm_known[PM_KNOWN];

/*
 * Find a column by its name; m_closed is the column m_clused. Returns NULL if nodometer does not
 * write this column.
 */
const struct pm_known *pm_known_column(const char *name);
/* Find a column by its option letter of pmgraph. Returns NULL if there is none. */
const struct pm_known *pm_known_letter(char letter);

/* Values of column location: the event at which the kernel took a snapshot. */
enum pm_location {
	PM_AT_POLL = 1, PM_AT_FINAL, PM_AT_CWND, PM_AT_LOSS, PM_AT_RTO, PM_AT_RETRANSMIT,
	PM_AT_STATE,
	PM_LOCATIONS,
};
extern const char *const pm_location_names[PM_LOCATIONS];
