/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_feed_delay.c - how long a sender waits: to spread requests of many hosts, and after failures
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "send/feed.h"
#include "send/feed_deliver.h"

/*
 * Return the largest number of requests that a receiver gets in one second, if all hosts take a
 * sample at the same moment of each interval.
 */
static int most_in_a_second(const char *before, int digits, int hosts, int seconds)
{
	int requests[3600] = { 0 }, most = 0;
	assert_true(seconds <= 3600);
	for (int i = 0; i < hosts; i++) {
		char host[64];
		snprintf(host, sizeof(host), "%s%0*d.example.org", before, digits, i);
		int64_t delay = feed_delay_us(host, (int64_t)seconds * 1000000);
		assert_in_range(delay, 0, (int64_t)seconds * 1000000 - 1);
		assert_int_equal(delay, feed_delay_us(host, (int64_t)seconds * 1000000));
		requests[delay / 1000000]++;
	}
	for (int i = 0; i < seconds; i++)
		most = requests[i] > most ? requests[i] : most;
	return most;
}

TEST(ten_thousand_hosts_are_spread_evenly)
{
	static const char *const before[] = { "n", "node-", "cn" };
	static const int seconds[] = { 1, 10, 60, 600 };
	const int hosts = 10000;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		for (size_t k = 0; k < ARRAY_SIZE(seconds); k++) {
			int mean = (hosts + seconds[k] - 1) / seconds[k];
			int most = most_in_a_second(before[i], (int)i * 2, hosts, seconds[k]);
			assert_in_range(most, mean, 2 * mean);
		}
}

static int64_t rested_ns;	/* sum of the waits that ppoll() was asked for, in ns */

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	(void)fds;
	(void)n;
	(void)mask;
	rested_ns += t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
	return 0;
}

/* A sender whose receiver gives these results for the next deliveries, in order. */
struct sender {
	struct feed f;
	struct section section;
	struct feed_node node;
	char said[256];		/* text of all messages */
	int result[4];
	size_t next;
	uint64_t retry_after_s;	/* Retry-After of failing answers, in s; 0: none */
	const char *why;
};
static const volatile int never;

static void sender_hear(void *arg, enum log_level level, const char *line)
{
	struct sender *s = arg;
	(void)level;
	strncat(s->said, line, sizeof(s->said) - strlen(s->said) - 1);
}

static int sender_flush(void *state, struct buf *why)
{
	struct sender *s = state;
	int r = s->result[s->next++];
	/* an answer without the header Retry-After leaves the value unchanged */
	if (r < 0 && s->retry_after_s)
		s->f.retry_after_s = s->retry_after_s;
	buf_addf(why, "%s", s->why);
	return r;
}

static const struct sink answers = { .name = "answers", .flush = sender_flush };

static void sender_make(struct sender *s, const struct listener *listener)
{
	*s = (struct sender){
		.why = "failed",
		.section = { .name = "answers", .sink = &answers, .state = s },
		.node = { .host = "n1", .stop = &never, .dry = true },
	};
	s->node.sink.listener = listener;
	s->f = (struct feed){ .section = &s->section, .sink = &answers, .node = &s->node, .n = 1,
			      .put_us = realtime_us() };
	rested_ns = 0;
}

TEST(the_longest_wait_doubles_from_2_s_to_128_s)
{
	static const int limits[] = { 2, 4, 8, 16, 32, 64, 128, 128, 128 };
	int retry_s = 0;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		int64_t ns = back_off_ns(&retry_s);
		assert_int_equal(retry_s, limits[i]);
		assert_in_range(ns, limits[i] * (int64_t)SECOND_NS / 50,
				limits[i] * (int64_t)SECOND_NS);
	}
}

TEST(after_a_success_the_first_wait_is_short_again)
{
	struct sender s;
	const struct listener listener = { sender_hear, &s };
	sender_make(&s, &listener);
	s.result[0] = s.result[1] = -EIO;
	assert_int_equal(feed_flush(&s.f), 0);
	assert_int_equal(s.next, 3);
	assert_int_equal(s.f.retry_s, 0);
	assert_int_equal(s.f.cursor.errors, 2);
	assert_true(s.f.cursor.success_us > 0);
	assert_string_equal(s.f.cursor.why, "");
	assert_string_equal(s.said, "[sink answers] failed; retrying"
			    "[sink answers] works again");
}

