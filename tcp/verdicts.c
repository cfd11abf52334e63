/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.c - find what limited each recorded connection, and give advice */
#include "tcp/verdicts.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/system/sockets.h"

const char *const verdict_names[VERDICTS] = {
	[VERDICT_LOSS]        = "loss",
	[VERDICT_PATH]        = "path",
	[VERDICT_RECEIVER]    = "receive-window",
	[VERDICT_BUFFER]      = "send-buffer",
	[VERDICT_APPLICATION] = "application",
	[VERDICT_SLOW_READER] = "slow-reader",
	[VERDICT_RECEIVES]    = "receives",
	[VERDICT_IDLE]        = "idle",
	[VERDICT_UNKNOWN]     = "unknown",
};

static const char *const advice[VERDICTS] = {
	[VERDICT_LOSS]        = "segments are lost: look for errors and drops of the interfaces, "
				"cables and switches between both ends, or for a queue that is "
				"too short.",
	[VERDICT_PATH]        = "the congestion window or the path's speed is the limit, without "
				"losses: use more connections to reach the path's full speed, or "
				"find out who else uses it.",
	[VERDICT_RECEIVER]    = "the peer's window is the limit: raise the receive buffer there "
				"(net.ipv4.tcp_rmem, and no SO_RCVBUF), or have the peer read "
				"faster.",
	[VERDICT_BUFFER]      = "the send buffer is the limit: raise it here (net.ipv4.tcp_wmem, "
				"and no SO_SNDBUF).",
	[VERDICT_APPLICATION] = "the network waits for the program: look at what the program "
				"does between its writes, not at the network.",
	[VERDICT_SLOW_READER] = "the program here reads more slowly than the data come: look at "
				"what it does between its reads.",
	[VERDICT_RECEIVES]    = "this end only receives: record at the other end, which knows "
				"what limits it.",
	[VERDICT_IDLE]        = "nothing was sent or received.",
	[VERDICT_UNKNOWN]     = "the recording does not have what a verdict needs: two snapshots, "
				"and the times of Linux 4.10 or later.",
};

/* values read from a snapshot; `columns` has their names in the file */
enum value {
	ACKED, SENT, RECEIVED, SEGMENTS, RETRANSMITS, BUSY, RECEIVER, BUFFER, NOT_SENT, WAITING,
	QUEUED, BUFFER_SIZE, UNREAD, WINDOW_HERE, RTT, LEAST_RTT, LOCATION, STATE, VALUES,
};
static const char *const columns[VALUES] = {
	[ACKED]       = "bytes_acked",
	[SENT]        = "snd_max",
	[RECEIVED]    = "bytes_received",
	[SEGMENTS]    = "data_segs_out",
	[RETRANSMITS] = "total_retrans",
	[BUSY]        = "busy_time",
	[RECEIVER]    = "rwnd_limited",
	[BUFFER]      = "sndbuf_limited",
	[NOT_SENT]    = "notsent_bytes",
	[WAITING]     = "snd_sb_cc",
	[QUEUED]      = "wmem_queued",
	[BUFFER_SIZE] = "sb_hiwat",
	[UNREAD]      = "rcv_sb_cc",
	[WINDOW_HERE] = "rcv_wnd",
	[RTT]         = "rtt",
	[LEAST_RTT]   = "min_rtt",
	[LOCATION]    = "location",
	[STATE]       = "state",
};

struct verdict_values {
	int64_t usec;
	struct known_amount v[VALUES];
	/* a periodic snapshot, not one at an event or at the end of the connection */
	bool polled;
};

struct verdict_state {
	const struct capture *c;
	const struct pm_column *column[VALUES];
	/* the recording has a known start: a connection that appears after .first is new */
	bool from_start;
	int64_t first;		/* time of the first snapshot of all connections */

	struct verdict_sums *s;
	struct verdict_values base, last;
	size_t intervals;
	uint64_t position;	/* number of bytes sent so far: snd_max, extended to 64 bits */
	bool fin_came;		/* the connection's state shows that the peer sent its FIN */
	uint64_t acked_syn;	/* 1 if bytes_acked counts our SYN */
	double rtt_sum, unread_sum, room_sum;
	size_t rtt_n;
	/* start of the current stall; 0: no data waits for an acknowledgement */
	int64_t stall;
};

