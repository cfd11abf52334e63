/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.h - find what limited each recorded connection, and give advice */
#pragma once

#include "tcp/capture.h"

/* The reason why a connection does not send faster. */
enum limit {
	/*
	 * congestion window: data waits, but neither the peer's window nor the send buffer is full
	 */
	LIMIT_WINDOW,
	LIMIT_RECEIVER,		/* the peer's receive window is full (tcp_info: rwnd_limited) */
	LIMIT_BUFFER,		/* the send buffer is full, and all its data was sent */
	LIMIT_APPLICATION,	/* the application has no data to send */
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
	struct known_amount sent, received;	/* number of bytes, without retransmissions */
	/* data segments sent, including retransmissions; retransmissions */
	struct known_amount segments, retransmits;
	bool limits_known;
	int64_t limited[LIMITS];	/* time attributed to each limit, in microseconds */
	double rtt, least_rtt;	/* mean and minimum round-trip time, in microseconds; 0: unknown */
	bool stalls_known;
	/* number of stalls: periods in which data waited and none was acknowledged */
	unsigned stalls;
	/* total duration of all stalls, in microseconds (lower bound) */
	int64_t stalled;
	enum verdict verdict;
};

/*
 * shortest stall, in microseconds: TCP_RTO_MIN of the kernel; if the mean round-trip time is longer
 * than half of this, twice the mean
 */
#define STALL_USEC  200000
/* share of retransmitted segments above which losses are the reason for slowness */
#define LOSS_SHARE  0.0005

struct verdicts {
	/* results of each connection, in any order; .connection identifies the connection */
	struct verdict_sums *p;
	size_t n;
	/*
	 * start of the recording, or time of the first snapshot if the start is unknown, in
	 * microseconds since the epoch
	 */
	int64_t first;
	int64_t last;	/* time of the last snapshot, in the same unit */
};

/* Analyse a capture. Its file must have the column "time". */
void verdicts_of(struct verdicts *v, const struct capture *c);
void verdicts_free(struct verdicts *v);

/* Return a sentence of advice for the user. */
const char *verdict_advice(const struct verdict_sums *s);

/* Sort key for connections: larger is worse, negative means unknown. */
struct ranking {
	const char *name, *title;
	double (*value)(const struct verdict_sums *s);
	enum { RANKING_SECONDS, RANKING_SEGMENTS, RANKING_TIMES } unit;
	enum limit limit;	/* if .value is NULL, sort by the time attributed to this limit */
};
extern const struct ranking rankings[];
extern const size_t n_rankings;
double ranking_value(const struct ranking *by, const struct verdict_sums *s);
/*
 * Sort the connections, worst first. Among equals, the connection that sent most bytes comes first.
 */
void verdicts_sort(struct verdicts *v, const struct ranking *by);
