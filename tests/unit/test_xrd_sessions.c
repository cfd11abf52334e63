/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_sessions.c - report each session once, with all accesses of its login */
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/join/xrd_state.h"
#include "xrootd/lines/session_line.h"
#include "xrootd/state/saved_state.h"

static struct buf sessions;

static void on_session(void *arg, const struct xrd_session_end *e)
{
	(void)arg;
	session_line_put(&sessions, e);
}

static struct bench *start(void)
{
	struct bench *b = bench_new(1 << 20);
	b->join->to.session = on_session;
	sessions.n = 0;
	return b;
}

static struct bench *start_with_login(void)
{
	struct bench *b = start();
	identify(b);
	log_in(b);
	return b;
}

static void expect_session(const char *text)
{
	if (!sessions.n || !memmem(sessions.p, sessions.n, text, strlen(text)))
		fail_msg("no %s in " STR_FMT, text, STR_ARG(buf_str(&sessions)));
}

static size_t count_sessions(void)
{
	size_t n = 0;
	for (size_t i = 0; i < sessions.n; i++)
		n += sessions.p[i] == '\n';
	return n;
}

static void access_file(struct bench *b, uint32_t id)
{
	struct xrd_record open = opened, close = closed;
	open.id = close.id = id;
	hand_f(b, open);
	hand_f(b, close);
}

TEST(counts_all_accesses_up_to_the_disconnect)
{
	struct bench *b = start_with_login();
	access_file(b, 8);
	access_file(b, 9);
	assert_int_equal(count_sessions(), 0);
	hand_f(b, left);
	assert_int_equal(count_sessions(), 1);
	expect_session("{\"session_id\":7,\"serverID\":\"1000#::1#1234\",");
	expect_session("\"user\":\"alice\"");
	expect_session("\"vo\":\"cms\"");
	/* the server's clock is slow */
	expect_session("\"login_time\":2000000,\"end_time\":105000,\"session_time\":0,");
	expect_session("\"forced\":null,\"accesses\":2,\"incomplete\":0,\"read\":2000,"
		       "\"readv\":1200,\"write\":0,\"read_is\":\"exact\","
		       "\"write_is\":\"exact\",\"ended_by\":\"disconnect\"}\n");
	hand_f(b, left);
	xrd_join_finish(b->join);
	assert_int_equal(count_sessions(), 1);
	bench_free(b);
}

TEST(an_access_without_a_close_makes_the_bytes_a_lower_bound)
{
	struct bench *b = start_with_login();
	access_file(b, 9);
	hand_f(b, opened);
	hand_f(b, left);
	wait_for(b, 6000);
	assert_int_equal(count_sessions(), 1);
	expect_session("\"accesses\":2,\"incomplete\":1,\"read\":1000,\"readv\":600,"
		       "\"write\":0,\"read_is\":\"at_least\"");
	bench_free(b);
}

/*
 * The t-stream is sent at once, but the f-stream, which has the closes, only once its buffer is
 * full.
 */
TEST(a_disconnect_of_the_t_stream_waits_for_the_f_stream)
{
	const struct xrd_record gone = { .kind = XRD_DISC, .id = 7, .seconds = 12,
					 .flags = XRD_FORCED };
	struct bench *b = start_with_login();
	hand_t(b, &gone, 1);
	assert_int_equal(count_sessions(), 0);
	access_file(b, 8);
	assert_int_equal(count_sessions(), 0);
	hand_f(b, left);
	assert_int_equal(count_sessions(), 1);
	expect_session("\"session_time\":12,\"forced\":true,\"accesses\":1,");
	bench_free(b);
}

TEST(a_server_without_an_f_stream_ends_sessions_by_the_t_stream)
{
	const struct xrd_record gone = { .kind = XRD_DISC, .id = 7, .seconds = 1000 };
	struct bench *b = start_with_login();
	b->now += INT64_C(1000000000);
	hand_t(b, &gone, 1);
	assert_int_equal(count_sessions(), 1);
	expect_session("\"end_time\":null,\"session_time\":1000,\"forced\":false,"
		       "\"accesses\":0,");
	bench_free(b);
}

TEST(a_session_goes_on_after_a_restart_of_the_receiver)
{
	struct saved_output out = { .begun = false };
	struct buf saved = { 0 };
	struct bench *b = start_with_login(), *c;
	access_file(b, 8);
	state_put(&saved, b->join, NULL, &out);
	xrd_join_abandon(b->join);
	c = start();
	assert_int_equal(state_take(buf_str(&saved), c->join, NULL, &out), 0);
	c->seq = b->seq;
	c->f_seq = b->f_seq;
	access_file(c, 9);
	hand_f(c, left);
	assert_int_equal(count_sessions(), 1);
	expect_session("\"login_time\":2000000,");
	expect_session("\"accesses\":2,\"incomplete\":0,\"read\":2000,");
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

TEST(the_end_of_the_input_ends_a_session)
{
	struct bench *b = start_with_login();
	hand_f(b, opened);
	xrd_join_finish(b->join);
	assert_int_equal(count_sessions(), 1);
	expect_session("\"accesses\":1,\"incomplete\":1,");
	expect_session("\"ended_by\":\"stop\"}\n");
	bench_free(b);
	buf_free(&sessions);
}

int main(void)
{
	RUN(cmocka_unit_test(counts_all_accesses_up_to_the_disconnect),
	    cmocka_unit_test(an_access_without_a_close_makes_the_bytes_a_lower_bound),
	    cmocka_unit_test(a_disconnect_of_the_t_stream_waits_for_the_f_stream),
	    cmocka_unit_test(a_server_without_an_f_stream_ends_sessions_by_the_t_stream),
	    cmocka_unit_test(a_session_goes_on_after_a_restart_of_the_receiver),
	    cmocka_unit_test(the_end_of_the_input_ends_a_session));
}
