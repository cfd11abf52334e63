/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_bounds.c - bound the memory and the output that senders can cause in the receiver */
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"

TEST(memory_is_bounded_and_evicted_accesses_are_reported)
{
	struct bench *b = bench_new(64 << 10);
	struct xrd_record r = opened;
	identify(b);
	log_in(b);
	for (r.id = 100; r.id < 2100; r.id++)
		hand_f(b, r);
	assert_true(b->n > 1000);
	assert_true(xrd_join_counts(b->join)->evicted >= b->n);
	expect(b, "\"missing\":[\"close\"");
	expect(b, "\"ended_by\":\"evicted\"");
	bench_free(b);
}

static void count_told(void *arg, const struct xrd_transfer *t)
{
	if (!t->unwritten)
		on_transfer(arg, t);
}

/*
 * Sending 1,000 opens takes 16 KB, but reporting them would take 2 MB, or more with a long user
 * name.
 */
TEST(output_for_a_sender_is_bounded_by_its_input_and_a_quota)
{
	struct bench *b = bench_new(1 << 20);
	const struct xrd_listener to = { count_told, NULL, b };
	struct xrd_record r[1000];
	char name[20000] = "";
	size_t sent = 0;
	xrd_join_free(b->join);
	b->join = xrd_join_new(&to, 256 << 10);
	memset(name, 'n', sizeof(name) - 1);
	memcpy(name, USER "\n&p=gsi&n=", sizeof(USER "\n&p=gsi&n=") - 1);
	for (uint32_t n = 0; n < 100; n++) {
		struct buf login = map(b, 'u', 7, name);
		sent += login.n;
		hand(b, login);
		for (size_t i = 0; i < ARRAY_SIZE(r); i++)
			r[i] = (struct xrd_record){ .kind = XRD_OPEN, .flags = XRD_HAS_LFN,
						    .id = n * 1000 + (uint32_t)i,
						    .user = n % 2 ? 7 : 0, .text = STR("/f") };
		struct buf d = f_stream(b, r, ARRAY_SIZE(r));
		sent += d.n;
		hand(b, d);
	}
	const struct xrd_join_counts *c = xrd_join_counts(b->join);
	assert_true(b->n > 100);
	assert_true(c->unwritten > 90000);
	assert_int_equal(c->transfers, b->n + c->unwritten);
	assert_in_range(b->out.n, 1, HOLDER_ALLOWANCE + sent);
	bench_free(b);
}

TEST(the_number_of_servers_is_bounded)
{
	struct bench *b = bench_new(1 << 20);
	for (unsigned i = 0; i < XRD_SERVERS_MAX + 50; i++) {
		b->start++;
		identify(b);
	}
	assert_int_equal(xrd_join_servers(b->join)->n, XRD_SERVERS_MAX);
	assert_int_equal(xrd_join_servers(b->join)->evicted, 50);
	bench_free(b);
}

int main(void)
{
	RUN(cmocka_unit_test(memory_is_bounded_and_evicted_accesses_are_reported),
	    cmocka_unit_test(output_for_a_sender_is_bounded_by_its_input_and_a_quota),
	    cmocka_unit_test(the_number_of_servers_is_bounded));
}
