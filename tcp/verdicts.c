/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.c - what each connection of a recording did, what it waited for, and what to do */
#include "tracers/tcp/verdicts.h"

#include <stdlib.h>
#include "base/clock.h"

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
				"losses: use the path's full speed by more connections, or look "
				"who else uses it.",
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

/* Values of a snapshot that are looked at. */
enum value {
	ACKED, SENT, RECEIVED, SEGMENTS, RETRANSMITS, BUSY, RECEIVER, BUFFER, NOT_SENT, WAITING,
	QUEUED, BUFFER_SIZE, UNREAD, WINDOW_HERE, RTT, LEAST_RTT, LOCATION, VALUES,
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
};

struct seen {
	int64_t usec;
	struct amount v[VALUES];
	bool polled;		/* taken while the connection went on, not after its end */
};

struct looking {
	const struct capture *c;
	const struct pm_column *column[VALUES];
	int64_t first;		/* moment of the file */
	bool from_start;	/* a connection that is not in the first moment is new */

	struct verdict_sums *s;
	struct seen base, last;
	size_t intervals;
	uint64_t position;	/* of the stream sent, in 64 bits */
	double rtt_sum, unread_sum, room_sum;
	size_t rtt_n;
	int64_t stall;		/* since when nothing was acknowledged; 0: no data wait */
};

static struct seen look(const struct looking *l, size_t snapshot)
{
	struct seen s = { .usec = 0 };

	capture_time(l->c, snapshot, &s.usec);
	for (int i = 0; i < VALUES; i++)
		s.v[i].known = l->column[i] && capture_value(l->c, snapshot, l->column[i],
							     &s.v[i].n);
	s.polled = !s.v[LOCATION].known || s.v[LOCATION].n == PM_AT_POLL;
	return s;
}

/* snd_max has 32 bits: of the numbers that end in these, that nearest to what is acknowledged. */
static uint64_t position(const struct looking *l, const struct seen *s)
{
	uint32_t from = (uint32_t)(s->v[ACKED].known ? s->v[ACKED].n : l->position);
	int64_t ahead = (int32_t)((uint32_t)s->v[SENT].n - from);

	return (s->v[ACKED].known ? s->v[ACKED].n : l->position) + (uint64_t)ahead;
}

static struct amount grown(const struct seen *from, const struct seen *to, enum value v)
{
	const struct amount *a = &from->v[v], *b = &to->v[v];
	bool known = a->known && b->known && b->n >= a->n;
	return (struct amount){ known ? b->n - a->n : 0, known };
}

#define BUSY_MAX (INT64_MAX / 4)	/* microseconds; more is none that a kernel counts */

/*
 * Finds what a connection with data that is not acknowledged waits for, beside what the kernel
 * counts. A program that found the buffer full may write again when a third of it is free
 * (sk_stream_write_space()).
 */
static enum limit waits_for(const struct seen *s)
{
	const struct amount *queued = &s->v[QUEUED], *size = &s->v[BUFFER_SIZE];

	if (s->v[NOT_SENT].n > 0)
		return LIMIT_WINDOW;
	return queued->known && size->known && queued->n > size->n / 3 * 2 ? LIMIT_BUFFER :
								   LIMIT_APPLICATION;
}

/* Adds a time, by halves where both snapshots around it know what it was spent on. */
static void add_rest(int64_t *limited, const struct seen *from, const struct seen *to,
		     int64_t rest)
{
	bool first = from->polled && from->v[NOT_SENT].known;
	bool second = to->polled && to->v[NOT_SENT].known;
	int64_t half = first && second ? rest / 2 : first ? rest : 0;

	if (first)
		time_add(&limited[waits_for(from)], half);
	time_add(&limited[second ? waits_for(to) : LIMIT_WINDOW], rest - half);
}

/*
 * Splits the time between two snapshots. The kernel counts the time with data to send, and what
 * of it the peer's window and the send buffer took (tcp_get_info_chrono_stats()); of the latter it
 * misses some. Both snapshots show what the rest was spent on. Without data to send the
 * application is what all waits for.
 */
