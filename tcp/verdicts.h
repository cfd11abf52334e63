/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.h - judge recorded connections: what they transferred, what limited them, and advice */
#pragma once

#include "tcp/capture.h"

/* Reasons why a connection did not send more. */
enum limit {
	/* data waits to be sent, although the peer's window and the send buffer allow it */
	LIMIT_WINDOW,
	LIMIT_RECEIVER,		/* the peer's receive window is full (tcp_info: rwnd_limited) */
	LIMIT_BUFFER,		/* the send buffer is full, and all its data is sent */
	LIMIT_APPLICATION,	/* no data waits to be sent */
	LIMITS,
};

enum verdict {
	VERDICT_LOSS, VERDICT_PATH, VERDICT_RECEIVER, VERDICT_BUFFER, VERDICT_APPLICATION,
	VERDICT_SLOW_READER, VERDICT_RECEIVES, VERDICT_IDLE, VERDICT_UNKNOWN, VERDICTS,
};
extern const char *const verdict_names[VERDICTS];

struct known_amount {
	uint64_t n;
	bool known;
};

/*
 * Sums of a connection, up to its last snapshot. They begin at the start of the connection if the
 * start was recorded, else at its first snapshot.
 */
struct verdict_sums {
	size_t connection;		/* index of the connection in the capture */
	int64_t start, usec;		/* start in microseconds since the epoch, and duration */
	struct known_amount sent, received;	/* number of bytes, each counted once */
	/* data segments sent, and retransmissions among them */
	struct known_amount segments, retransmits;
	bool limits_known;
	int64_t limited[LIMITS];	/* time for each limit, in microseconds */
	double rtt, least_rtt;	/* mean and minimum round-trip time, microseconds; 0: unknown */
	bool stalls_known;
	/* number of times that data waited while nothing was acknowledged */
	unsigned stalls;
	/* total duration of all stalls in microseconds, a lower bound */
	int64_t stalled;
	enum verdict verdict;
};

/* shortest stall, microseconds: TCP_RTO_MIN, the smallest retransmission timeout */
#define STALL_USEC  200000
/* if a larger share of the segments was retransmitted, losses are the reason */
#define LOSS_SHARE  0.0005

struct verdicts {
	/* sums of each connection, in any order; use .connection to identify a connection */
	struct verdict_sums *p;
	size_t n;
	/* start of the recording; if the start is unknown, time of the first snapshot */
	int64_t first;
	int64_t last;	/* time of the last snapshot */
};

/* Evaluate a capture, which must have times. */
void verdicts_of(struct verdicts *v, const struct capture *c);
void verdicts_free(struct verdicts *v);

/* Return a sentence of advice. */
const char *verdict_advice(const struct verdict_sums *s);

/* Sort key for connections: larger is worse, negative means unknown. */
struct ranking {
	const char *name, *title;
	double (*value)(const struct verdict_sums *s);
	enum { RANKING_SECONDS, RANKING_SEGMENTS, RANKING_TIMES } unit;
	enum limit limit;	/* if .value is NULL, rank by the time of this limit */
};
extern const struct ranking rankings[];
extern const size_t n_rankings;
double ranking_value(const struct ranking *by, const struct verdict_sums *s);
/* Sort worst first. Equally bad connections are sorted by bytes sent, most first. */
void verdicts_sort(struct verdicts *v, const struct ranking *by);
