/* SPDX-License-Identifier: BSD-3-Clause */
/* events.c - snapshots of connections at what happens to them, by tracepoints */
#include "tracers/tcp/events.h"

#include <netinet/tcp.h>
#include "base/clock.h"
#include "base/log.h"
#include "tracers/tcp/tracepoints.h"

int tcp_recorder_open_events(struct tcp_recorder *r)
{
	char why[TRACEPOINTS_WHY];
	int e = tracepoints_open(&r->events, &r->only, why);

	if (e < 0)
		log_error("events: %s", why);
	else if (why[0])
		log_warning("events: %s", why);
	return e;
}

static void take_found(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	if (s->state == SOCKET_LISTEN || !s->rport || !tcp_recorder_wants(r, s))
		return;
	struct known *k = connections_get(&r->c, s);
	k->seen = true;
	snapshot_take(&r->s, k, s);
}

/*
 * The connection that it is of, in this network namespace; or NULL. Tracepoints are those of all
 * namespaces: of segments that are received for others there may be very many, so that for these
 * the kernel is not asked.
 */
static struct known *find(struct tcp_recorder *r, const struct tcp_event *e)
{
	struct ports p = { e->sport, e->dport };
	struct known *k;

	if (e->kind == TRACE_PROBE)
		return e->cookie ? connections_find(&r->c, e->cookie) :
				   connections_between(&r->c, &r->s, e->laddr, e->raddr, p, e->at);
	k = connections_between(&r->c, &r->s, e->laddr, e->raddr, p, e->at);
	if (k || !p.local || !p.remote || !ports_wanted(&r->only, p) ||
	    (e->kind == TRACE_STATE && e->new_state != SOCKET_ESTABLISHED))
		return k;
	struct socket_ends ends = { (uint8_t)e->family, p.local, p.remote };
	memcpy(ends.laddr, e->laddr, 16);
	memcpy(ends.raddr, e->raddr, 16);
	if (sockets_find(r->dump, &ends, take_found, r) < 0)
		return NULL;
	return connections_between(&r->c, &r->s, e->laddr, e->raddr, p, e->at);
}

/*
 * Finds where the stream starts. The bytes acknowledged at the last snapshot, which this event came
 * after, are at most those acknowledged now: of the starts that follow from such pairs the smallest
 * is right.
 */
static void look_for_start(const struct snapshots *s, struct known *k, const struct tcp_event *e)
{
	if (e->at <= k->taken || s->column[PM_BYTES_ACKED].length == 0)
		return;
	uint64_t acked = snapshot_get(s, k, PM_BYTES_ACKED);
	uint32_t start = e->snd_una - (uint32_t)(acked < k->extra ? 0 : acked - k->extra);
	if (!k->has_start || (int32_t)(start - k->start) < 0)
		k->start = start;
	k->has_start = true;
}

/* A segment came: the congestion window of before, if it is another than that of the last entry. */
static void take_probe(struct tcp_recorder *r, struct known *k, const struct tcp_event *e,
		       int64_t usec)
{
	look_for_start(&r->s, k, e);
	if (e->at <= k->taken || e->snd_cwnd == k->cwnd)
		return;
	uint64_t cwnd = (uint64_t)e->snd_cwnd * snapshot_get(&r->s, k, PM_SND_MSS);
	snapshot_begin(&r->s, k);
	snapshot_set(&r->s, k, PM_SND_CWND, cwnd);
	snapshot_set(&r->s, k, PM_SND_CWND_BYTES, cwnd);
	snapshot_set(&r->s, k, PM_SND_SSTHRESH, e->ssthresh);
	snapshot_set(&r->s, k, PM_SND_WND, e->snd_wnd);
	snapshot_set(&r->s, k, PM_RCV_WND, e->rcv_wnd);
	snapshot_set(&r->s, k, PM_RTT, e->srtt);
	if (k->has_start)
		snapshot_set(&r->s, k, PM_SND_MAX, (uint32_t)(e->snd_nxt - k->start));
	k->cwnd = e->snd_cwnd;
	tcp_recorder_put(r, k, PM_AT_CWND, e->snd_cwnd, usec);
}

static void take_congestion(struct tcp_recorder *r, struct known *k, const struct tcp_event *e,
			    int64_t usec)
{
	if (e->congestion_state != TCP_CA_Recovery && e->congestion_state != TCP_CA_Loss)
		return;
	snapshot_begin(&r->s, k);
	snapshot_set(&r->s, k, PM_CA_STATE, e->congestion_state);
	tcp_recorder_put(r, k, e->congestion_state == TCP_CA_Loss ? PM_AT_RTO : PM_AT_LOSS,
			 e->congestion_state, usec);
}

static void take_retransmit(struct tcp_recorder *r, struct known *k, const struct tcp_event *e,
			    int64_t usec)
{
	(void)e;
	snapshot_begin(&r->s, k);
	tcp_recorder_put(r, k, PM_AT_RETRANSMIT, ++k->retransmits, usec);
}

static void take_state(struct tcp_recorder *r, struct known *k, const struct tcp_event *e,
		       int64_t usec)
{
	snapshot_begin(&r->s, k);
	snapshot_set(&r->s, k, PM_STATE, e->new_state);
	tcp_recorder_put(r, k, PM_AT_STATE, e->new_state, usec);
}

static void (*const takes[TRACE_KINDS])(struct tcp_recorder *r, struct known *k,
					const struct tcp_event *e, int64_t usec) = {
	[TRACE_PROBE]      = take_probe,
	[TRACE_CONGESTION] = take_congestion,
	[TRACE_RETRANSMIT] = take_retransmit,
	[TRACE_STATE]      = take_state,
};

static void take_event(void *arg, const struct tcp_event *e)
{
	struct tcp_recorder *r = arg;
	struct known *k = find(r, e);
	if (k)
		takes[e->kind](r, k, e, realtime_us() - (monotonic_ns() - e->at) / 1000);
}

void tcp_recorder_events(struct tcp_recorder *r)
{
	if (r->events)
		snapshots_lost(&r->s, (uint32_t)tracepoints_take(r->events, take_event, r));
}

static void say_missed(const char *name, uint64_t counted, uint64_t taken)
{
	log_warning("events: %s: the kernel has passed on %llu of %llu", name,
		    (unsigned long long)taken, (unsigned long long)counted);
}

void tcp_recorder_last_events(struct tcp_recorder *r)
{
	if (!r->events)
		return;
	tracepoints_stop(r->events);
	tcp_recorder_events(r);
	tracepoints_missed(r->events, say_missed);
}
