/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.h - what each connection of a recording did, what it waited for, and what to do */
#pragma once

#include "tracers/tcp/capture.h"

/* Reasons why a connection did not send more. */
enum limit {
	LIMIT_WINDOW,		/* data wait, and neither the peer nor the buffer is the reason */
	LIMIT_RECEIVER,		/* the peer's window is full (tcp_info: rwnd_limited) */
	LIMIT_BUFFER,		/* all in the send buffer is sent, and it is full */
	LIMIT_APPLICATION,	/* nothing waits to be sent */
	LIMITS,
};

enum verdict {
	VERDICT_LOSS, VERDICT_PATH, VERDICT_RECEIVER, VERDICT_BUFFER, VERDICT_APPLICATION,
	VERDICT_SLOW_READER, VERDICT_RECEIVES, VERDICT_IDLE, VERDICT_UNKNOWN, VERDICTS,
};
extern const char *const verdict_names[VERDICTS];

struct amount {
	uint64_t n;
	bool known;
};

/* From the connection's first snapshot, or from its start where that was recorded, to its last. */
struct verdict_sums {
	size_t connection;		/* of the capture */
	int64_t start, usec;		/* of the epoch; how long */
	struct amount sent, received;	/* bytes, each once */
	struct amount segments, retransmits;	/* sent with data; of them sent again */
	bool limits_known;
	int64_t limited[LIMITS];	/* microseconds */
	double rtt, least_rtt;		/* mean and least, microseconds; 0: not known */
	bool stalls_known;
	unsigned stalls;		/* times that data waited and nothing was acknowledged */
	int64_t stalled;		/* microseconds of all, or more */
	enum verdict verdict;
};

#define STALL_USEC  200000	/* the least: that of a retransmission timeout (TCP_RTO_MIN) */
#define LOSS_SHARE  0.0005	/* of the segments sent again: from here on losses are the reason */

struct verdicts {
	struct verdict_sums *p;		/* of each connection; sorted, .connection says which */
	size_t n;
	int64_t first, last;		/* time of the first and the last snapshot */
};

/* Looks at a capture that has times. */
void verdicts_of(struct verdicts *v, const struct capture *c);
void verdicts_free(struct verdicts *v);

/* A sentence: what to do. */
const char *verdict_advice(const struct verdict_sums *s);

/* A number that connections are ranked by: more is worse; below 0 is not known. */
struct ranking {
	const char *name, *title;
	double (*value)(const struct verdict_sums *s);
	enum { RANKING_SECONDS, RANKING_SEGMENTS, RANKING_TIMES } unit;
	enum limit limit;	/* if .value is NULL: by the time of this limit */
};
extern const struct ranking rankings[];
extern const size_t n_rankings;
double ranking_value(const struct ranking *by, const struct verdict_sums *s);
/* The worst first; then those that sent more. */
void verdicts_sort(struct verdicts *v, const struct ranking *by);
