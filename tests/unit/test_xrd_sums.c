/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_sums.c - add up counts by minute, count missing records, and let sums only grow */
#include "tests/unit/test.h"
#include <stdio.h>
#include "tests/unit/xrd_bench.h"
#include "xrootd/sums/xrd_sums.h"

#define SECOND ((int64_t)1000000)

/* A receiver, its sums, and the rows that the sums gave. Each time t is in seconds. */
struct mill {
	struct bench b;
	struct xrd_sums *sums;
	struct buf out;
};

static void take_event(void *arg, const struct xrd_event *e)
{
	xrd_sums_event(((struct mill *)arg)->sums, e);
}

static void take_transfer(void *arg, const struct xrd_transfer *t)
{
	xrd_sums_transfer(((struct mill *)arg)->sums, t);
}

static void take_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	struct mill *m = arg;
	buf_addf(&m->out, "@%lld\n", (long long)(usec / SECOND));
	xrd_sums_put_rows(&m->out, s);
}

static struct mill *mill_new(void)
{
	struct mill *m = calloc(1, sizeof(*m));
	assert_non_null(m);
	const struct xrd_listener to = { take_transfer, take_event, m };
	const struct xrd_sums_listener minutes = { take_minute, m };
	m->b = (struct bench){ .join = xrd_join_new(&to, 1 << 20), .start = START,
				.sid = 42 };
	m->b.from.port = 1234;
	m->b.from.address.s6_addr[15] = 1;
	m->sums = xrd_sums_new(&minutes, xrd_join_servers(m->b.join));
	return m;
}

static void mill_free(struct mill *m)
{
	xrd_join_free(m->b.join);
	xrd_sums_free(m->sums);
	buf_free(&m->out);
	free(m);
}

static void at(struct mill *m, int64_t t)
{
	m->b.now = t * SECOND;
	xrd_sums_tick(m->sums, m->b.now);
}

static void told_who(struct mill *m, int64_t t)
{
	at(m, t);
	identify(&m->b);
}

/* Send a record of the f-stream with this window, after the end of the window. */
static void f(struct mill *m, uint32_t from, uint32_t to, struct xrd_record r)
{
	struct bench *b = &m->b;
	const struct xrd_packet p = { .code = 'f', .seq = b->f_seq++, .start = b->start,
				      .has_sid = true, .sid = b->sid, .begin = from, .end = to,
				      .n_all = 1 };
	struct buf d = { 0 };
	at(m, b->now > to * SECOND ? b->now / SECOND : to);
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &r);
	assert_int_equal(xrd_end(&d, &p), 0);
	hand(b, d);
}

static void finish(struct mill *m)
{
	xrd_join_finish(m->b.join);
	xrd_sums_finish(m->sums);
}

/* Check that the record group of this time has this row, or no row of the type if row is NULL. */
static void expect_row(struct mill *m, int64_t t, const char *type, const char *row)
{
	struct str all = buf_str(&m->out), line;
	char moment[32], words[256];
	bool here = false, found = false;
	snprintf(moment, sizeof(moment), "@%lld", (long long)t);
	snprintf(words, sizeof(words), "%s srv.example.org:1094 %s", type, row ? row : "");
	while (str_take_line(&all, &line)) {
		here = str_peek(line) == '@' ? str_eq(line, str_of(moment)) : here;
		if (here && row)
			found = found || str_eq(line, str_of(words));
		else if (here && str_take_prefix(&line, str_of(type)))
			found = found || str_peek(line) == ' ';
	}
	if (found == (row != NULL))
		return;
	fail_msg("%s at %s in\n%.*s", words, moment, (int)m->out.n, m->out.p);
}

static const struct xrd_record closed_forced = {
	.kind = XRD_CLOSE, .flags = XRD_FORCED, .id = 8, .read = 1000, .write = 7,
};

static const struct xrd_record closed_of_another = {
	.kind = XRD_CLOSE, .id = 9, .read = 1000, .write = 7,
};

TEST(a_count_is_of_the_minute_of_its_window)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6050, 6090, closed);	/* the middle of the window is 6070 */
	at(m, 6600);
	expect_row(m, 6060, "xrootd", "1 0 0 0 0 0 0 0 1 0");
	expect_row(m, 6120, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	expect_row(m, 6060, "xrootd_ops", "0 0 0 0");
	expect_row(m, 6120, "xrootd_ops", "2 1 3 0");
	expect_row(m, 6120, "xrootd_opens", NULL);	/* type xrootd counts the opens */
	mill_free(m);
}

/*
 * Datagrams of one dCache server. Until its f-stream arrives, they seem to come from several
 * servers.
 */
