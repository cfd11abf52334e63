/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_facts.c - give an access the token, flow and information that were valid at its open */
#include <stdio.h>
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/state/saved_state.h"

static void open_file(struct bench *b, uint32_t id)
{
	struct xrd_record r = opened;
	r.id = id;
	hand_f(b, r);
}

static void close_file(struct bench *b, uint32_t id)
{
	struct xrd_record r = closed;
	r.id = id;
	b->out.n = 0;
	hand_f(b, r);
	assert_int_equal(b->n, 1);
	b->n = 0;
}

static void token(struct bench *b, uint32_t id, const char *subject)
{
	char text[200];
	snprintf(text, sizeof(text), USER "\n&Uc=7&s=%s&o=org%s", subject, subject);
	hand(b, map(b, 'T', id, text));
}

static struct bench *bench_with_user(void)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	return b;
}

TEST(each_access_has_the_token_of_its_open)
{
	struct bench *b = bench_with_user();
	token(b, 10, "A");
	open_file(b, 11);
	token(b, 12, "B");
	open_file(b, 13);
	close_file(b, 11);
	expect(b, "\"token_subject\":\"A\",\"token_username\":null,\"token_org\":\"orgA\"");
	expect(b, "\"facts_why\":null");
	close_file(b, 13);
	expect(b, "\"token_subject\":\"B\",\"token_username\":null,\"token_org\":\"orgB\"");
	bench_free(b);
}

/*
 * Tokens and files may be numbered by different counters: a file gets no token with a larger
 * number.
 */
TEST(numbers_of_two_counters_give_no_token_of_another_open)
{
	struct bench *b = bench_with_user();
	for (unsigned low = 0; low < 2; low++) {
		token(b, low ? 1 : 100, "A");
		open_file(b, 20);
		token(b, low ? 2 : 101, "B");
		open_file(b, 21);
		close_file(b, 20);
		expect(b, low ? "\"token_subject\":\"A\"" : "\"token_subject\":null");
		close_file(b, 21);
		expect(b, low ? "\"token_subject\":\"B\"" : "\"token_subject\":null");
	}
	bench_free(b);
}

/* Servers send records of the f-stream seconds late, but map records at once. */
TEST(an_open_that_arrives_late_has_the_token_before_its_number)
{
	struct bench *b = bench_with_user();
	token(b, 10, "A");
	token(b, 12, "B");
	token(b, 14, "C");
	open_file(b, 11);
	open_file(b, 13);
	open_file(b, 15);
	close_file(b, 11);
	expect(b, "\"token_subject\":\"A\"");
	close_file(b, 13);
	expect(b, "\"token_subject\":\"B\"");
	close_file(b, 15);
	expect(b, "\"token_subject\":\"C\"");
	bench_free(b);
}

static void expect_subject(struct bench *b, uint32_t id, const char *subject, const char *why)
{
	char text[100];
	open_file(b, id);
	close_file(b, id);
	snprintf(text, sizeof(text), "\"token_subject\":%s", subject);
	expect(b, text);
	snprintf(text, sizeof(text), "\"facts_why\":%s", why);
	expect(b, text);
}

TEST(a_late_open_before_all_tokens_has_no_token)
{
	struct bench *b = bench_with_user();
	token(b, 10, "A");
	expect_subject(b, 9, "null", "\"opened before the facts that are known\"");
	token(b, 12, "B");
	expect_subject(b, 8, "null", "\"opened before the facts that are known\"");
	expect_subject(b, 11, "\"A\"", "null");
	expect_subject(b, 13, "\"B\"", "null");
	bench_free(b);
}

TEST(a_token_that_arrives_after_a_newer_one_belongs_to_opens_between)
{
	struct bench *b = bench_with_user();
	token(b, 12, "B");
	token(b, 10, "A");
	expect_subject(b, 13, "\"B\"", "null");
	expect_subject(b, 11, "\"A\"", "null");
	for (uint32_t i = 0; i < 16; i++)
		token(b, 100 + 10 * i, i % 2 ? "C" : "D");
	token(b, 155, "A");
	expect_subject(b, 156, "null", "\"facts changed too often\"");
	expect_subject(b, 171, "\"C\"", "null");
	bench_free(b);
}

/*
 * A client sends tokens of two users in turn. The sets of facts kept for a client are limited, so
 * the first opens lose theirs.
 */
TEST(a_late_open_has_its_own_token_or_none)
{
	struct bench *b = bench_with_user();
	for (uint32_t id = 10; id <= 46; id += 2)
		token(b, id, id % 4 ? "A" : "B");
	for (uint32_t id = 11; id <= 15; id += 2)
		expect_subject(b, id, "null", "\"facts changed too often\"");
	for (uint32_t id = 17; id <= 47; id += 2)
		expect_subject(b, id, (id - 1) % 4 ? "\"A\"" : "\"B\"", "null");
	bench_free(b);
}

