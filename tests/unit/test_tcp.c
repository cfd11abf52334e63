/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tcp.c - keep sums over TCP connections from decreasing when connections come and go */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include "base/system/sockets.h"
#include "collectors/collector.h"
#include "schema/types/tcp.h"

/* The connections of the next dump, and its result. */
static struct socket_seen seen[3];
static size_t n_seen;
static int result;

int __wrap_sockets_open(struct sockets **ret);
int __wrap_sockets_open(struct sockets **ret)
{
	*ret = (struct sockets *)seen;
	return 0;
}

void __wrap_sockets_free(struct sockets *s);
void __wrap_sockets_free(struct sockets *s)
{
	(void)s;
}

int __wrap_sockets_dump(struct sockets *s, bool memory,
			void (*take)(void *arg, const struct socket_seen *s), void *arg);
int __wrap_sockets_dump(struct sockets *s, bool memory,
			void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	(void)s;
	(void)memory;
	for (size_t i = 0; i < n_seen; i++)
		take(arg, &seen[i]);
	return result;
}

struct node {
	struct source s;
	const struct collector *c;
};

static void node_make(struct node *n)
{
	n->c = collector_find("tcp");
	assert_non_null(n->c);
	source_init(&n->s, &(struct files){ .rootfd = -1 }, n->c->type->metrics,
		    n->c->type->n_metrics);
	n_seen = 0;
	result = 0;
}

static void node_free(struct node *n)
{
	source_free(&n->s);
}

static void add(uint64_t cookie, uint64_t acked, uint64_t busy)
{
	seen[n_seen++] = (struct socket_seen){
		.cookie = cookie, .state = SOCKET_ESTABLISHED, .facts_n = sizeof(seen[0].facts),
		.facts = { .bytes_acked = acked, .busy_time = busy },
	};
}

static const uint64_t *dump(struct node *n)
{
	source_clear(&n->s);
	assert_int_equal(n->c->collect(&n->s), 0);
	n_seen = 0;
	return rows_values(&n->s.rows, 0);
}

static bool has(struct node *n, size_t key)
{
	return rows_present(&n->s.rows, 0)[key / 64] >> key % 64 & 1;
}

TEST(sums_keep_what_an_ended_connection_counted)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	add(1, 100, 0);
	add(2, 1000, 0);
	assert_int_equal(dump(&n)[TCP_BYTES_ACKED], 1100);
	add(1, 110, 0);
	const uint64_t *v = dump(&n);
	assert_int_equal(v[TCP_BYTES_ACKED], 1110);
	assert_int_equal(v[TCP_CONNECTIONS], 1);
	/* cookie 2 counts as another connection, because the first one with it was forgotten */
	add(2, 5, 0);
	add(1, 110, 0);
	assert_int_equal(dump(&n)[TCP_BYTES_ACKED], 1115);
}

TEST(a_connection_that_is_listed_twice_counts_once)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	add(1, 100, 0);
	add(1, 100, 0);
	const uint64_t *v = dump(&n);
	assert_int_equal(v[TCP_BYTES_ACKED], 100);
	assert_int_equal(v[TCP_CONNECTIONS], 1);
}

TEST(an_incomplete_dump_forgets_no_connection)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	add(1, 100, 0);
	add(2, 1000, 0);
	dump(&n);
	add(1, 100, 0);
	result = -EINTR;
	source_clear(&n.s);
	assert_int_equal(n.c->collect(&n.s), -EINTR);
	result = 0;
	n_seen = 0;
	add(1, 100, 0);
	add(2, 1001, 0);
	assert_int_equal(dump(&n)[TCP_BYTES_ACKED], 1101);
}

TEST(a_kernel_that_cannot_list_sockets_has_no_row_of_zeros)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	result = -ENOENT;
	assert_int_equal(n.c->collect(&n.s), -ENOENT);
	assert_int_equal(n.s.rows.n, 0);
	assert_non_null(strstr(n.s.why, "tcp_diag"));
}

TEST(time_without_another_limit_is_of_the_congestion_window)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	add(1, 0, 100);
	seen[0].facts.rwnd_limited = 30;
	seen[0].facts.sndbuf_limited = 20;
	add(2, 0, 10);
	/*
	 * the kernel reads one counter after the other, so a limited time may exceed the busy time
	 */
	seen[1].facts.rwnd_limited = 30;
	const uint64_t *v = dump(&n);
	assert_int_equal(v[TCP_BUSY], 110);
	assert_int_equal(v[TCP_CWND_LIMITED], 50);
}

TEST(a_key_that_the_kernel_does_not_fill_is_missing)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	add(1, 100, 7);
	seen[0].facts_n = offsetof(struct tcp_facts, busy_time) + 7;
	dump(&n);
	assert_true(has(&n, TCP_BYTES_ACKED) && has(&n, TCP_CONNECTIONS));
	assert_false(has(&n, TCP_BUSY) || has(&n, TCP_CWND_LIMITED) || has(&n, TCP_RTO));
}

TEST(only_established_connections_have_a_state_and_a_round_trip_time)
{
	static const struct {
		uint32_t usec;
		size_t key;
	} times[] = {
		{ 99, TCP_RTT_100US }, { 100, TCP_RTT_100US + 1 }, { 999, TCP_RTT_100US + 1 },
		{ 1000, TCP_RTT_100US + 2 }, { 999999, TCP_RTT_100US + 4 },
		{ 1000000, TCP_RTT_100US + 5 },
	};
	struct node n CLEANUP(node_free);
	node_make(&n);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		add(1, 0, 0);
		seen[0].facts.rtt = times[i].usec;
		add(2, 0, 0);
		seen[1].state = SOCKET_CLOSE_WAIT;
		const uint64_t *v = dump(&n);
		assert_int_equal(v[TCP_CONNECTIONS], 1);
		assert_int_equal(v[times[i].key], 1);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(sums_keep_what_an_ended_connection_counted),
	    cmocka_unit_test(a_connection_that_is_listed_twice_counts_once),
	    cmocka_unit_test(an_incomplete_dump_forgets_no_connection),
	    cmocka_unit_test(a_kernel_that_cannot_list_sockets_has_no_row_of_zeros),
	    cmocka_unit_test(time_without_another_limit_is_of_the_congestion_window),
	    cmocka_unit_test(a_key_that_the_kernel_does_not_fill_is_missing),
	    cmocka_unit_test(only_established_connections_have_a_state_and_a_round_trip_time));
}