TEST(datagrams_of_servers_that_turn_out_to_be_one_count_once)
{
	struct mill *m = mill_new();
	struct bench *b = &m->b;
	told_who(m, 6010);
	b->sid = 0;
	for (unsigned i = 0; i < 3; i++) {
		char text[100];
		snprintf(text, sizeof(text), "xroot/user%u.77:%u@[::1]\n&p=gsi", i, 1000 + i);
		hand(b, map(b, 'u', 7 + i, text));
	}
	at(m, 6200);		/* the minute is reported */
	assert_int_equal(xrd_join_servers(b->join)->n, 4);
	hand_f(b, opened);
	assert_int_equal(xrd_join_servers(b->join)->n, 1);
	finish(m);
	expect_row(m, 6060, "xrootd_server", "1 0 0 0 0 0 1000");
	expect_row(m, 6200, "xrootd_server", "2 0 0 0 1 1 1000");
	mill_free(m);
}

static void came_over_links(struct mill *m, uint64_t in, uint64_t out)
{
	xrd_sums_link(m->sums, &(struct xrd_link_bytes){
		.name = "srv.example.org:1094", .from = &m->b.from.address, .in = in, .out = out,
	});
}

TEST(bytes_of_links_are_counted_apart_from_those_of_accesses)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	came_over_links(m, 500, 1700);
	at(m, 6130);
	expect_row(m, 6060, "xrootd_bytes", NULL);	/* no access was reported yet */
	f(m, 6132, 6134, opened);
	f(m, 6136, 6138, closed);
	came_over_links(m, 100, 0);
	at(m, 6600);
	expect_row(m, 6180, "xrootd_bytes", "600 1700 0 1600");
	mill_free(m);
}

TEST(late_records_are_counted)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	at(m, 6400);
	f(m, 6012, 6014, opened);	/* 6 minutes late */
	f(m, 6012, 6014, closed_forced);
	finish(m);
	expect_row(m, 6060, "xrootd", NULL);
	expect_row(m, 6400, "xrootd", "1 0 0 1 1 1000 0 7 0 0");
	mill_free(m);
}

TEST(a_minute_is_written_when_its_last_windows_can_have_arrived)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	at(m, 6124);
	assert_null(memmem(m->out.p, m->out.n, "@6060", 5));
	at(m, 6125);
	assert_non_null(memmem(m->out.p, m->out.n, "@6060", 5));
	mill_free(m);
}

TEST(bytes_are_counted_as_they_are_reported_and_once)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6020, 6030, moved);	/* 900 bytes so far */
	at(m, 6190);
	f(m, 6188, 6190, moved);	/* still 900 bytes */
	f(m, 6188, 6190, closed);	/* 1000 bytes in all */
	finish(m);
	expect_row(m, 6060, "xrootd", "1 0 0 0 0 900 0 0 1 0");
	expect_row(m, 6190, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	expect_row(m, 6190, "xrootd_server", "5 0 0 0 1 1 1000");
	mill_free(m);
}

TEST(values_that_a_server_does_not_send_are_not_0)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6020, 6030, left);
	finish(m);
	expect_row(m, 6030, "xrootd_opens", "1 0 1");
	expect_row(m, 6030, "xrootd", NULL);
	expect_row(m, 6030, "xrootd_ops", NULL);
	expect_row(m, 6030, "xrootd_t", NULL);
	expect_row(m, 6030, "xrootd_io", NULL);
	expect_row(m, 6030, "xrootd_redirect", NULL);
	expect_row(m, 6030, "xrootd_user", NULL);
	mill_free(m);
}

TEST(sums_go_on_when_the_server_restarts)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6020, 6030, closed);
	m->b.start += 77;
	m->b.seq = m->b.f_seq = 0;
	m->b.from.port++;
	told_who(m, 6040);
	f(m, 6042, 6044, opened);
	f(m, 6050, 6055, closed);
	finish(m);
	expect_row(m, 6055, "xrootd", "2 0 0 2 0 2000 1200 0 0 0");
	expect_row(m, 6055, "xrootd_server", "6 0 0 0 2 2 1077");
	mill_free(m);
}

