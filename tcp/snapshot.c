/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.c - convert the values of a socket into an entry of a .pm file */
#include "tcp/snapshot.h"

#include <string.h>
#include <unistd.h>
#include "base/clock.h"

/* table row of a column that stores a field of tcp_info */
#define FACT(place, field) \
	{ place, offsetof(struct tcp_facts, field), sizeof(((struct tcp_facts *)0)->field) }
static const struct {
	enum pm_place place;
	size_t at, size;
} facts[] = {
	FACT(PM_CA_STATE,       ca_state),
	FACT(PM_SND_MSS,        snd_mss),
	FACT(PM_RTT,            rtt),
	FACT(PM_RTTVAR,         rttvar),
	FACT(PM_MIN_RTT,        min_rtt),
	FACT(PM_SND_SSTHRESH,   snd_ssthresh),
	FACT(PM_RCV_WND,        rcv_wnd),
	FACT(PM_SND_WND,        snd_wnd),
	FACT(PM_TOTAL_RETRANS,  total_retrans),
	FACT(PM_DELIVERY_RATE,  delivery_rate),
	FACT(PM_BYTES_ACKED,    bytes_acked),
	FACT(PM_BYTES_RECEIVED, bytes_received),
	FACT(PM_BYTES_RETRANS,  bytes_retrans),
	FACT(PM_NOTSENT_BYTES,  notsent_bytes),
	FACT(PM_DATA_SEGS_OUT,  data_segs_out),
	FACT(PM_BUSY_TIME,      busy_time),
	FACT(PM_RWND_LIMITED,   rwnd_limited),
	FACT(PM_SNDBUF_LIMITED, sndbuf_limited),
};

void snapshots_init(struct snapshots *s, size_t facts_n, bool sack)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < PM_KNOWN; i++)
		s->column[i] = pm_known[i].column;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (facts[i].at + facts[i].size > facts_n)
			s->column[facts[i].place].length = s->column[facts[i].place].offset = 0;
	s->h = (struct pm_header){
		.mods = sack ? PM_SACK | PM_FACK : PM_RENO, .version = "nodom1",
		.entry_size = PM_ENTRY_SIZE, .cluster = (uint32_t)sysconf(_SC_PAGESIZE),
		.endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? PM_BIG_ENDIAN : PM_LITTLE_ENDIAN,
		.column = s->column, .n_columns = PM_KNOWN,
		.states_losses = true, .states_start = true,
	};
}

void snapshots_lost(struct snapshots *s, uint32_t n)
{
	s->seq += n;
	s->h.lost_snapshots += n;
}

static void snapshot_store(const struct snapshots *s, struct known_connection *k,
			   enum pm_place place, uint64_t value)
{
	pm_set(&s->h, &s->column[place], k->entry, value);
}

uint64_t snapshot_get(const struct snapshots *s, const struct known_connection *k,
		      enum pm_place place)
{
	uint64_t v = 0;
	if (s->column[place].length)
		pm_take(&s->h, &s->column[place], k->entry, &v);
	return v;
}

void snapshot_set(const struct snapshots *s, struct known_connection *k, enum pm_place place,
		  uint64_t value)
{
	if (s->column[place].length == 0)
		return;
	if (s->column[place].length == 4 && place != PM_SND_MAX && place != PM_SND_FACK &&
	    value > UINT32_MAX)
		value = UINT32_MAX;
	snapshot_store(s, k, place, value);
	if (pm_is_known(&s->column[place], value))
		snapshot_store(s, k, PM_VALID, snapshot_get(s, k, PM_VALID) | (uint64_t)1 << place);
}

void snapshot_begin(const struct snapshots *s, struct known_connection *k)
{
	static const enum pm_place always[] = { PM_LPORT, PM_RPORT, PM_LADDR, PM_RADDR, PM_FAMILY,
						PM_COOKIE, PM_VALID };
	uint64_t bits = 0;
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		bits |= (uint64_t)1 << always[i];
	snapshot_store(s, k, PM_VALID, bits);
}

