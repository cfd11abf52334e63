/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - take snapshots of TCP connections: periodically, at their end, and on events */
#include "tcp/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "collectors/job_groups.h"
#include "tcp/tracepoints.h"

/* Return the size of tcp_info in this kernel, in bytes. Any TCP socket shows this size. */
static size_t recorder_tcp_info_size(void)
{
	struct tcp_facts facts;
	socklen_t n = sizeof(facts);
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &facts, &n) == 0 ? n : 0;
}

static bool recorder_has_sack(void)
{
	struct str text;
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = open("/proc/sys/net/ipv4/tcp_sack", O_RDONLY | O_CLOEXEC);
	return fd < 0 || files_read_fd(fd, FILE_RECORDS, &b, &text) < 0 || str_peek(text) != '0';
}

int tcp_recorder_open(struct tcp_recorder *r, const char *path, size_t ring)
{
	int e = sockets_open(&r->dump);
	if (e == -ENOTSUP)
		log_error("built without libmnl, which is needed to list sockets");
	else if (e < 0)
		log_error("sock_diag: %s", strerror(-e));
	if (e < 0)
		return e;

	e = sockets_open_ends(&r->ends);
	if (e < 0)
		log_warning("last values of connections that close are not recorded: %s%s",
			    strerror(-e), e == -EPERM ? " (needs CAP_NET_ADMIN)" : "");
	r->sockstat = open("/proc/net/sockstat", O_RDONLY | O_CLOEXEC);
	snapshots_init(&r->s, recorder_tcp_info_size(), recorder_has_sack());
	e = output_open(&r->out, path, ring);
	if (e < 0)
		log_error("%s: %s", path, strerror(-e));
	return e;
}

void tcp_recorder_close(struct tcp_recorder *r)
{
	sockets_free(r->dump);
	sockets_free(r->ends);
	close_fd(&r->sockstat);
	connections_free(&r->c);
	output_free(&r->out);
	job_groups_free(r->job);
	tracepoints_free(r->events);
	free(r->only.p);
}

/*
 * Read the memory that TCP uses on the whole node, in pages: the last number of "TCP: inuse 5
 * orphan 0 tw 2 alloc 7 mem 3" (net/ipv4/proc.c).
 */
static void recorder_read_clusters(struct tcp_recorder *r)
{
	char bytes[1024];
	ssize_t n = r->sockstat < 0 ? -1 : pread(r->sockstat, bytes, sizeof(bytes), 0);
	struct str text = { bytes, n > 0 ? (size_t)n : 0 }, line, word;

	r->clusters_known = false;
	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("TCP:")))
			continue;
		while (str_take_word(&line, &word))
			if (str_eq(word, STR("mem")))
				r->clusters_known = str_take_u64(&line, &r->clusters);
	}
}

/* Return true if the socket must be recorded. */
static bool recorder_is_wanted(const struct tcp_recorder *r, const struct socket_seen *s)
{
	return s->rport && ports_wanted(&r->only, (struct port_pair){ s->lport, s->rport }) &&
	       (!r->job || job_groups_has(r->job, s));
}

/* Set the sequence number and time of the connection's entry, and write the entry. */
static void recorder_put(struct tcp_recorder *r, struct known_connection *k, enum pm_location at,
			 uint32_t value, int64_t usec)
{
	snapshot_stamp(&r->s, k, at, value, usec);
	output_put(&r->out, k);
}

static void recorder_add_polled(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	if (!recorder_is_wanted(r, s))
		return;
	struct known_connection *k = connections_get(&r->c, s);
	if (k->seen)
		/*
		 * the kernel's list changed during the dump and has the socket twice: skip the
		 * second
		 */
		return;
	k->seen = true;
	snapshot_store_socket(&r->s, k, s);
	if (r->clusters_known)
		snapshot_set(&r->s, k, PM_M_CLUSED, r->clusters);
	recorder_put(r, k, PM_AT_POLL, s->facts.ca_state, r->now);
}

void tcp_recorder_forget(struct tcp_recorder *r)
{
	connections_sweep(&r->c, &r->s);
}

static void recorder_add_end(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	bool is_known = connections_find(&r->c, s->cookie) != NULL;

	if (s->state == SOCKET_LISTEN || (!is_known && !recorder_is_wanted(r, s)))
		return;
	struct known_connection *k = connections_get(&r->c, s);
	if (k->ended)
		return;
	snapshot_store_socket(&r->s, k, s);
	k->ended = true;
	recorder_put(r, k, PM_AT_FINAL, s->facts.total_retrans, r->now);
}

static int recorder_take_ends(struct tcp_recorder *r)
{
	int e = r->ends ? sockets_ends(r->ends, recorder_add_end, r) : 0;
	if (e != -ENOBUFS)
		return e;
	/* reports of closed connections were lost; the kernel does not say how many: count 1 */
	snapshots_lost(&r->s, 1);
	return 0;
}

int tcp_recorder_poll(struct tcp_recorder *r)
{
	r->now = realtime_us();
	recorder_read_clusters(r);
	if (r->job)
		job_groups_look(r->job);
	for (size_t i = 0; i < r->c.n; i++)
		r->c.p[i].seen = false;
	int e = sockets_dump(r->dump, true, recorder_add_polled, r);
	if (e == -EINTR) {	/* the dump lacks some sockets; their number is unknown: count 1 */
		snapshots_lost(&r->s, 1);
		return 0;
	}
	if (e == 0 && r->s.h.start == 0) {
		r->s.h.start = r->now;
		/* record connections that closed before the first complete snapshot */
		e = recorder_take_ends(r);
	}
	return e == 0 ? 1 : e;
}

