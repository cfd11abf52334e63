/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_many_servers.c - assign datagrams to servers behind relays, after restarts and in large
 * numbers
 */
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/input/address_map.h"
#include "xrootd/input/net_list.h"

/* A relay forwards datagrams of two servers that were started in the same second. */
TEST(fingerprints_distinguish_servers_behind_one_socket)
{
	static const struct {
		const char *name, *user;
	} servers[] = {
		{ "=/x.5:1@one\n&port=1094&pgm=xrootd&ver=v5.5.3", "xroot/alice.1:1@[::1]" },
		{ "=/x.6:2@two\n&port=1095&pgm=xrootd&ver=v5.5.3", "xroot/bob.2:2@[::1]" },
	};
	struct bench *b = bench_new(1 << 20);
	for (uint8_t k = 0; k < 2; k++)
		for (uint64_t i = 0; i < 2; i++) {
			const struct xrd_packet p = {
				.code = 'f', .seq = k, .start = START, .has_sid = true,
				.sid = i + 1, .begin = 100, .end = 110 };
			struct buf d = { 0 };
			b->seq = (uint8_t)(2 * k);
			hand(b, map(b, '=', 0, servers[i].name));
			hand(b, map(b, 'u', 7, servers[i].user));
			xrd_begin(&d, &p);
			xrd_put(&d, &p, k ? &closed : &opened);
			assert_int_equal(xrd_end(&d, &p), 0);
			hand(b, d);
		}
	assert_int_equal(b->n, 2);
	assert_int_equal(xrd_join_servers(b->join)->n, 2);
	expect(b, "\"server_hostname\":\"one\",\"server_instance\":null,"
		  "\"server_port\":\"1094\",\"server_start\":1000,\"site\":null,"
		  "\"user\":\"alice\"");
	expect(b, "\"server_hostname\":\"two\",\"server_instance\":null,"
		  "\"server_port\":\"1095\",\"server_start\":1000,\"site\":null,"
		  "\"user\":\"bob\"");
	bench_free(b);
}

TEST(restart_ends_files_of_the_same_server_only)
{
	static const struct {
		const char *first, *second;
		size_t n;
	} cases[] = {
		{ "=/x.5:1@h\n&port=1&ver=v5.5.3", "=/x.6:1@h\n&port=1&ver=v5.5.3", 1 },
		{ "=/x.5:1@h\n&port=1&ver=v5.5.3", "=/x.6:2@h\n&port=2&ver=v5.5.3", 0 },
		/*
		 * Before version 5.1, the server id is pid << 16 | port. The cases have pids 5 and
		 * 6, first both with port 1094, then with ports 1094 and 1095.
		 */
		{ "=/x.5:328774@h\n&ver=v5.0.3", "=/x.6:394310@h\n&ver=v5.0.3", 1 },
		{ "=/x.5:328774@h\n&ver=v5.0.3", "=/x.6:394311@h\n&ver=v5.0.3", 0 },
		{ "=/x\n&ver=v5.5.3", "=/x\n&ver=v5.5.3", 1 },	/* no id: compare the sockets */
	};
	const struct xrd_record r = { .kind = XRD_OPEN, .id = 8, .size = 5 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *b = bench_new(1 << 20);
		hand(b, map(b, '=', 0, cases[i].first));
		struct buf d = { 0 };
		const struct xrd_packet p = { .code = 'f', .start = START, .begin = 1, .end = 2 };
		xrd_begin(&d, &p);
		xrd_put(&d, &p, &r);
		assert_int_equal(xrd_end(&d, &p), 0);
		hand(b, d);
		b->start += 500;
		hand(b, map(b, '=', 0, cases[i].second));
		wait_for(b, XRD_WAIT / MS);
		assert_int_equal(b->n, cases[i].n);
		assert_int_equal(was_reported(b, "\"ended_by\":\"restart\""), cases[i].n);
		bench_free(b);
	}
}

/*
 * In this test, the f-stream has no server id. A user's map record has the id of its server
 * (log_in) or the user's own id. Only a server's id can show a restart.
 */