static struct verdict_values verdict_read_snapshot(const struct verdict_state *l, size_t snapshot)
{
	struct verdict_values s = { .usec = 0 };

	capture_time(l->c, snapshot, &s.usec);
	for (int i = 0; i < VALUES; i++)
		s.v[i].known = l->column[i] && capture_value(l->c, snapshot, l->column[i],
							     &s.v[i].n);
	s.polled = !s.v[LOCATION].known || s.v[LOCATION].n == PM_AT_POLL;
	return s;
}

/* Extend the 32-bit snd_max to 64 bits: choose the number nearest to the acknowledged bytes. */
static uint64_t verdict_position(const struct verdict_state *l, const struct verdict_values *s)
{
	uint32_t from = (uint32_t)(s->v[ACKED].known ? s->v[ACKED].n : l->position);
	int64_t ahead = (int32_t)((uint32_t)s->v[SENT].n - from);

	return (s->v[ACKED].known ? s->v[ACKED].n : l->position) + (uint64_t)ahead;
}

/*
 * Extend a counter of 32 bits by counting from the last snapshot. A counter of segments with 1448
 * bytes wraps after 6 TB.
 */
static void verdict_extend(const struct verdict_state *l, struct verdict_values *now, enum value v)
{
	const struct known_amount *last = &l->last.v[v];
	if (last->known && now->v[v].known && l->column[v]->length == 4)
		now->v[v].n = last->n + (uint32_t)(now->v[v].n - last->n);
}

static struct known_amount verdict_difference(const struct verdict_values *from,
					      const struct verdict_values *to, enum value v)
{
	const struct known_amount *a = &from->v[v], *b = &to->v[v];
	bool known = a->known && b->known && b->n >= a->n;
	return (struct known_amount){ known ? b->n - a->n : 0, known };
}

/* largest plausible time in microseconds */
#define BUSY_MAX_US (INT64_MAX / 4)

/*
 * Guess from a snapshot what limits the connection, if the kernel does not report a limit. A
 * program that found the send buffer full can write again only when a third of the buffer is free
 * (sk_stream_write_space()).
 */
static enum limit verdict_waits_for(const struct verdict_values *s)
{
	const struct known_amount *queued = &s->v[QUEUED], *size = &s->v[BUFFER_SIZE];

	if (s->v[NOT_SENT].n > 0)
		return LIMIT_WINDOW;
	return queued->known && size->known && queued->n > size->n / 3 * 2 ? LIMIT_BUFFER :
								   LIMIT_APPLICATION;
}

/*
 * The kernel reports no limit for some periods. Attribute half of such a period to the limit that
 * the snapshot before it suggests, and half to that of the snapshot after it.
 */
static void verdict_add_unexplained(int64_t *limited, const struct verdict_values *from,
				    const struct verdict_values *to, int64_t unexplained)
{
	bool first = from->polled && from->v[NOT_SENT].known;
	bool second = to->polled && to->v[NOT_SENT].known;
	int64_t half = first && second ? unexplained / 2 : first ? unexplained : 0;

	if (first)
		time_add(&limited[verdict_waits_for(from)], half);
	time_add(&limited[second ? verdict_waits_for(to) : LIMIT_WINDOW], unexplained - half);
}

/*
 * Attribute the time between two snapshots to limits. The kernel measures how long there was data
 * to send, and how long the peer's window or the send buffer was full
 * (tcp_get_info_chrono_stats()), but misses some of the time with a full buffer.
 * verdict_add_unexplained() attributes the rest of the time with data. Time without data is
 * attributed to the application.
 */
static void verdict_split_time(struct verdict_state *l, const struct verdict_values *from,
			       const struct verdict_values *to)
{
	struct known_amount busy = verdict_difference(from, to, BUSY);
	struct known_amount receiver = verdict_difference(from, to, RECEIVER);
	struct known_amount buffer = verdict_difference(from, to, BUFFER);
	int64_t *limited = l->s->limited, length = to->usec - from->usec;

	if (!busy.known || !receiver.known || !buffer.known || busy.n > BUSY_MAX_US ||
	    receiver.n > busy.n || buffer.n > busy.n - receiver.n)
		return;
	verdict_add_unexplained(limited, from, to, (int64_t)(busy.n - receiver.n - buffer.n));
	time_add(&limited[LIMIT_RECEIVER], (int64_t)receiver.n);
	time_add(&limited[LIMIT_BUFFER], (int64_t)buffer.n);
	if (length > (int64_t)busy.n)
		time_add(&limited[LIMIT_APPLICATION], length - (int64_t)busy.n);
	l->s->limits_known = true;
}