static uint64_t snapshot_read_field(const struct tcp_facts *f, size_t at, size_t size)
{
	uint64_t wide;
	uint32_t v;
	if (size == 8)
		return memcpy(&wide, (const char *)f + at, 8), wide;
	if (size == 4)
		return memcpy(&v, (const char *)f + at, 4), v;
	return ((const unsigned char *)f)[at];
}

/*
 * Set the sequence numbers, relative to the first byte sent. The kernel's bytes_acked also counts
 * our SYN and FIN: k->extra is how many of them it includes, computed while all data is
 * acknowledged.
 */
static void snapshot_set_sequence(const struct snapshots *s, struct known_connection *k,
				  const struct socket_seen *n)
{
	const struct tcp_facts *f = &n->facts;
	uint64_t flying = (uint64_t)f->unacked * f->snd_mss, sent;

	if (!SOCKET_HAS(n, bytes_acked))
		return;
	if (SOCKET_HAS(n, bytes_retrans)) {
		sent = f->bytes_sent - f->bytes_retrans;
		if (f->unacked == 0 && f->bytes_acked >= sent && f->bytes_acked - sent <= 2)
			k->extra = (uint8_t)(f->bytes_acked - sent);
	} else {
		sent = f->bytes_acked - k->extra + flying;
	}
	uint64_t acked = f->bytes_acked - (f->bytes_acked < k->extra ? 0 : k->extra);
	uint64_t fack = acked + (uint64_t)(f->sacked + f->lost) * f->snd_mss;
	snapshot_set(s, k, PM_SND_MAX, sent);
	snapshot_set(s, k, PM_SND_FACK, fack < sent ? fack : sent);
}

static void snapshot_set_facts(const struct snapshots *s, struct known_connection *k,
			       const struct socket_seen *n)
{
	const struct tcp_facts *f = &n->facts;
	uint64_t cwnd = (uint64_t)f->snd_cwnd * f->snd_mss;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (facts[i].at + facts[i].size <= n->facts_n)
			snapshot_set(s, k, facts[i].place,
				     snapshot_read_field(f, facts[i].at, facts[i].size));
	snapshot_set(s, k, PM_SND_CWND, cwnd);
	snapshot_set(s, k, PM_SND_CWND_BYTES, cwnd);
	k->cwnd = f->snd_cwnd;
	snapshot_set_sequence(s, k, n);
}

void snapshot_store_socket(const struct snapshots *s, struct known_connection *k,
			   const struct socket_seen *n)
{
	snapshot_begin(s, k);
	k->stored_at = monotonic_ns();
	k->ports = (struct port_pair){ n->lport, n->rport };
	k->cookie = n->cookie;
	snapshot_store(s, k, PM_LPORT, n->lport);
	snapshot_store(s, k, PM_RPORT, n->rport);
	memcpy(k->entry + s->column[PM_LADDR].offset, n->laddr, 16);
	memcpy(k->entry + s->column[PM_RADDR].offset, n->raddr, 16);
	snapshot_store(s, k, PM_FAMILY, n->family);
	snapshot_store(s, k, PM_COOKIE, n->cookie);
	snapshot_set(s, k, PM_STATE, n->state);
	snapshot_set(s, k, PM_SND_SB_CC, n->wqueue);
	snapshot_set(s, k, PM_RCV_SB_CC, n->rqueue);
	if (n->has_memory) {
		snapshot_set(s, k, PM_SB_HIWAT, n->sndbuf);
		snapshot_set(s, k, PM_WMEM_QUEUED, n->wmem_queued);
	}
	snapshot_set_facts(s, k, n);
}

void snapshot_stamp(struct snapshots *s, struct known_connection *k, enum pm_location at,
		    uint32_t value, int64_t usec)
{
	snapshot_set(s, k, PM_SEQ_NO, s->seq++);
	snapshot_set(s, k, PM_CALLVALUE, value);
	snapshot_set(s, k, PM_LOCATION, at);
	pm_set_time(&s->h, &s->column[PM_TIME], k->entry, (uint64_t)(usec / 1000000),
		    (uint64_t)(usec % 1000000));
	snapshot_store(s, k, PM_VALID, snapshot_get(s, k, PM_VALID) | 1u << PM_TIME);
}