TEST(server_id_of_a_map_record_shows_a_restart)
{
	for (unsigned own = 0; own < 2; own++) {
		struct bench *b = bench_new(1 << 20);
		b->sid = 0;
		if (own)
			hand(b, map(b, 'u', 7, "xroot/alice.77:99@[::1]\n&p=gsi"));
		else
			log_in(b);
		hand_f(b, opened);
		if (own)
			identify(b);
		b->start += 1000;
		b->seq = b->f_seq = 0;
		identify(b);
		wait_for(b, XRD_WAIT / MS);
		assert_int_equal(b->n, 1);
		expect(b, "\"ended_by\":\"restart\"");
		bench_free(b);
	}
}

/* Two dCache servers send the same user id: no restart. */
TEST(user_of_two_servers_is_not_a_restart)
{
	struct bench *b = bench_new(1 << 20);
	b->sid = 0;
	log_in(b);
	hand_f(b, opened);
	b->start += 1000;
	b->from.port++;
	b->seq = b->f_seq = 0;
	log_in(b);
	hand_f(b, opened);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 0);
	bench_free(b);
}

TEST(unknown_server_is_dropped_before_others)
{
	struct bench *b = bench_new(64 << 10);
	struct xrd_record r = opened;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	b->from.address.s6_addr[15] = 2;
	for (unsigned i = 0; i < XRD_SERVERS_MAX + 500; i++) {
		b->start++;
		b->from.port = (uint16_t)i;
		r.id = 100 + i;
		hand_f(b, r);
	}
	assert_false(was_reported(b, "#::1#"));
	b->from = (struct xrd_source){ .port = 1234, .address.s6_addr[15] = 1 };
	b->start = START;
	b->f_seq = 1;
	hand_f(b, closed);
	expect(b, "\"serverID\":\"1000#::1#1234\"");
	expect(b, "\"complete\":true");
	bench_free(b);
}

/* Send an open record from each of n servers at address ::`last`, started in different seconds. */
static void send_from_servers(struct bench *b, uint8_t last, unsigned n)
{
	struct xrd_record r = opened;
	b->from.address.s6_addr[15] = last;
	for (unsigned i = 0; i < n; i++) {
		b->start++;
		b->now += MS;
		r.id = b->start;
		hand_f(b, r);
	}
}

/*
 * Once the servers of address ::2 are forgotten, ::3 has the most servers. So servers of ::3 are
 * evicted, and the server of ::1 is kept.
 */
TEST(an_address_counts_only_the_servers_that_it_has_now)
{
	struct bench *b = bench_new(64 << 20);
	send_from_servers(b, 2, XRD_SERVERS_MAX);
	b->from.address.s6_addr[15] = 1;
	b->f_seq = 0;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	const uint32_t start = b->start;
	send_from_servers(b, 3, XRD_SERVERS_MAX + 500);
	assert_false(was_reported(b, "#::1#"));
	b->from.address.s6_addr[15] = 1;
	b->start = start;
	b->f_seq = 1;
	hand_f(b, closed);
	expect(b, "#::1#1234\"");
	expect(b, "\"complete\":true");
	bench_free(b);
}

/* Open a file at the only server of address 2000::n. */
static void open_at(struct bench *b, unsigned n)
{
	struct xrd_record r = opened;
	b->from.address = (struct in6_addr){
		.s6_addr = { 0x20, [14] = (uint8_t)(n >> 8), (uint8_t)n },
	};
	wait_for(b, 1);
	r.id = 100 + n;
	hand_f(b, r);
}

static bool is_known(const struct bench *b, unsigned n)
{
	const struct xrd_servers *all = xrd_join_servers(b->join);
	for (size_t i = 0; i < all->n; i++) {
		const uint8_t *a = all->server[i]->source.address.s6_addr;
		if (a[14] << 8 == (int)(n & 0xff00) && a[15] == (n & 0xff))
			return true;
	}
	return false;
}