static void split(struct looking *l, const struct seen *from, const struct seen *to)
{
	struct amount busy = grown(from, to, BUSY), receiver = grown(from, to, RECEIVER),
		      buffer = grown(from, to, BUFFER);
	int64_t *limited = l->s->limited, length = to->usec - from->usec;

	if (!busy.known || !receiver.known || !buffer.known || busy.n > BUSY_MAX ||
	    receiver.n > busy.n || buffer.n > busy.n - receiver.n)
		return;
	add_rest(limited, from, to, (int64_t)(busy.n - receiver.n - buffer.n));
	time_add(&limited[LIMIT_RECEIVER], (int64_t)receiver.n);
	time_add(&limited[LIMIT_BUFFER], (int64_t)buffer.n);
	if (length > (int64_t)busy.n)
		time_add(&limited[LIMIT_APPLICATION], length - (int64_t)busy.n);
	l->s->limits_known = true;
}

static void end_stall(struct looking *l, int64_t until)
{
	int64_t least = l->s->rtt > STALL_USEC / 2. ? (int64_t)(2 * l->s->rtt) : STALL_USEC;

	if (l->stall && until - l->stall >= least) {
		l->s->stalls++;
		time_add(&l->s->stalled, until - l->stall);
	}
	l->stall = 0;
}

/* A stall ends before the snapshot that shows progress: only what came earlier is sure to be it. */
static void take_stall(struct looking *l, const struct seen *now)
{
	bool moved = grown(&l->last, now, ACKED).n > 0, waits = now->v[WAITING].n > 0;

	if (!now->v[ACKED].known || !now->v[WAITING].known)
		return;
	l->s->stalls_known = true;
	if (moved || !waits || !now->polled)
		end_stall(l, l->last.usec);
	if (waits && now->polled && !l->stall)
		l->stall = now->usec;
}

