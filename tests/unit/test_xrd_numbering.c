/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_numbering.c - count losses with one counter for all streams, and with several */
#include <stdio.h>
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/state/saved_state.h"

/* A server with many accesses, each with its own user, as Pelican's origin sends them. */
struct sends {
	unsigned accesses;
	bool shared;		/* all streams share a counter; else f has its own */
	bool together;		/* open all files before the first close */
	unsigned first, f_first;	/* numbers of the first datagrams */
	unsigned lose_every, swap_every;	/* lose or swap every n-th datagram; 0: none */
	unsigned restart_every;	/* restart the receiver every n-th datagram; 0: never */
};

struct sender {
	struct bench *b;
	const struct sends *how;
	uint8_t maps, f;
	unsigned sent;
	uint64_t lost;
	struct buf swapped;	/* datagram that the next one will overtake */
};

static void restart(struct bench *b)
{
	struct saved_output out = { .begun = false };
	const struct xrd_listener to = { on_transfer, NULL, b };
	struct buf saved = { 0 };
	state_put(&saved, b->join, NULL, &out);
	xrd_join_abandon(b->join);
	xrd_join_free(b->join);
	b->join = xrd_join_new(&to, 8 << 20);
	assert_int_equal(state_take(buf_str(&saved), b->join, NULL, &out), 0);
	buf_free(&saved);
}

static void send_numbered(struct sender *s, struct buf d)
{
	const struct sends *how = s->how;
	bool apart = d.p[0] == 'f' && !how->shared;
	d.p[1] = (char)(apart ? s->f++ : s->maps++);
	s->sent++;
	s->b->now += 50 * MS;
	if (how->restart_every && s->sent % how->restart_every == 0)
		restart(s->b);
	if (how->lose_every && s->sent % how->lose_every == 0) {
		s->lost++;
		buf_free(&d);
		return;
	}
	if (how->swap_every && s->sent % how->swap_every == 0) {
		s->swapped = d;
		return;
	}
	hand(s->b, d);
	if (s->swapped.n)
		hand(s->b, s->swapped);
	s->swapped = (struct buf){ 0 };
}

static void begin_access(struct sender *s, uint32_t id)
{
	struct xrd_record o = opened;
	char text[100];
	snprintf(text, sizeof(text), "ztn/alice.%u:42@[::1]\n&p=ztn&n=alice", id);
	send_numbered(s, map(s->b, 'u', id, text));
	snprintf(text, sizeof(text), "ztn/alice.%u:42@[::1]\npelican-client/7.27", id);
	send_numbered(s, map(s->b, 'i', id, text));
	o.id = o.user = id;
	send_numbered(s, f_stream(s->b, &o, 1));
}

static void end_access(struct sender *s, uint32_t id)
{
	struct xrd_record c = closed, l = left;
	c.id = l.id = id;
	send_numbered(s, f_stream(s->b, &c, 1));
	send_numbered(s, f_stream(s->b, &l, 1));
}

static void send_all(const struct sends *how)
{
	struct sender s = { .b = bench_new(8 << 20), .how = how, .maps = (uint8_t)how->first,
			    .f = (uint8_t)how->f_first };
	for (uint32_t id = 1; id <= how->accesses; id++) {
		begin_access(&s, id);
		if (!how->together)
			end_access(&s, id);
	}
	for (uint32_t id = 1; id <= how->accesses && how->together; id++)
		end_access(&s, id);
	/* a loss is seen only if a later number of its counter arrives */
	s.how = &(const struct sends){ .shared = how->shared };
	begin_access(&s, how->accesses + 1);
	end_access(&s, how->accesses + 1);
	wait_for(s.b, XRD_WAIT / MS);
	xrd_join_finish(s.b->join);
	const struct xrd_server *to = xrd_join_servers(s.b->join)->server[0];
	if (to->seen.n[XRD_LOST] != s.lost)
		fail_msg("%llu of %llu lost: shared %d, together %d, %u accesses, first %u %u, "
			 "lost every %u, swapped every %u",
			 (unsigned long long)to->seen.n[XRD_LOST], (unsigned long long)s.lost,
			 how->shared, how->together, how->accesses, how->first, how->f_first,
			 how->lose_every, how->swap_every);
	if (!how->lose_every && !how->swap_every)
		assert_int_equal(to->seen.n[XRD_REORDERED], 0);
	assert_int_equal(to->seen.n[XRD_RECEIVED], s.sent - s.lost);
	if (!how->lose_every) {
		assert_int_equal(s.b->n, how->accesses + 1);
		assert_int_equal(xrd_join_counts(s.b->join)->transfers, how->accesses + 1);
	}
	bench_free(s.b);
}

TEST(with_one_counter_for_all_streams_nothing_counts_as_lost)
{
	for (unsigned first = 0; first < 256; first += 51)
		for (unsigned together = 0; together < 2; together++) {
			send_all(&(struct sends){ .accesses = 10, .shared = true,
						  .first = first, .together = together });
			send_all(&(struct sends){ .accesses = 300, .shared = true,
						  .first = first, .together = together });
		}
}

TEST(with_a_counter_for_each_stream_nothing_counts_as_lost)
{
	for (unsigned f_first = 0; f_first < 256; f_first += 7)
		for (unsigned together = 0; together < 2; together++)
			send_all(&(struct sends){ .accesses = 40, .first = 7, .f_first = f_first,
						  .together = together });
}

TEST(each_lost_datagram_is_counted_with_either_numbering)
{
	for (unsigned lose_every = 2; lose_every < 60;
	     lose_every += lose_every < 6 ? 1 : 4)
		for (unsigned together = 0; together < 2; together++)
			for (unsigned first = 0; first < 20; first += 6) {
				struct sends how = { .accesses = 60, .lose_every = lose_every,
						     .together = together, .first = first };
				how.shared = true;
				send_all(&how);
				how.shared = false;
				how.f_first = first / 2;
				if (lose_every != 3)	/* the first loss of f is not noticed */
					send_all(&how);
			}
}

TEST(datagrams_out_of_order_are_no_losses_with_either_numbering)
{
	for (unsigned swap_every = 2; swap_every < 40; swap_every++)
		for (unsigned shared = 0; shared < 2; shared++)
			send_all(&(struct sends){ .accesses = 60, .shared = shared,
						  .swap_every = swap_every, .first = 3 });
}

TEST(after_a_restart_of_the_receiver_nothing_counts_as_lost)
{
	for (unsigned restart_every = 1; restart_every < 8; restart_every++)
		for (unsigned shared = 0; shared < 2; shared++) {
			send_all(&(struct sends){ .accesses = 30, .shared = shared,
						  .restart_every = restart_every, .first = 9 });
			send_all(&(struct sends){ .accesses = 30, .shared = shared,
						  .restart_every = restart_every, .first = 9,
						  .lose_every = 11 });
		}
}

int main(void)
{
	RUN(cmocka_unit_test(with_one_counter_for_all_streams_nothing_counts_as_lost),
	    cmocka_unit_test(with_a_counter_for_each_stream_nothing_counts_as_lost),
	    cmocka_unit_test(each_lost_datagram_is_counted_with_either_numbering),
	    cmocka_unit_test(datagrams_out_of_order_are_no_losses_with_either_numbering),
	    cmocka_unit_test(after_a_restart_of_the_receiver_nothing_counts_as_lost));
}
