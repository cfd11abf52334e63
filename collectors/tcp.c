/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp - retransmits, round-trip times and limits of senders, over all TCP connections
 *
 * The sums never decrease: each sample adds what each connection has counted since the last sample.
 * When a connection ends, what it counted since the last sample is lost.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/system/sockets.h"
#include "schema/types/tcp.h"

#define CONNECTIONS_MAX (1u << 20)
/* values of TCP_CA_Recovery and TCP_CA_Loss: include/uapi/linux/tcp.h */
#define RECOVERY 3
#define LOSS 4

struct tcp_counted {
	uint64_t cookie;
	bool seen;
	uint64_t last[TCP_SUMS];
};

/* State between samples. */
struct tcp {
	struct sockets *sockets;
	struct map by_cookie;
	struct tcp_counted *connection;
	size_t n, cap, seen;
	bool shown;			/* this worker has written a row of the connection */
	uint64_t has;			/* mask of the keys that this kernel reports */
	uint64_t value[TCP_KEYS];
};

static void end_tcp(void *state)
{
	struct tcp *t = state;
	sockets_free(t->sockets);
	map_free(&t->by_cookie);
	free(t->connection);
}

static uint64_t tcp_hash(uint64_t cookie)
{
	return map_hash((struct str){ (const char *)&cookie, sizeof(cookie) });
}

static struct tcp_counted *connection_of(struct tcp *t, uint64_t cookie)
{
	uint64_t hash = tcp_hash(cookie);

	for (struct map_slot *at = NULL; (at = map_next(&t->by_cookie, hash, at)); )
		if (t->connection[at->value.n].cookie == cookie)
			return &t->connection[at->value.n];
	if (t->n == CONNECTIONS_MAX)
		return NULL;
	t->connection = vec_reserve(t->connection, &t->cap, t->n + 1, sizeof(*t->connection));
	map_add(&t->by_cookie, hash, (union map_value){ .n = t->n });
	t->connection[t->n] = (struct tcp_counted){ .cookie = cookie };
	return &t->connection[t->n++];
}

#define AT(key, field) \
	{ key, offsetof(struct tcp_facts, field), sizeof(((struct tcp_facts *)0)->field) }
static const struct {
	enum tcp_key key;
	size_t at, size;
} sums[] = {
	AT(TCP_RETRANS,        total_retrans),
	AT(TCP_BYTES_RETRANS,  bytes_retrans),
	AT(TCP_BYTES_ACKED,    bytes_acked),
	AT(TCP_BYTES_RECEIVED, bytes_received),
	AT(TCP_BUSY,           busy_time),
	AT(TCP_RWND_LIMITED,   rwnd_limited),
	AT(TCP_SNDBUF_LIMITED, sndbuf_limited),
	AT(TCP_DELIVERED_CE,   delivered_ce),
	AT(TCP_RTO,            total_rto),
};

static uint64_t read_sum(const unsigned char *from, size_t size)
{
	uint16_t narrow;
	uint32_t usual;
	uint64_t wide;

	if (size == sizeof(narrow))
		return memcpy(&narrow, from, sizeof(narrow)), narrow;
	if (size == sizeof(usual))
		return memcpy(&usual, from, sizeof(usual)), usual;
	return memcpy(&wide, from, sizeof(wide)), wide;
}

static void tcp_read_sums(struct tcp *t, const struct socket_seen *s, uint64_t sum[TCP_SUMS])
{
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		if (sums[i].at + sums[i].size > s->facts_n)
			continue;
		sum[sums[i].key] = read_sum((const unsigned char *)&s->facts + sums[i].at,
					    sums[i].size);
		t->has |= (uint64_t)1 << sums[i].key;
	}
	uint64_t others = sum[TCP_RWND_LIMITED] + sum[TCP_SNDBUF_LIMITED];
	sum[TCP_CWND_LIMITED] = sum[TCP_BUSY] > others ? sum[TCP_BUSY] - others : 0;
	t->has |= (t->has >> TCP_BUSY & 1) << TCP_CWND_LIMITED;
}