static void verdict_end_stall(struct verdict_state *l, int64_t until)
{
	int64_t least = l->s->rtt > STALL_USEC / 2. ? (int64_t)(2 * l->s->rtt) : STALL_USEC;

	if (l->stall && until - l->stall >= least) {
		l->s->stalls++;
		time_add(&l->s->stalled, until - l->stall);
	}
	l->stall = 0;
}

/*
 * Follow stalls. A stall ends at the last snapshot without progress, because acknowledgements may
 * have come at any time after this snapshot.
 */
static void verdict_follow_stall(struct verdict_state *l, const struct verdict_values *now)
{
	bool moved = verdict_difference(&l->last, now, ACKED).n > 0, waits = now->v[WAITING].n > 0;

	if (!now->v[ACKED].known || !now->v[WAITING].known)
		return;
	l->s->stalls_known = true;
	if (moved || !waits || !now->polled)
		verdict_end_stall(l, l->last.usec);
	if (waits && now->polled && !l->stall)
		l->stall = now->usec;
}

static void verdict_add_means(struct verdict_state *l, const struct verdict_values *now)
{
	const struct known_amount *v = now->v;

	if (v[RTT].known && v[RTT].n) {
		l->rtt_sum += (double)v[RTT].n;
		l->s->rtt = l->rtt_sum / (double)++l->rtt_n;
	}
	if (v[LEAST_RTT].known && v[LEAST_RTT].n &&
	    (!(l->s->least_rtt > 0) || (double)v[LEAST_RTT].n < l->s->least_rtt))
		l->s->least_rtt = (double)v[LEAST_RTT].n;
	if (now->polled && v[UNREAD].known && v[WINDOW_HERE].known) {
		l->unread_sum += (double)v[UNREAD].n;
		l->room_sum += (double)v[UNREAD].n + (double)v[WINDOW_HERE].n;
	}
}

/*
 * Set the snapshot from which all differences are computed. If the connection is new, its counters
 * started at 0, and it began at least its busy time ago.
 */
static void verdict_set_base(struct verdict_state *l, const struct verdict_values *now)
{
	l->base = *now;
	if (l->from_start && now->usec > l->first) {
		for (int i = 0; i < VALUES; i++)
			l->base.v[i].n = 0;
		if (now->v[BUSY].known && now->v[BUSY].n <= (uint64_t)now->usec)
			l->base.usec -= (int64_t)now->v[BUSY].n;
		l->base.polled = false;
		l->position = 0;
		l->intervals = 1;
		verdict_split_time(l, &l->base, now);
	} else if (now->v[SENT].known) {
		l->base.v[SENT].n = l->position = verdict_position(l, now);
	}
}

static uint64_t verdict_acked_beyond(const struct verdict_state *l, const struct verdict_values *s)
{
	return s->v[ACKED].n > l->position ? s->v[ACKED].n - l->position : 0;
}

/*
 * Add a full snapshot, and attribute the time since the previous full snapshot. Do not pass
 * snapshots of events: they have too few values.
 */
static void verdict_add_snapshot(struct verdict_state *l, struct verdict_values *now, bool first)
{
	verdict_extend(l, now, SEGMENTS);
	verdict_extend(l, now, RETRANSMITS);
	if (first)
		verdict_set_base(l, now);
	else
		verdict_split_time(l, &l->last, now);
	l->intervals += !first;
	if (now->v[SENT].known)
		l->position = verdict_position(l, now);
	if (now->v[STATE].n == SOCKET_ESTABLISHED && verdict_acked_beyond(l, now))
		l->acked_syn = 1;
	verdict_add_means(l, now);
	verdict_follow_stall(l, now);
	l->last = *now;
}

static bool verdict_is_full_snapshot(const struct verdict_values *s)
{
	return s->polled || s->v[LOCATION].n == PM_AT_FINAL;
}

