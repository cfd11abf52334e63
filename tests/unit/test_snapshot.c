/* SPDX-License-Identifier: BSD-3-Clause */
/* test_snapshot.c - store a socket's values in an entry of a .pm file, as far as they are known */
#include "tests/unit/test.h"

#include <stdio.h>
#include <sys/mman.h>
#include "base/files.h"
#include "tcp/connections.h"
#include "tcp/output.h"
#include "tcp/snapshot.h"

#define MSS 1000

static struct snapshots s;
static struct known_connection k;
static struct socket_seen seen;

/* Begin each test with a connection that has sent 3000 bytes, all of them acknowledged. */
static int set_up(void **state)
{
	(void)state;
	snapshots_init(&s, sizeof(struct tcp_facts), true);
	k = (struct known_connection){ .cookie = 1 };
	seen = (struct socket_seen){
		.lport = 1055, .rport = 5050, .cookie = 1, .facts_n = sizeof(seen.facts),
		.facts = { .snd_mss = MSS, .snd_cwnd = 10, .bytes_sent = 3000,
			   .bytes_acked = 3000 },
	};
	return 0;
}

static uint64_t stored(enum pm_place place)
{
	snapshot_store_socket(&s, &k, &seen);
	return snapshot_get(&s, &k, place);
}

static bool is_valid(enum pm_place place)
{
	return snapshot_get(&s, &k, PM_VALID) >> place & 1;
}

TEST(a_socket_is_stored_with_its_identity_and_values)
{
	static const uint16_t one = 1;
	bool little = *(const unsigned char *)&one == 1;
	static const struct {
		enum pm_place place;
		uint64_t want;
	} values[] = {
		{ PM_LPORT, 1055 }, { PM_RPORT, 5050 }, { PM_COOKIE, 1 }, { PM_FAMILY, 10 },
		{ PM_STATE, SOCKET_CLOSE_WAIT }, { PM_SND_SB_CC, 70 }, { PM_RCV_SB_CC, 80 },
		{ PM_CA_STATE, 3 }, { PM_RTT, 900 }, { PM_BYTES_RECEIVED, 5ull << 32 },
	};
	seen.family = 10;
	seen.state = SOCKET_CLOSE_WAIT;
	seen.wqueue = 70;
	seen.rqueue = 80;
	seen.laddr[15] = 7;
	seen.raddr[15] = 8;
	seen.facts.ca_state = 3;
	seen.facts.rtt = 900;
	seen.facts.bytes_received = 5ull << 32;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		assert_int_equal(stored(values[i].place), values[i].want);
		assert_true(is_valid(values[i].place));
	}
	assert_int_equal(k.entry[s.column[PM_LADDR].offset + 15], 7);
	assert_int_equal(k.entry[s.column[PM_RADDR].offset + 15], 8);
	assert_int_equal(s.h.endian, little ? PM_LITTLE_ENDIAN : PM_BIG_ENDIAN);
}

TEST(sequence_numbers_wrap_and_other_values_saturate)
{
	const uint64_t sent = (5ull << 32) + 20000;
	seen.facts.bytes_sent = sent;
	seen.facts.bytes_acked = sent - 10 * MSS;
	seen.facts.unacked = 10;
	seen.facts.sacked = 2;
	seen.facts.lost = 1;
	seen.facts.snd_cwnd = 5000000;
	assert_int_equal(stored(PM_SND_MAX), 20000);
	assert_int_equal(stored(PM_SND_FACK), 20000 - 7 * MSS);
	assert_int_equal(stored(PM_SND_CWND), UINT32_MAX);
	assert_int_equal(stored(PM_BYTES_ACKED), sent - 10 * MSS);
}

TEST(forward_acknowledgement_stays_within_the_sent_bytes)
{
	seen.facts.bytes_acked = 2000;
	seen.facts.unacked = 1;
	seen.facts.sacked = 3;
	assert_int_equal(stored(PM_SND_FACK), 3000);
}