TEST(the_server_that_was_silent_longest_is_dropped_first)
{
	struct bench *b = bench_new(64 << 20);
	for (unsigned i = 1; i <= XRD_SERVERS_MAX; i++)
		open_at(b, i);
	open_at(b, 1);
	assert_true(is_known(b, 2));
	open_at(b, XRD_SERVERS_MAX + 1);
	assert_false(is_known(b, 2));
	assert_true(is_known(b, 3));
	open_at(b, XRD_SERVERS_MAX + 2);
	assert_false(is_known(b, 3));
	assert_true(is_known(b, 1));
	assert_true(is_known(b, XRD_SERVERS_MAX + 1));
	bench_free(b);
}

TEST(networks_may_be_ipv4_or_ipv6)
{
	struct net_list l = { .n = 0 };
	struct in6_addr a = { .s6_addr = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 130 } };
	assert_int_equal(net_list_add(&l, "192.0.2.128/25,2001:db8::/32"), 0);
	assert_true(net_list_has(&l, &a));
	a.s6_addr[15] = 127;
	assert_false(net_list_has(&l, &a));
	a = (struct in6_addr){ .s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };
	assert_true(net_list_has(&l, &a));
	a.s6_addr[3] = 0xb9;
	assert_false(net_list_has(&l, &a));
	static const char *const bad[] = { "", "host", "192.0.2.1/33", "::/129", "192.0.2.1/x",
					   "192.0.2.1,", "1.2.3.4/" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(net_list_add(&l, bad[i]), -EINVAL);
	for (size_t i = l.n; i < NETS_MAX; i++)
		assert_int_equal(net_list_add(&l, "::/0"), 0);
	assert_int_equal(net_list_add(&l, "::/0"), -E2BIG);
}

TEST(translated_addresses_become_names_or_addresses)
{
	static struct address_map m;
	struct xrd_source a = { { .s6_addr = { [10] = 0xff, [11] = 0xff, 10, 42, 7, 9 } }, 5,
				NULL };
	struct xrd_source b = a, other = a;
	assert_int_equal(address_map_add(&m, "10.42.7.0/24,10.42.8.1=origin.example.org"), 0);
	assert_int_equal(address_map_add(&m, "10.42.0.0/16=[2001:db8::5]"), 0);
	b.address.s6_addr[14] = 8;
	b.address.s6_addr[15] = 1;
	other.address.s6_addr[14] = 9;
	address_map_apply(&m, &a);
	address_map_apply(&m, &b);
	address_map_apply(&m, &other);
	assert_string_equal(a.name, "origin.example.org");
	assert_int_equal(a.port, 5);
	assert_string_equal(b.name, a.name);
	assert_memory_equal(&a.address, &b.address, sizeof(a.address));	/* b is a's server */
	assert_null(other.name);
	assert_int_equal(other.address.s6_addr[0], 0x20);
	assert_int_equal(other.address.s6_addr[15], 5);
	other = (struct xrd_source){ .port = 6, .address.s6_addr[15] = 1, .name = "relayed" };
	address_map_apply(&m, &other);
	assert_string_equal(other.name, "relayed");
	assert_int_equal(other.address.s6_addr[15], 1);
	static const char *const bad[] = { "", "=", "10.0.0.1", "10.0.0.1=", "10.0.0.1=a b",
					   "host=a", "10.0.0.1/33=a", "=a", "10.0.0.1=1.2.3" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(address_map_add(&m, bad[i]), -EINVAL);
}

int main(void)
{
	RUN(cmocka_unit_test(fingerprints_distinguish_servers_behind_one_socket),
	    cmocka_unit_test(restart_ends_files_of_the_same_server_only),
	    cmocka_unit_test(server_id_of_a_map_record_shows_a_restart),
	    cmocka_unit_test(user_of_two_servers_is_not_a_restart),
	    cmocka_unit_test(unknown_server_is_dropped_before_others),
	    cmocka_unit_test(an_address_counts_only_the_servers_that_it_has_now),
	    cmocka_unit_test(the_server_that_was_silent_longest_is_dropped_first),
	    cmocka_unit_test(networks_may_be_ipv4_or_ipv6),
	    cmocka_unit_test(translated_addresses_become_names_or_addresses));
}