static enum tcp_key range_of(uint32_t usec)
{
	static const uint32_t ends[] = { 100, 1000, 10000, 100000, 1000000 };
	size_t i = 0;
	while (i < ARRAY_SIZE(ends) && usec >= ends[i])
		i++;
	return TCP_RTT_100US + (enum tcp_key)i;
}

static void tcp_add_gauges(struct tcp *t, const struct socket_seen *s)
{
	if (s->state != SOCKET_ESTABLISHED)
		return;
	t->value[TCP_CONNECTIONS]++;
	t->value[TCP_RECOVERY] += s->facts.ca_state == RECOVERY;
	t->value[TCP_LOSS] += s->facts.ca_state == LOSS;
	t->value[TCP_APP_LIMITED] += s->facts.app_limited & 1;
	t->value[TCP_SND_QUEUE] += s->wqueue;
	t->value[TCP_RCV_QUEUE] += s->rqueue;
	t->value[range_of(s->facts.rtt)]++;
}

static void tcp_add_connection(void *arg, const struct socket_seen *s)
{
	struct tcp *t = arg;
	uint64_t sum[TCP_SUMS] = { 0 };
	struct tcp_counted *c = connection_of(t, s->cookie);

	if (!c || c->seen)
		return;
	c->seen = true;
	t->seen++;
	tcp_read_sums(t, s, sum);
	for (size_t i = 0; i < TCP_SUMS; i++) {
		if (sum[i] > c->last[i])
			t->value[i] += sum[i] - c->last[i];
		c->last[i] = sum[i];
	}
	tcp_add_gauges(t, s);
}

/* Remove the connections that have ended. */
static void sweep(struct tcp *t)
{
	size_t n = 0;
	bool gone = t->seen < t->n;

	for (size_t i = 0; i < t->n; i++)
		if (t->connection[i].seen)
			t->connection[n++] = t->connection[i];
	t->n = n;
	if (!gone)
		return;
	map_clear(&t->by_cookie);
	for (size_t i = 0; i < t->n; i++)
		map_add(&t->by_cookie, tcp_hash(t->connection[i].cookie),
			(union map_value){ .n = i });
}

/*
 * Read all connections. If the kernel's list is incomplete, remove no connection, because a
 * connection that was removed by mistake would be counted again as new.
 */
static int tcp_dump(struct tcp *t)
{
	t->seen = 0;
	for (size_t i = 0; i < t->n; i++)
		t->connection[i].seen = false;
	memset(t->value + TCP_SUMS, 0, sizeof(t->value) - TCP_SUMS * sizeof(t->value[0]));
	int r = sockets_dump(t->sockets, false, tcp_add_connection, t);
	if (r == 0)
		sweep(t);
	return r;
}

static int tcp_open(struct source *s, struct tcp *t)
{
	int r = sockets_open(&t->sockets);
	if (r == 0) {
		s->end_state = end_tcp;
		for (size_t i = TCP_SUMS; i < TCP_KEYS; i++)
			t->has |= (uint64_t)1 << i;
	}
	return r;
}

static int tcp_collect(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "a captured tree has no sockets");
	struct tcp *t = source_state(s, sizeof(*t));
	int r = t->sockets ? 0 : tcp_open(s, t);
	if (r == -ENOTSUP)
		return source_absent(s, "built without libmnl");
	if (r == -EPROTONOSUPPORT)
		return source_absent(s, "this kernel has no sock_diag (CONFIG_INET_DIAG)");
	if (r == 0)
		r = tcp_dump(t);
	if (r == -ENOENT)
		return source_absent(s, "this kernel cannot list TCP sockets (module tcp_diag)");
	if (r < 0)
		return r;

	struct row row = rows_add(&s->rows, STR("-"));
	if (!t->shown)
		/* the sums start at 0 in each process */
		rows_reopened(&s->rows);
	t->shown = true;
	for (size_t i = 0; i < TCP_KEYS; i++)
		if (t->has >> i & 1)
			row_set(row, i, t->value[i]);
	return 0;
}

const struct collector tcp_collector = {
	.type    = &tcp_type,
	.collect = tcp_collect,
};