TEST(a_server_that_identifies_itself_late_keeps_its_counts)
{
	struct mill *m = mill_new();
	at(m, 6010);
	f(m, 6012, 6014, opened);
	told_who(m, 6030);
	f(m, 6031, 6032, closed);
	finish(m);
	expect_row(m, 6032, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	assert_null(memmem(m->out.p, m->out.n, ":1234", 5));
	mill_free(m);
}

/*
 * Continue as an impostor at another address with the server's name, start, fingerprint and file
 * numbers.
 */
static void be_another(struct mill *m, uint8_t address)
{
	m->b.from.address.s6_addr[15] = address;
	m->b.seq = m->b.f_seq = 0;
}

TEST(no_sender_adds_to_the_sums_of_another_by_its_name)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	log_in(&m->b);
	f(m, 6012, 6014, opened);
	be_another(m, 2);
	told_who(m, 6015);
	log_in(&m->b);
	f(m, 6016, 6018, opened);
	f(m, 6019, 6020, closed);
	f(m, 6021, 6022, closed_of_another);
	be_another(m, 1);
	m->b.seq = 2;
	m->b.f_seq = 1;
	f(m, 6031, 6032, closed);
	finish(m);
	expect_row(m, 6032, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	expect_row(m, 6032, "xrootd_server", "4 0 0 0 1 0 1000");
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd srv.example.org:1094@::2 1 0 0 2 0 2000 600 7 0 0\n", 57));
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd_transfer srv.example.org:1094:cms 1 1000 600 0 0\n", 54));
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd_transfer srv.example.org:1094@::2:cms 1 1000 600 0", 57));
	mill_free(m);
}

TEST(a_name_is_released_after_its_address_was_silent_for_a_day)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6020, 6030, closed);
	be_another(m, 2);
	told_who(m, 6040);
	told_who(m, 6010 + 86400 + 60);
	f(m, 92500, 92510, opened);
	finish(m);
	expect_row(m, 92510, "xrootd", "2 0 0 1 0 1000 600 0 0 0");
	mill_free(m);
}

TEST(a_server_cannot_take_the_name_of_another)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	log_in(&m->b);
	f(m, 6012, 6014, opened);
	be_another(m, 2);
	at(m, 6015);
	hand(&m->b, map(&m->b, '=', 0, "=/xrootd.5:42@srv.example.org:1094\n&port=cms&pgm=x"));
	f(m, 6016, 6018, opened);
	be_another(m, 1);
	m->b.seq = 2;
	m->b.f_seq = 1;
	f(m, 6031, 6032, closed);
	finish(m);
	expect_row(m, 6032, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd_transfer srv.example.org:1094:cms@::1 1 1000 600 0", 57));
	mill_free(m);
}

TEST(no_groups_are_made_for_times_without_data)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	f(m, 6012, 6014, opened);
	f(m, 6012, 6014, closed);
	told_who(m, 90000);		/* a gap, as after a stop of the capture */
	told_who(m, 30000);		/* the clock was set back */
	finish(m);
	expect_row(m, 6014, "xrootd", "1 0 0 1 0 1000 600 0 0 0");
	expect_row(m, 90000, "xrootd_server", "4 0 0 0 1 1 1000");
	expect_row(m, 30000, "xrootd_server", "5 0 0 0 1 1 1000");
	size_t groups = 0;
	for (size_t i = 0; i < m->out.n; i++)
		groups += m->out.p[i] == '@';
	assert_int_equal(groups, 5);	/* times 5940, 6000, 6014, 90000, 30000 */
	mill_free(m);
}

TEST(the_largest_values_do_not_overflow)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	for (uint32_t i = 1; i < 4; i++) {
		struct xrd_record r = closed_forced;
		r.id = i;
		r.read = INT64_MAX;
		r.write = INT64_MIN;
		f(m, 6012, 6014, r);
	}
	finish(m);
	expect_row(m, 6014, "xrootd", "0 0 0 3 3 18446744073709551615 0 0 0 3");
	mill_free(m);
}

static void close_cached(struct mill *m, const char *bytes)
{
	char line[200];
	snprintf(line, sizeof(line), "{\"event\":\"file_close\",\"lfn\":\"/a\",%s}", bytes);
	hand_g(&m->b, 'C', line);
}

TEST(files_of_a_cache_are_summed_as_far_as_servers_report_them)
{
	struct mill *m = mill_new();
	told_who(m, 110);
	close_cached(m, "\"b_hit\":100,\"b_miss\":0,\"b_bypass\":0");
	at(m, 190);
	expect_row(m, 120, "xrootd_cache", "1 1 100 0 0");
	expect_row(m, 120, "xrootd_cache_origin", NULL);
	close_cached(m, "\"b_hit\":1,\"b_miss\":7,\"b_bypass\":5,\"b_todisk\":9,\"b_prefetch\":2");
	finish(m);
	expect_row(m, 190, "xrootd_cache", "2 1 101 7 5");
	expect_row(m, 190, "xrootd_cache_origin", "9 2 14");
	mill_free(m);
}