TEST(the_receiver_says_how_long_to_wait_at_least_up_to_an_hour)
{
	static const int64_t asked[] = { 10, 3600, 100000 }, least[] = { 10, 3600, 3600 };
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct sender s;
		sender_make(&s, NULL);
		s.result[0] = -EIO;
		s.retry_after_s = (uint64_t)asked[i];
		assert_int_equal(feed_flush(&s.f), 0);
		assert_in_range(rested_ns, least[i] * SECOND_NS, (least[i] + 2) * SECOND_NS);
		s.f.n = 1;
		s.next = 0;
		s.retry_after_s = rested_ns = 0;	/* the next answer has no Retry-After */
		assert_int_equal(feed_flush(&s.f), 0);
		assert_in_range(rested_ns, 1, 2 * (int64_t)SECOND_NS);
	}
}

TEST(a_delivery_of_which_all_is_refused_is_no_success)
{
	struct sender s;
	sender_make(&s, NULL);
	s.f.n = 2;
	s.result[0] = 1;
	assert_int_equal(feed_flush(&s.f), 0);
	assert_true(s.f.cursor.success_us > 0);
	assert_int_equal(rested_ns, 0);
	assert_int_equal(s.f.cursor.groups, 1);
	s.f.cursor.success_us = 0;
	s.f.n = 2;
	s.result[1] = 2;
	assert_int_equal(feed_flush(&s.f), 0);
	assert_int_equal(s.f.cursor.success_us, 0);
	assert_true(rested_ns > 0);
	assert_int_equal(s.f.cursor.refused, 3);
	assert_int_equal(s.f.cursor.refused_share, 1000);
	s.f.n = 1;	/* the next record is accepted */
	assert_int_equal(feed_flush(&s.f), 0);
	assert_int_equal(s.f.cursor.refused_share, 0);
}

TEST(a_reason_in_status_is_one_line)
{
	struct sender s;
	sender_make(&s, NULL);
	s.why = "line 1\nline\t2";
	s.result[0] = 1;
	s.f.n = 2;
	assert_int_equal(feed_flush(&s.f), 0);
	assert_string_equal(s.f.cursor.why, "line 1?line?2");
}

TEST(a_record_waits_at_most_for_the_turn_of_its_host)
{
	static const int64_t ahead_s[] = { -1000, 0, 1000 };
	for (size_t i = 0; i < ARRAY_SIZE(ahead_s); i++) {
		struct sender s;
		sender_make(&s, NULL);
		s.node.dry = false;
		s.section.delay_us = 600 * INT64_C(1000000);
		int64_t turn = feed_delay_us("n1", s.section.delay_us) * 1000;
		s.f.delay_start_us = realtime_us() + ahead_s[i] * 1000000;
		assert_int_equal(feed_flush(&s.f), 0);
		assert_true(rested_ns <= turn);
		assert_int_equal(rested_ns > 0, ahead_s[i] >= 0);
	}
}

TEST(records_are_counted_without_waiting)
{
	struct sender s;
	sender_make(&s, NULL);
	s.section.delay_us = 600 * INT64_C(1000000);
	s.f.delay_start_us = realtime_us();
	assert_int_equal(feed_flush(&s.f), 0);
	assert_int_equal(rested_ns, 0);
}

TEST(a_cursor_that_cannot_be_saved_is_said_once)
{
	struct sender s;
	const struct listener listener = { sender_hear, &s };
	sender_make(&s, &listener);
	s.node.dry = false;
	buf_addf(&s.f.path, "/nonexistent/cursor%c", '\0');
	for (int i = 0; i < 2; i++) {
		s.f.must_save_cursor = true;
		feed_save(&s.f, true);
		assert_true(s.f.must_save_cursor && s.f.saving_failed);
	}
	assert_non_null(strstr(s.said, "/nonexistent/cursor: "));
	assert_null(strstr(strstr(s.said, "cursor") + 1, "cursor"));
	buf_free(&s.f.path);
}

int main(void)
{
	RUN(cmocka_unit_test(the_longest_wait_doubles_from_2_s_to_128_s),
	    cmocka_unit_test(after_a_success_the_first_wait_is_short_again),
	    cmocka_unit_test(the_receiver_says_how_long_to_wait_at_least_up_to_an_hour),
	    cmocka_unit_test(a_delivery_of_which_all_is_refused_is_no_success),
	    cmocka_unit_test(a_reason_in_status_is_one_line),
	    cmocka_unit_test(a_record_waits_at_most_for_the_turn_of_its_host),
	    cmocka_unit_test(records_are_counted_without_waiting),
	    cmocka_unit_test(a_cursor_that_cannot_be_saved_is_said_once),
	    cmocka_unit_test(ten_thousand_hosts_are_spread_evenly));
}