static enum verdict verdict_judge(const struct verdict_state *l)
{
	const struct verdict_sums *s = l->s;
	enum limit most = LIMIT_WINDOW;
	bool lossy;

	if (l->intervals == 0)
		return VERDICT_UNKNOWN;
	if (s->sent.known && s->sent.n == 0 && s->received.known && s->received.n == 0)
		return VERDICT_IDLE;
	if (!s->limits_known)
		return VERDICT_UNKNOWN;
	for (int i = 0; i < LIMITS; i++)
		if (s->limited[i] > s->limited[most])
			most = (enum limit)i;
	switch (most) {
	case LIMIT_RECEIVER:
		return VERDICT_RECEIVER;
	case LIMIT_BUFFER:
		return VERDICT_BUFFER;
	case LIMIT_APPLICATION:
		if (s->received.n <= s->sent.n)
			return VERDICT_APPLICATION;
		return l->unread_sum > l->room_sum / 2 ? VERDICT_SLOW_READER : VERDICT_RECEIVES;
	default:
		lossy = s->retransmits.known &&
			(double)s->retransmits.n > LOSS_SHARE * (double)s->segments.n;
		return lossy ? VERDICT_LOSS : VERDICT_PATH;
	}
}

static bool verdict_is_after_fin(const struct verdict_values *s)
{
	uint64_t state = s->v[STATE].n;
	return state == SOCKET_CLOSE_WAIT || state == SOCKET_LAST_ACK || state == SOCKET_CLOSING;
}

/*
 * Return true if bytes_received of the last snapshot counts the peer's FIN as a byte
 * (tcp_rcv_nxt_update() in the kernel). The FIN came if the connection was in a state that follows
 * a FIN. A closed socket no longer shows this state: its FIN came if exactly one byte is unread,
 * which is the FIN, or if the peer acknowledged our FIN, which it does unless it resets the
 * connection.
 */
static bool verdict_counts_fin(const struct verdict_state *l)
{
	const struct known_amount *v = l->last.v;

	if (l->fin_came || v[STATE].n != SOCKET_CLOSE)
		return l->fin_came;
	if (!v[UNREAD].known || !v[ACKED].known || !v[SENT].known)
		return false;
	return v[UNREAD].n == 1 || (v[UNREAD].n == 0 &&
				    verdict_acked_beyond(l, &l->last) > l->acked_syn);
}

static struct known_amount verdict_received(const struct verdict_state *l)
{
	struct known_amount a = verdict_difference(&l->base, &l->last, RECEIVED);

	if (a.n && verdict_counts_fin(l) && !verdict_is_after_fin(&l->base))
		a.n--;
	return a;
}

static void verdict_finish(struct verdict_state *l)
{
	struct verdict_sums *s = l->s;

	verdict_end_stall(l, l->last.usec);
	s->start = l->base.usec;
	s->usec = l->last.usec - s->start;
	s->received = verdict_received(l);
	s->segments = verdict_difference(&l->base, &l->last, SEGMENTS);
	s->retransmits = verdict_difference(&l->base, &l->last, RETRANSMITS);
	s->sent = (struct known_amount){ l->position - l->base.v[SENT].n,
					 l->base.v[SENT].known && l->last.v[SENT].known };
	s->verdict = verdict_judge(l);
}

static void verdict_of_connection(const struct verdict_state *how, struct verdict_sums *s, size_t i)
{
	struct verdict_state l = *how;
	const struct tcp_connection *n = &l.c->connection[i];
	bool first = true;

	*s = (struct verdict_sums){ .connection = i };
	l.s = s;
	for (size_t k = 0; k < n->n; k++) {
		struct verdict_values now = verdict_read_snapshot(&l,
								  l.c->of_connection[n->first + k]);
		l.fin_came |= verdict_is_after_fin(&now);
		if (!verdict_is_full_snapshot(&now))
			continue;
		verdict_add_snapshot(&l, &now, first);
		first = false;
	}
	if (!first) {
		verdict_finish(&l);
	} else {
		capture_time(l.c, l.c->of_connection[n->first], &s->start);
		s->verdict = VERDICT_UNKNOWN;
	}
}

/*
 * Find the earliest and the latest time. Snapshots may be out of order if the clock was set back.
 */