int tcp_recorder_ends(struct tcp_recorder *r)
{
	r->now = realtime_us();
	return recorder_take_ends(r);
}

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

static void recorder_add_found(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	if (s->state == SOCKET_LISTEN || !s->rport || !recorder_is_wanted(r, s))
		return;
	struct known_connection *k = connections_get(&r->c, s);
	k->seen = true;
	snapshot_store_socket(&r->s, k, s);
}

/*
 * Find the connection of an event; if it is new, look it up in the kernel. Returns NULL for
 * connections of other network namespaces, whose events tracepoints report, too. Do not look up
 * TRACE_PROBE events in the kernel, because other namespaces may cause very many of them.
 */
static struct known_connection *recorder_find_connection(struct tcp_recorder *r,
							 const struct tcp_event *e)
{
	struct port_pair p = { e->sport, e->dport };
	struct known_connection *k;

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
	if (sockets_find(r->dump, &ends, recorder_add_found, r) < 0)
		return NULL;
	return connections_between(&r->c, &r->s, e->laddr, e->raddr, p, e->at);
}

/*
 * Compute the sequence number of the first byte sent, from an event that is newer than the last
 * snapshot. At least as many bytes are acknowledged now as in the snapshot, so the result is right
 * or too large: keep the smallest result.
 */
static void recorder_find_stream_start(const struct snapshots *s, struct known_connection *k,
				       const struct tcp_event *e)
{
	if (e->at <= k->stored_at || s->column[PM_BYTES_ACKED].length == 0)
		return;
	uint64_t acked = snapshot_get(s, k, PM_BYTES_ACKED);
	uint32_t start = e->snd_una - (uint32_t)(acked < k->extra ? 0 : acked - k->extra);
	if (!k->has_start || (int32_t)(start - k->start) < 0)
		k->start = start;
	k->has_start = true;
}

/* Record the congestion window at a received segment, if it has changed since the last entry. */
static void recorder_record_probe(struct tcp_recorder *r, struct known_connection *k,
				  const struct tcp_event *e, int64_t usec)
{
	recorder_find_stream_start(&r->s, k, e);
	if (e->at <= k->stored_at || e->snd_cwnd == k->cwnd)
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
	recorder_put(r, k, PM_AT_CWND, e->snd_cwnd, usec);
}

static void recorder_record_congestion(struct tcp_recorder *r, struct known_connection *k,
				       const struct tcp_event *e, int64_t usec)
{
	if (e->congestion_state != TCP_CA_Recovery && e->congestion_state != TCP_CA_Loss)
		return;
	snapshot_begin(&r->s, k);
	snapshot_set(&r->s, k, PM_CA_STATE, e->congestion_state);
	recorder_put(r, k, e->congestion_state == TCP_CA_Loss ? PM_AT_RTO : PM_AT_LOSS,
		     e->congestion_state, usec);
}

static void recorder_record_retransmit(struct tcp_recorder *r, struct known_connection *k,
				       const struct tcp_event *e, int64_t usec)
{
	(void)e;
	snapshot_begin(&r->s, k);
	recorder_put(r, k, PM_AT_RETRANSMIT, ++k->retransmits, usec);
}

static void recorder_record_state(struct tcp_recorder *r, struct known_connection *k,
				  const struct tcp_event *e, int64_t usec)
{
	snapshot_begin(&r->s, k);
	snapshot_set(&r->s, k, PM_STATE, e->new_state);
	recorder_put(r, k, PM_AT_STATE, e->new_state, usec);
}

static void (*const record_by_kind[TRACE_KINDS])(struct tcp_recorder *r, struct known_connection *k,
						 const struct tcp_event *e, int64_t usec) = {
	[TRACE_PROBE]      = recorder_record_probe,
	[TRACE_CONGESTION] = recorder_record_congestion,
	[TRACE_RETRANSMIT] = recorder_record_retransmit,
	[TRACE_STATE]      = recorder_record_state,
};

static void recorder_record_event(void *arg, const struct tcp_event *e)
{
	struct tcp_recorder *r = arg;
	struct known_connection *k = recorder_find_connection(r, e);
	if (k)
		record_by_kind[e->kind](r, k, e,
					realtime_us() - (monotonic_ns() - e->at) / 1000);
}

void tcp_recorder_events(struct tcp_recorder *r)
{
	if (r->events)
		snapshots_lost(&r->s,
			       (uint32_t)tracepoints_read(r->events, recorder_record_event, r));
}

static void recorder_warn_missed(const char *name, uint64_t counted, uint64_t delivered)
{
	log_warning("events: %s: the kernel delivered %llu of %llu", name,
		    (unsigned long long)delivered, (unsigned long long)counted);
}

void tcp_recorder_last_events(struct tcp_recorder *r)
{
	if (!r->events)
		return;
	tracepoints_stop(r->events);
	tcp_recorder_events(r);
	tracepoints_missed(r->events, recorder_warn_missed);
}