static void take_means(struct looking *l, const struct seen *now)
{
	const struct amount *v = now->v;

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

/* A connection that began during the recording counted from 0; it began this late, or earlier. */
static void begin(struct looking *l, const struct seen *now)
{
	l->base = *now;
	if (l->from_start && now->usec > l->first && now->v[BUSY].known &&
	    now->v[BUSY].n <= (uint64_t)now->usec) {
		for (int i = 0; i < VALUES; i++)
			l->base.v[i].n = 0;
		l->base.usec -= (int64_t)now->v[BUSY].n;
		l->base.polled = false;
		l->position = 0;
		l->intervals = 1;
		split(l, &l->base, now);
	} else if (now->v[SENT].known) {
		l->base.v[SENT].n = l->position = position(l, now);
	}
}

/* A snapshot of an event has few values: the time between two that have them is looked at. */
static void take(struct looking *l, const struct seen *now, bool first)
{
	if (first)
		begin(l, now);
	else
		split(l, &l->last, now);
	l->intervals += !first;
	if (now->v[SENT].known)
		l->position = position(l, now);
	take_means(l, now);
	take_stall(l, now);
	l->last = *now;
}

static bool is_whole(const struct seen *s)
{
	return s->polled || s->v[LOCATION].n == PM_AT_FINAL;
}

static enum verdict judge(const struct looking *l)
{
	const struct verdict_sums *s = l->s;
	enum limit most = LIMIT_WINDOW;
	bool lossy;

	if (l->intervals == 0)
		return VERDICT_UNKNOWN;
	if (s->sent.known && s->sent.n == 0 && s->received.n == 0)
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

static void finish(struct looking *l)
{
	struct verdict_sums *s = l->s;

	end_stall(l, l->last.usec);
	s->start = l->base.usec;
	s->usec = l->last.usec - s->start;
	s->received = grown(&l->base, &l->last, RECEIVED);
	s->segments = grown(&l->base, &l->last, SEGMENTS);
	s->retransmits = grown(&l->base, &l->last, RETRANSMITS);
	s->sent = (struct amount){ l->position - l->base.v[SENT].n,
				   l->base.v[SENT].known && l->last.v[SENT].known };
	s->verdict = judge(l);
}

static void of_connection(const struct looking *how, struct verdict_sums *s, size_t i)
{
	struct looking l = *how;
	const struct connection *n = &l.c->connection[i];
	bool first = true;

	*s = (struct verdict_sums){ .connection = i };
	l.s = s;
	for (size_t k = 0; k < n->n; k++) {
		struct seen now = look(&l, l.c->of_connection[n->first + k]);
		if (!is_whole(&now))
			continue;
		take(&l, &now, first);
		first = false;
	}
	if (!first) {
		finish(&l);
	} else {
		capture_time(l.c, l.c->of_connection[n->first], &s->start);
		s->verdict = VERDICT_UNKNOWN;
	}
}

/* Snapshots are sorted by number; a clock that was set back is no reason for a negative time. */
static void find_span(struct verdicts *v, const struct capture *c)
{
	for (size_t i = 0; i < c->n; i++) {
		int64_t t = 0;
		capture_time(c, i, &t);
		if (i == 0 || t < v->first)
			v->first = t;
		if (i == 0 || t > v->last)
			v->last = t;
	}
}

void verdicts_of(struct verdicts *v, const struct capture *c)
{
	struct looking l = { .c = c };
	const struct moment *m = c->moment;

	*v = (struct verdicts){ .n = c->n_connections };
	v->p = xrealloc(NULL, v->n * sizeof(*v->p));
	find_span(v, c);
	for (int i = 0; i < VALUES; i++)
		l.column[i] = pm_column(&c->h, columns[i]);
	l.first = c->n_moments ? (int64_t)(m->sec * 1000000 + m->usec) : 0;
	l.from_start = c->n_moments && m->shown == 0 && c->h.states_losses &&
		       c->h.lost_snapshots == 0;
	for (size_t i = 0; i < v->n; i++)
		of_connection(&l, &v->p[i], i);
}

void verdicts_free(struct verdicts *v)
{
	free(v->p);
}

const char *verdict_advice(const struct verdict_sums *s)
{
	return advice[s->verdict];
}

static double of_retransmits(const struct verdict_sums *s)
{
	return s->retransmits.known ? (double)s->retransmits.n : -1;
}

static double of_limit(const struct verdict_sums *s, enum limit limit)
{
	bool counts = s->limits_known && s->verdict != VERDICT_IDLE;
	return counts ? (double)s->limited[limit] / 1e6 : -1;
}

static double of_held(const struct verdict_sums *s)
{
	double v = of_limit(s, LIMIT_WINDOW);
	return v < 0 ? -1 : v + of_limit(s, LIMIT_RECEIVER) + of_limit(s, LIMIT_BUFFER);
}

static double of_rtt(const struct verdict_sums *s)
{
	return s->rtt > 0 && s->least_rtt > 0 ? s->rtt / s->least_rtt : -1;
}

static double of_stalls(const struct verdict_sums *s)
{
	return s->stalls_known ? (double)s->stalled / 1e6 : -1;
}

const struct ranking rankings[] = {
	{ "held",        "held up, not by the application", of_held,     RANKING_SECONDS, 0 },
	{ "retransmits", "segments sent again",          of_retransmits, RANKING_SEGMENTS, 0 },
	{ "window",      "limited by congestion window", NULL, RANKING_SECONDS, LIMIT_WINDOW },
	{ "receiver",    "limited by peer's window",     NULL, RANKING_SECONDS, LIMIT_RECEIVER },
	{ "buffer",      "limited by send buffer",       NULL, RANKING_SECONDS, LIMIT_BUFFER },
	{ "application", "limited by application",       NULL, RANKING_SECONDS, LIMIT_APPLICATION },
	{ "rtt",         "round-trip time, of its least", of_rtt,        RANKING_TIMES, 0 },
	{ "stalls",      "stalled",                      of_stalls,      RANKING_SECONDS, 0 },
};
const size_t n_rankings = ARRAY_SIZE(rankings);

double ranking_value(const struct ranking *by, const struct verdict_sums *s)
{
	return by->value ? by->value(s) : of_limit(s, by->limit);
}

static int worse(const void *a, const void *b, void *arg)
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
	qsort_r(v->p, v->n, sizeof(*v->p), worse, (void *)(uintptr_t)by);
}