TEST(syn_and_fin_are_no_data)
{
	for (uint8_t extra = 0; extra <= 2; extra++) {
		seen.facts.bytes_sent = 3000;
		seen.facts.bytes_acked = 3000 + extra;
		seen.facts.unacked = 0;
		assert_int_equal(stored(PM_SND_MAX), 3000);
		assert_int_equal(stored(PM_SND_FACK), 3000);
		/*
		 * while data is in flight, the number of extra bytes (SYN, FIN) stays as last seen
		 */
		seen.facts.bytes_sent = 5000;
		seen.facts.unacked = 2;
		assert_int_equal(stored(PM_SND_MAX), 5000);
		assert_int_equal(stored(PM_SND_FACK), 3000);
	}
	/* three extra bytes cannot be SYN and FIN */
	seen.facts.bytes_acked = seen.facts.bytes_sent + 3;
	seen.facts.unacked = 0;
	stored(PM_SND_MAX);
	assert_int_equal(k.extra, 2);
}

TEST(retransmitted_bytes_are_sent_once)
{
	seen.facts.bytes_sent = 4000;
	seen.facts.bytes_retrans = 1000;
	assert_int_equal(stored(PM_SND_MAX), 3000);
}

/*
 * Before Linux 4.19, the number of bytes sent follows from the segments in flight; before 4.1, the
 * number is unknown.
 */
TEST(older_kernels_have_fewer_columns)
{
	seen.facts_n = offsetof(struct tcp_facts, delivered);
	snapshots_init(&s, seen.facts_n, false);
	seen.facts.unacked = 2;
	assert_int_equal(stored(PM_SND_MAX), 3000 + 2 * MSS);
	assert_int_equal(s.column[PM_BYTES_RETRANS].length, 0);
	assert_false(is_valid(PM_BYTES_RETRANS) || is_valid(PM_RCV_WND));
	assert_true(is_valid(PM_BYTES_ACKED) && is_valid(PM_SNDBUF_LIMITED));
	assert_int_equal(s.h.mods, PM_RENO);

	k = (struct known_connection){ .cookie = 1 };
	seen.facts_n = offsetof(struct tcp_facts, bytes_acked);
	snapshots_init(&s, seen.facts_n, true);
	assert_int_equal(stored(PM_BYTES_ACKED), 0);
	assert_false(is_valid(PM_BYTES_ACKED) || is_valid(PM_SND_MAX) || is_valid(PM_SND_FACK));
	assert_true(is_valid(PM_SND_CWND));
}

TEST(newest_of_connections_with_the_same_ports_is_found)
{
	struct connections c = { 0 };
	const struct port_pair p = { 1055, 5050 };
	for (uint64_t i = 1; i <= 200; i++) {
		seen.cookie = i;
		snapshot_store_socket(&s, connections_get(&c, &seen), &seen);
		const struct known_connection *found = connections_between(
			&c, &s, seen.laddr, seen.raddr, p, INT64_MAX);
		assert_non_null(found);
		assert_int_equal(found->cookie, i);
	}
	connections_free(&c);
}

/*
 * The kernel removes a connection from its tables before it reports the connection's last state, so
 * one sweep without the connection is not enough.
 */
TEST(connection_is_forgotten_after_two_sweeps_without_it)
{
	struct connections c = { 0 };
	for (int i = 0; i < 2; i++) {
		struct known_connection *one = connections_get(&c, &seen);
		snapshot_store_socket(&s, one, &seen);
		one->seen = true;
		connections_sweep(&c, &s);
		connections_sweep(&c, &s);
		assert_non_null(connections_find(&c, seen.cookie));
	}
	connections_sweep(&c, &s);
	assert_null(connections_find(&c, seen.cookie));
	connections_free(&c);
}

/*
 * The header states the start of the recording until the ring drops a snapshot, because the first
 * snapshot of a connection may be missing from then on.
 */
