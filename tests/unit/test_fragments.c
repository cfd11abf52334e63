/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fragments.c - reassemble packets whose fragments are out of order, truncated, lost or too
 * many
 */
#include "tests/unit/tree.h"

#include "xrootd/input/fragments.h"

static char text[4096];

static struct ip_packet piece(uint32_t id, size_t offset, size_t size, bool more)
{
	return (struct ip_packet){ .id = id, .protocol = 17, .offset = offset, .more = more,
				   .size = size, .data = { text + offset, size } };
}

static bool add(struct fragments *f, uint32_t id, size_t offset, size_t size, bool more,
		int64_t now)
{
	struct ip_packet p = piece(id, offset, size, more);
	return fragments_add(f, &p, now);
}

static struct fragments *fragments_new(void)
{
	struct fragments *f = xrealloc(NULL, sizeof(*f));
	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i / 8 + i % 7);
	return f;
}

TEST(fragments_in_any_order_make_the_packet)
{
	static const size_t orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	struct fragments *f = fragments_new();
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		for (size_t k = 0; k < 3; k++) {
			size_t n = orders[i][k];
			struct ip_packet p = piece(7, n * 64, n == 2 ? 13 : 64, n < 2);
			assert_int_equal(fragments_add(f, &p, 0), k == 2);
			if (k < 2)
				continue;
			assert_int_equal(p.size, 141);
			assert_int_equal(p.offset, 0);
			assert_false(p.more);
			assert_text(p.data, (struct str){ text, 141 });
		}
	fragments_free(f);
	assert_int_equal(f->given_up, 0);
	free(f);
}

TEST(repeated_fragment_counts_once)
{
	struct fragments *f = fragments_new();
	assert_false(add(f, 7, 0, 64, true, 0));
	assert_false(add(f, 7, 0, 64, true, 0));
	assert_false(add(f, 7, 128, 8, false, 0));
	assert_true(add(f, 7, 64, 64, true, 0));
	fragments_free(f);
	free(f);
}

TEST(invalid_fragment_is_ignored)
{
	struct fragments *f = fragments_new();
	assert_false(add(f, 7, 0, 0, true, 0));
	assert_false(add(f, 7, 0, 63, true, 0));		/* not a multiple of 8 */
	struct ip_packet p = piece(7, 0, 8, false);
	p.offset = FRAGMENTS_MAX - 7;
	assert_false(fragments_add(f, &p, 0));
	fragments_free(f);
	assert_int_equal(f->given_up, 0);
	free(f);
}

TEST(incomplete_packet_is_kept_for_half_a_minute)
{
	struct fragments *f = fragments_new();
	assert_false(add(f, 7, 0, 64, true, 1000));
	assert_true(add(f, 7, 64, 8, false, 1000 + FRAGMENTS_WAIT));
	assert_false(add(f, 8, 0, 64, true, 1000));
	assert_false(add(f, 8, 64, 8, false, 1001 + FRAGMENTS_WAIT));
	assert_int_equal(f->given_up, 1);
	fragments_free(f);
	assert_int_equal(f->given_up, 2);
	free(f);
}

/* If too many packets are incomplete, the oldest packet is dropped. */
TEST(oldest_packet_is_dropped)
{
	struct fragments *f = fragments_new();
	for (uint32_t id = 0; id <= FRAGMENTED_MAX; id++)
		assert_false(add(f, id, 0, 64, true, 10 * (int64_t)(id == 5 ? 0 : id + 1)));
	assert_int_equal(f->given_up, 1);
	for (uint32_t id = FRAGMENTED_MAX; id > 5; id--)
		assert_true(add(f, id, 64, 8, false, 1000));
	assert_false(add(f, 5, 64, 8, false, 1000));
	for (uint32_t id = 0; id < 5; id++)
		assert_true(add(f, id, 64, 8, false, 1000));
	fragments_free(f);
	free(f);
}

TEST(packets_of_other_hosts_and_protocols_are_separate)
{
	struct fragments *f = fragments_new();
	struct ip_packet first = piece(7, 0, 64, true);
	assert_false(fragments_add(f, &first, 0));
	for (int i = 0; i < 4; i++) {
		struct ip_packet p = piece(7 + (i == 0), 64, 8, false);
		p.protocol = i == 1 ? 6 : 17;
		p.source.s6_addr[15] = i == 2;
		p.destination.s6_addr[15] = i == 3;
		assert_false(fragments_add(f, &p, 0));
	}
	assert_true(add(f, 7, 64, 8, false, 0));
	fragments_free(f);
	free(f);
}

/*
 * A capture may truncate a packet. The reassembled packet then lacks its last byte, so that no
 * reader takes it for complete.
 */
TEST(packet_truncated_by_the_capture_is_not_whole)
{
	struct fragments *f = fragments_new();
	struct ip_packet p = piece(7, 0, 64, true), last = piece(7, 64, 8, false);
	p.data.n = 20;
	assert_false(fragments_add(f, &p, 0));
	assert_true(fragments_add(f, &last, 0));
	assert_int_equal(last.size, 72);
	assert_int_equal(last.data.n, 71);
	assert_text((struct str){ last.data.p, 20 }, (struct str){ text, 20 });
	assert_int_equal(last.data.p[20], 0);
	fragments_free(f);
	free(f);
}

int main(void)
{
	RUN(cmocka_unit_test(fragments_in_any_order_make_the_packet),
	    cmocka_unit_test(repeated_fragment_counts_once),
	    cmocka_unit_test(invalid_fragment_is_ignored),
	    cmocka_unit_test(incomplete_packet_is_kept_for_half_a_minute),
	    cmocka_unit_test(oldest_packet_is_dropped),
	    cmocka_unit_test(packets_of_other_hosts_and_protocols_are_separate),
	    cmocka_unit_test(packet_truncated_by_the_capture_is_not_whole));
}