static void verdicts_find_span(struct verdicts *v, const struct capture *c)
{
	for (size_t i = 0; i < c->n; i++) {
		int64_t t = 0;
		capture_time(c, i, &t);
		if (i == 0 || t < v->first)
			v->first = t;
		if (i == 0 || t > v->last)
			v->last = t;
	}
	if (c->h.start && c->h.start < v->first)
		v->first = c->h.start;
}

void verdicts_of(struct verdicts *v, const struct capture *c)
{
	struct verdict_state l = { .c = c };
	const struct capture_moment *m = c->moment;

	*v = (struct verdicts){ .n = c->n_connections };
	v->p = xrealloc(NULL, v->n * sizeof(*v->p));
	verdicts_find_span(v, c);
	for (int i = 0; i < VALUES; i++)
		l.column[i] = pm_column(&c->h, columns[i]);
	if (c->h.states_start) {
		l.first = c->h.start;
		l.from_start = c->h.start;
	/* older recordings lack the start: use the first snapshot */
	} else if (c->n_moments) {
		l.first = (int64_t)(m->sec * 1000000 + m->usec);
		l.from_start = m->shown == 0 && c->h.states_losses && c->h.lost_snapshots == 0;
	}
	for (size_t i = 0; i < v->n; i++)
		verdict_of_connection(&l, &v->p[i], i);
}

void verdicts_free(struct verdicts *v)
{
	free(v->p);
}

const char *verdict_advice(const struct verdict_sums *s)
{
	return advice[s->verdict];
}

static double ranking_of_retransmits(const struct verdict_sums *s)
{
	return s->retransmits.known ? (double)s->retransmits.n : -1;
}

static double ranking_of_limit(const struct verdict_sums *s, enum limit limit)
{
	bool counts = s->limits_known && s->verdict != VERDICT_IDLE;
	return counts ? (double)s->limited[limit] / 1e6 : -1;
}

static double ranking_of_held(const struct verdict_sums *s)
{
	double v = ranking_of_limit(s, LIMIT_WINDOW);
	return v < 0 ? -1 :
	       v + ranking_of_limit(s, LIMIT_RECEIVER) + ranking_of_limit(s, LIMIT_BUFFER);
}

static double ranking_of_rtt(const struct verdict_sums *s)
{
	return s->rtt > 0 && s->least_rtt > 0 ? s->rtt / s->least_rtt : -1;
}

static double ranking_of_stalls(const struct verdict_sums *s)
{
	return s->stalls_known ? (double)s->stalled / 1e6 : -1;
}

const struct ranking rankings[] = {
	{ "held",        "held up, not by the application", ranking_of_held,     RANKING_SECONDS,
	 0 },
	{ "retransmits", "segments sent again",          ranking_of_retransmits, RANKING_SEGMENTS,
	 0 },
	{ "window",      "limited by congestion window", NULL, RANKING_SECONDS, LIMIT_WINDOW },
	{ "receiver",    "limited by peer's window",     NULL, RANKING_SECONDS, LIMIT_RECEIVER },
	{ "buffer",      "limited by send buffer",       NULL, RANKING_SECONDS, LIMIT_BUFFER },
	{ "application", "limited by application",       NULL, RANKING_SECONDS, LIMIT_APPLICATION },
	{ "rtt",         "round-trip time, of its least", ranking_of_rtt,        RANKING_TIMES, 0 },
	{ "stalls",      "stalled",                      ranking_of_stalls,      RANKING_SECONDS,
	 0 },
};
const size_t n_rankings = ARRAY_SIZE(rankings);

double ranking_value(const struct ranking *by, const struct verdict_sums *s)
{
	return by->value ? by->value(s) : ranking_of_limit(s, by->limit);
}

static int ranking_compare(const void *a, const void *b, void *arg)
{
	const struct ranking *by = arg;
	const struct verdict_sums *x = a, *y = b;
	double v = ranking_value(by, x), w = ranking_value(by, y);

	if (v > w || v < w)
		return v > w ? -1 : 1;
	if (x->sent.n != y->sent.n)
		return x->sent.n > y->sent.n ? -1 : 1;
	return (x->connection > y->connection) - (x->connection < y->connection);
}

void verdicts_sort(struct verdicts *v, const struct ranking *by)
{
	qsort_r(v->p, v->n, sizeof(*v->p), ranking_compare, (void *)(uintptr_t)by);
}