TEST(start_is_stated_until_the_ring_loses_a_snapshot)
{
	enum { RING = 3 };
	const int64_t start = 1700000000000000;
	char path[64];
	int fd CLEANUP(close_fd) = memfd_create("ring", MFD_CLOEXEC);
	struct output o CLEANUP(output_free);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(output_open(&o, path, RING), 0);
	s.h.start = start;
	for (size_t n = 1; n <= RING + 1; n++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		struct pm_header h = { 0 };
		struct pm_fault fault;
		struct str text;
		output_put(&o, &k);
		assert_int_equal(output_dump(&o, &s), 0);
		assert_int_equal(files_read_fd(fd, FILE_TO_END, &b, &text), 0);
		assert_int_equal(pm_read_header(text, &h, &fault), 0);
		assert_int_equal(h.start, n > RING ? 0 : start);
		assert_int_equal(text.n - h.bytes, (n > RING ? RING : n) * PM_ENTRY_SIZE);
		pm_header_free(&h);
	}
}

TEST(memory_of_the_buffers_is_valid_only_if_it_is_known)
{
	seen.sndbuf = 87040;
	assert_int_equal(stored(PM_SB_HIWAT), 0);
	assert_false(is_valid(PM_SB_HIWAT));
	seen.has_memory = true;
	assert_int_equal(stored(PM_SB_HIWAT), 87040);
	assert_true(is_valid(PM_SB_HIWAT) && is_valid(PM_WMEM_QUEUED));
	seen.has_memory = false;
	stored(PM_SB_HIWAT);
	assert_false(is_valid(PM_SB_HIWAT) || is_valid(PM_WMEM_QUEUED));
}

TEST(an_event_keeps_only_the_identity_valid)
{
	stored(PM_SND_CWND);
	snapshot_begin(&s, &k);
	assert_false(is_valid(PM_SND_CWND) || is_valid(PM_STATE) || is_valid(PM_TIME));
	assert_true(is_valid(PM_LPORT) && is_valid(PM_RADDR) && is_valid(PM_COOKIE));
	assert_int_equal(snapshot_get(&s, &k, PM_LPORT), 1055);
	snapshot_set(&s, &k, PM_SND_CWND, 7);
	assert_true(is_valid(PM_SND_CWND));
}

TEST(entries_are_numbered_with_a_gap_for_losses)
{
	uint64_t sec, usec;
	snapshot_stamp(&s, &k, PM_AT_STATE, 1, 0);
	snapshots_lost(&s, 3);
	snapshot_stamp(&s, &k, PM_AT_STATE, 7, 1700000000000000 + 5);
	assert_int_equal(snapshot_get(&s, &k, PM_SEQ_NO), 4);
	assert_int_equal(snapshot_get(&s, &k, PM_CALLVALUE), 7);
	assert_int_equal(snapshot_get(&s, &k, PM_LOCATION), PM_AT_STATE);
	assert_int_equal(s.h.lost_snapshots, 3);
	pm_take_time(&s.h, &s.column[PM_TIME], k.entry, &sec, &usec);
	assert_int_equal(sec, 1700000000);
	assert_int_equal(usec, 5);
	assert_true(is_valid(PM_TIME));
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	RUN(CASE(a_socket_is_stored_with_its_identity_and_values),
	    CASE(sequence_numbers_wrap_and_other_values_saturate),
	    CASE(forward_acknowledgement_stays_within_the_sent_bytes),
	    CASE(syn_and_fin_are_no_data), CASE(retransmitted_bytes_are_sent_once),
	    CASE(older_kernels_have_fewer_columns),
	    CASE(memory_of_the_buffers_is_valid_only_if_it_is_known),
	    CASE(newest_of_connections_with_the_same_ports_is_found),
	    CASE(connection_is_forgotten_after_two_sweeps_without_it),
	    CASE(start_is_stated_until_the_ring_loses_a_snapshot),
	    CASE(an_event_keeps_only_the_identity_valid),
	    CASE(entries_are_numbered_with_a_gap_for_losses));
}