TEST(the_first_flow_leaves_late_opens_their_token)
{
	struct bench *b = bench_with_user();
	token(b, 5, "A");
	token(b, 7, "B");
	hand(b, map(b, 'U', 10, USER "\n&Uc=7&Ec=2&Ac=9"));
	expect_subject(b, 8, "\"B\"", "null");
	expect(b, "\"experiment\":null");
	expect_subject(b, 9, "\"B\"", "null");
	expect(b, "\"experiment\":\"2\"");
	bench_free(b);
}

TEST(a_late_open_lacks_only_facts_that_came_after_it)
{
	struct bench *b = bench_with_user();
	token(b, 10, "A");
	hand(b, map(b, 'i', 12, USER "\nstep=7"));
	expect_subject(b, 11, "\"A\"", "null");
	expect(b, "\"appinfo\":null");
	expect_subject(b, 13, "\"A\"", "null");
	expect(b, "\"appinfo\":\"step=7\"");
	bench_free(b);
}

TEST(a_fact_that_comes_after_the_open_does_not_belong_to_the_access)
{
	struct bench *b = bench_with_user();
	open_file(b, 8);
	hand(b, map(b, 'i', 9, USER "\nstep=7"));
	hand(b, map(b, 'U', 10, USER "\n&Uc=7&Ec=2&Ac=9"));
	token(b, 11, "A");
	open_file(b, 12);
	close_file(b, 8);
	expect(b, "\"appinfo\":null,\"ipv6\":true,\"experiment\":null,\"activity\":null,"
		  "\"token_subject\":null");
	close_file(b, 12);
	expect(b, "\"appinfo\":\"step=7\",\"ipv6\":true,\"experiment\":\"2\",\"activity\":\"9\","
		  "\"token_subject\":\"A\"");
	bench_free(b);
}

TEST(each_kind_of_fact_changes_alone)
{
	struct bench *b = bench_with_user();
	hand(b, map(b, 'i', 8, USER "\nstep=7"));
	hand(b, map(b, 'U', 9, USER "\n&Uc=7&Ec=2&Ac=9"));
	token(b, 10, "A");
	open_file(b, 11);
	hand(b, map(b, 'i', 12, USER "\nstep=8"));
	open_file(b, 13);
	hand(b, map(b, 'U', 14, USER "\n&Uc=7&Ec=3&Ac=9"));	/* the flow of file 13 */
	open_file(b, 15);
	close_file(b, 11);
	expect(b, "\"appinfo\":\"step=7\",\"ipv6\":true,\"experiment\":\"2\"");
	expect(b, "\"token_subject\":\"A\"");
	close_file(b, 13);
	expect(b, "\"appinfo\":\"step=8\",\"ipv6\":true,\"experiment\":\"3\"");
	expect(b, "\"token_subject\":\"A\"");
	close_file(b, 15);
	expect(b, "\"appinfo\":\"step=8\",\"ipv6\":true,\"experiment\":\"3\"");
	expect(b, "\"token_subject\":\"A\"");
	bench_free(b);
}

/*
 * xrootd numbers the file first, and then sends the flow from the URL of the open under the next
 * number: flow 9 belongs to file 8.
 */
TEST(a_flow_belongs_to_the_file_with_the_number_before_its_own)
{
	struct bench *b = bench_with_user();
	hand(b, map(b, 'U', 9, USER "\n&Uc=7&Ec=2&Ac=9"));
	hand(b, map(b, 'U', 21, USER "\n&Uc=7&Ec=3&Ac=9"));
	open_file(b, 8);
	open_file(b, 20);
	close_file(b, 8);
	expect(b, "\"experiment\":\"2\"");
	close_file(b, 20);
	expect(b, "\"experiment\":\"3\"");
	bench_free(b);
}

/* A gateway opens files for many users over one connection. */
TEST(many_tokens_in_turn_stay_with_their_accesses)
{
	struct bench *b = bench_with_user();
	char text[40];
	for (unsigned i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%u", i % 100);
		token(b, 100 + 2 * i, text);
		open_file(b, 101 + 2 * i);
	}
	for (unsigned i = 0; i < 500; i++) {
		close_file(b, 101 + 2 * i);
		snprintf(text, sizeof(text), "\"token_subject\":\"%u\"", i % 100);
		expect(b, text);
	}
	bench_free(b);
}

TEST(a_token_that_was_forgotten_is_null_with_the_reason)
{
	struct bench *b = bench_with_user();
	char text[40];
	for (unsigned i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%u", i);
		token(b, 100 + 2 * i, text);
		open_file(b, 101 + 2 * i);
	}
	close_file(b, 101);
	expect(b, "\"token_subject\":null");
	expect(b, "\"facts_why\":\"facts changed too often\"");
	close_file(b, 101 + 2 * 499);
	expect(b, "\"token_subject\":\"499\"");
	bench_free(b);
}