TEST(connections_are_summed_at_their_end)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	hand_g(&m->b, 'T', "{\"type\":\"tcpstats\",\"remote\":\"h\",\"rtt\":1.5,\"lost\":1,"
			   "\"retrans\":2,\"bytes_in\":1e3,\"bytes_out\":20.000000}");
	hand_g(&m->b, 'T', "{\"type\":\"tcpstats\",\"remote\":\"h\",\"lost\":0,"
			   "\"retrans\":0,\"bytes_in\":4,\"bytes_out\":5}");
	hand_g(&m->b, 'T', "{\"type\":\"another\",\"bytes_in\":4,\"bytes_out\":5}");
	finish(m);
	expect_row(m, 6010, "xrootd_tcp", "2 1004 25 1 2");
	mill_free(m);
}

TEST(copies_are_counted_by_size_and_result)
{
	static const char *const size[] = { "0", "999999", "1000000", "999999999", "1000000000",
					    "10000000000", "18446744073709551615" };
	struct mill *m = mill_new();
	told_who(m, 110);
	for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
		char line[100];
		snprintf(line, sizeof(line), "{\"Xeq\":{\"RC\":0,\"Type\":\"pull\"},\"Size\":%s}",
			 size[i]);
		hand_g(&m->b, 'P', line);
	}
	hand_g(&m->b, 'P', "{\"Xeq\":{\"RC\":500,\"Type\":\"push\"},\"Size\":77}");
	finish(m);
	expect_row(m, 110, "xrootd_tpc", "7 1 1 18446744073709551615 1 1 1 1 1 2");
	expect_row(m, 110, "xrootd_cache", NULL);
	mill_free(m);
}

/*
 * Counts that a forced close lacks are taken from the requests in the t-stream. Without a t-stream
 * they are missing.
 */
TEST(requests_are_counted_if_a_forced_close_has_fewer)
{
	const struct xrd_record requests[] = {
		{ .kind = XRD_IO, .id = 8, .length = 4096 },
		{ .kind = XRD_IO, .id = 8, .offset = 4096, .length = -5000 },
	};
	struct xrd_record writing = opened;
	writing.flags |= XRD_HAS_RW;
	for (int i = 0; i < 4; i++) {
		bool sent = i & 1, ops = i & 2;
		struct xrd_record end = closed_forced;
		struct mill *m = mill_new();
		end.flags |= ops ? XRD_HAS_OPS : 0;
		end.ops = (struct xrd_ops){ .write = 1, .write_min = 7, .write_max = 7 };
		told_who(m, 6010);
		log_in(&m->b);
		f(m, 6012, 6014, writing);
		if (sent)
			hand_t(&m->b, requests, 2);
		f(m, 6020, 6022, end);	/* 1000 bytes read, 7 written */
		finish(m);
		expect_row(m, 6022, "xrootd",
			   sent ? "1 1 0 1 1 4096 0 5000 0 0" : "1 1 0 1 1 1000 0 7 0 0");
		expect_row(m, 6022, "xrootd_ops", sent ? "1 0 0 1" : ops ? "0 0 0 1" : NULL);
		mill_free(m);
	}
}

TEST(what_a_third_party_copy_wrote_is_counted_with_its_file)
{
	struct xrd_record writing = opened;
	struct mill *m = mill_new();
	writing.flags |= XRD_HAS_RW;
	told_who(m, 6010);
	log_in(&m->b);
	f(m, 6012, 6014, writing);
	hand_g(&m->b, 'P', "{\"TPC\":\"xroot\",\"Client\":\"alice.77:42@[::1]\",\"Xeq\":{\"RC\":0},"
			   "\"Dst\":\"xroot://srv:1094//store/a/b.root\",\"Size\":600}");
	f(m, 6020, 6022, (struct xrd_record){ .kind = XRD_CLOSE, .id = 8 });
	hand_g(&m->b, 'P', "{\"TPC\":\"http\",\"Client\":\"alice.77:42@[::1]\",\"Xeq\":{\"RC\":0,"
			   "\"Type\":\"push\"},\"Src\":\"http://srv//a\",\"Dst\":\"http://h//a\","
			   "\"Size\":70}");
	finish(m);
	/* the copy counts even without a close record */
	expect_row(m, 6022, "xrootd", "1 1 0 1 0 70 0 600 0 0");
	mill_free(m);
}

TEST(each_server_has_a_row_with_counts_of_the_receiver)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	log_in(&m->b);
	f(m, 6012, 6014, opened);
	m->b.f_seq += 3;
	f(m, 6050, 6055, closed);
	f(m, 6050, 6055, closed_of_another);
	finish(m);
	expect_row(m, 6055, "xrootd_receiver", "5 5 3 1 0 0 1 1");
	mill_free(m);
}