TEST(an_access_without_open_has_no_token_if_it_changed)
{
	struct bench *b = bench_with_user();
	token(b, 10, "A");
	token(b, 12, "B");
	hand(b, map(b, 'd', 11, "xroot/other.9:42@h\n/path"));
	struct xrd_record r = closed;
	r.id = 11;
	hand_f(b, r);
	hand(b, map(b, 'd', 13, USER "\n/path"));
	r.id = 13;
	hand_f(b, r);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 2);
	expect(b, "\"facts_why\":\"facts changed, the open is missing\"");
	assert_false(was_reported(b, "\"token_subject\":\"B\""));
	assert_false(was_reported(b, "\"token_subject\":\"A\""));
	bench_free(b);
}

TEST(a_saved_state_keeps_the_token_of_each_access)
{
	struct bench *b = bench_with_user(), *c = bench_new(1 << 20);
	struct saved_output out = { .begun = false };
	struct buf saved = { 0 };
	token(b, 10, "A");
	open_file(b, 11);
	token(b, 12, "B");
	open_file(b, 13);
	state_put(&saved, b->join, NULL, &out);
	assert_int_equal(state_take(buf_str(&saved), c->join, NULL, &out), 0);
	c->seq = b->seq;
	c->f_seq = b->f_seq;
	close_file(c, 11);
	expect(c, "\"token_subject\":\"A\"");
	close_file(c, 13);
	expect(c, "\"token_subject\":\"B\"");
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

TEST(a_saved_state_keeps_that_facts_were_forgotten)
{
	struct bench *b = bench_with_user(), *c = bench_new(1 << 20);
	struct saved_output out = { .begun = false };
	struct buf saved = { 0 };
	for (uint32_t id = 10; id <= 58; id += 2)
		token(b, id, id == 10 ? "A" : id % 4 ? "B" : "C");
	state_put(&saved, b->join, NULL, &out);
	assert_int_equal(state_take(buf_str(&saved), c->join, NULL, &out), 0);
	c->seq = b->seq;
	c->f_seq = b->f_seq;
	expect_subject(c, 13, "null", "\"facts changed too often\"");
	expect_subject(c, 59, "\"B\"", "null");
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

/*
 * Lines about evicted files spend the sender's quota. A line spends only the one set of facts that
 * it has, not all sets of the client.
 */
TEST(a_client_with_many_tokens_uses_up_no_quota_of_lines)
{
	struct bench *b = bench_new(600000);
	char text[1000];
	identify(b);
	log_in(b);
	for (uint32_t i = 0; i < 2200; i++) {
		if (i < 200) {
			snprintf(text, sizeof(text), USER "\n&Uc=7&s=%0900u", i);
			hand(b, map(b, 'T', 100 + 2 * i, text));
		}
		open_file(b, 101 + 2 * i);
	}
	assert_true(xrd_join_counts(b->join)->evicted > 200);
	assert_int_equal(xrd_join_counts(b->join)->unwritten, 0);
	bench_free(b);
}

int main(void)
{
	RUN(cmocka_unit_test(each_access_has_the_token_of_its_open),
	    cmocka_unit_test(numbers_of_two_counters_give_no_token_of_another_open),
	    cmocka_unit_test(an_open_that_arrives_late_has_the_token_before_its_number),
	    cmocka_unit_test(a_late_open_before_all_tokens_has_no_token),
	    cmocka_unit_test(a_token_that_arrives_after_a_newer_one_belongs_to_opens_between),
	    cmocka_unit_test(a_late_open_has_its_own_token_or_none),
	    cmocka_unit_test(the_first_flow_leaves_late_opens_their_token),
	    cmocka_unit_test(a_late_open_lacks_only_facts_that_came_after_it),
	    cmocka_unit_test(a_fact_that_comes_after_the_open_does_not_belong_to_the_access),
	    cmocka_unit_test(each_kind_of_fact_changes_alone),
	    cmocka_unit_test(a_flow_belongs_to_the_file_with_the_number_before_its_own),
	    cmocka_unit_test(many_tokens_in_turn_stay_with_their_accesses),
	    cmocka_unit_test(a_token_that_was_forgotten_is_null_with_the_reason),
	    cmocka_unit_test(an_access_without_open_has_no_token_if_it_changed),
	    cmocka_unit_test(a_saved_state_keeps_the_token_of_each_access),
	    cmocka_unit_test(a_saved_state_keeps_that_facts_were_forgotten),
	    cmocka_unit_test(a_client_with_many_tokens_uses_up_no_quota_of_lines));
}