TEST(organisations_have_sums_of_their_own)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	log_in(&m->b);
	f(m, 6012, 6014, opened);
	f(m, 6050, 6055, closed);
	f(m, 6050, 6055, closed_of_another);
	finish(m);
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd_transfer srv.example.org:1094:cms 1 1000 600 0 0\n", 54));
	assert_non_null(memmem(m->out.p, m->out.n,
			       "xrootd_transfer srv.example.org:1094:- 1 1000 0 7 0\n", 50));
	assert_null(memmem(m->out.p, m->out.n, "xrootd_server srv.example.org:1094:", 35));
	mill_free(m);
}

TEST(the_number_of_organisations_is_bounded)
{
	struct mill *m = mill_new();
	told_who(m, 6010);
	for (uint32_t i = 0; i < 40; i++) {
		struct xrd_record o = opened, c = closed;
		char login[200];
		snprintf(login, sizeof(login), "xroot/u.%u:42@[::1]\n&p=x&n=&o=org%u&r=&g=",
			 i, i);
		hand(&m->b, map(&m->b, 'u', 1000 + i, login));
		o.id = c.id = 2000 + i;
		o.user = 1000 + i;
		f(m, 6012, 6014, o);
		f(m, 6012, 6014, c);
	}
	finish(m);
	assert_non_null(memmem(m->out.p, m->out.n, ":1094:org31 1 ", 14));
	assert_null(memmem(m->out.p, m->out.n, ":1094:org32 ", 12));
	assert_non_null(memmem(m->out.p, m->out.n, ":1094:others 8 8000 4800 0 0\n", 29));
	mill_free(m);
}

TEST(servers_beyond_the_limit_have_one_common_sum)
{
	struct mill *m = mill_new();
	at(m, 6010);
	for (size_t i = 0; i < XRD_SERVERS_MAX + 3; i++) {
		m->b.sid = 1 + i;
		m->b.start += 1;
		m->b.from.port = (uint16_t)(20000 + i % 30000);
		m->b.from.address.s6_addr[14] = (uint8_t)(i / 30000);
		m->b.f_seq = 0;
		f(m, 6012, 6014, opened);
	}
	finish(m);
	assert_non_null(memmem(m->out.p, m->out.n, "xrootd_opens others 3 0 0\n", 26));
	assert_null(memmem(m->out.p, m->out.n, "::1:24097 ", 10));
	assert_non_null(memmem(m->out.p, m->out.n, "xrootd_server ::1:20000 1 0 ", 28));
	mill_free(m);
}

int main(void)
{
	RUN(cmocka_unit_test(a_count_is_of_the_minute_of_its_window),
	    cmocka_unit_test(datagrams_of_servers_that_turn_out_to_be_one_count_once),
	    cmocka_unit_test(bytes_of_links_are_counted_apart_from_those_of_accesses),
	    cmocka_unit_test(late_records_are_counted),
	    cmocka_unit_test(a_minute_is_written_when_its_last_windows_can_have_arrived),
	    cmocka_unit_test(bytes_are_counted_as_they_are_reported_and_once),
	    cmocka_unit_test(values_that_a_server_does_not_send_are_not_0),
	    cmocka_unit_test(sums_go_on_when_the_server_restarts),
	    cmocka_unit_test(a_server_that_identifies_itself_late_keeps_its_counts),
	    cmocka_unit_test(no_sender_adds_to_the_sums_of_another_by_its_name),
	    cmocka_unit_test(a_name_is_released_after_its_address_was_silent_for_a_day),
	    cmocka_unit_test(a_server_cannot_take_the_name_of_another),
	    cmocka_unit_test(no_groups_are_made_for_times_without_data),
	    cmocka_unit_test(the_largest_values_do_not_overflow),
	    cmocka_unit_test(files_of_a_cache_are_summed_as_far_as_servers_report_them),
	    cmocka_unit_test(connections_are_summed_at_their_end),
	    cmocka_unit_test(copies_are_counted_by_size_and_result),
	    cmocka_unit_test(requests_are_counted_if_a_forced_close_has_fewer),
	    cmocka_unit_test(what_a_third_party_copy_wrote_is_counted_with_its_file),
	    cmocka_unit_test(each_server_has_a_row_with_counts_of_the_receiver),
	    cmocka_unit_test(organisations_have_sums_of_their_own),
	    cmocka_unit_test(the_number_of_organisations_is_bounded),
	    cmocka_unit_test(servers_beyond_the_limit_have_one_common_sum));
}
