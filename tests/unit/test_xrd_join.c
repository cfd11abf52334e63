/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_join.c - report files although packets are lost, late or repeated, or servers restart */
#include <stdio.h>
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"

TEST(a_whole_access_is_reported_at_its_close)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand(b, map(b, 'i', 5, USER "\nstep=7"));
	hand(b, map(b, 'T', 6, USER "\n&Uc=7&s=sub&n=nam&o=org&r=rol&g=grp"));
	hand(b, map(b, 'U', 9, USER "\n&Uc=7&Ec=2&Ac=9"));
	hand_f(b, opened);
	assert_int_equal(b->n, 0);
	hand_f(b, closed);
	assert_int_equal(b->n, 1);
	expect(b, "\"filename\":\"/store/a/b.root\",\"filesize\":5000,");
	expect(b, "\"dirname1\":\"/store\",\"dirname2\":\"/store/a\"");
	expect(b, "\"server_hostname\":\"srv.example.org\"");
	expect(b, "\"site\":\"S\",\"user\":\"alice\",\"user_dn\":\"/CN=A\"");
	expect(b, "\"host\":\"[::1]\",\"pid\":\"77\",\"protocol\":\"xroot\"");
	expect(b, "\"vo\":\"cms\",\"role\":\"prod\"");
	expect(b, "\"appinfo\":\"step=7\",\"ipv6\":true,\"experiment\":\"2\",\"activity\":\"9\"");
	expect(b, "\"token_subject\":\"sub\",\"token_username\":\"nam\",\"token_org\":\"org\"");
	expect(b, "\"open_window\":[101,111],\"close_window\":[102,112],\"read\":1000,");
	expect(b, "\"read_single_average\":500,\"read_single_min\":400,\"read_single_max\":600,"
		  "\"read_single_sigma\":100,");
	expect(b, "\"read_vector_count_average\":3,\"read_vector_count_min\":3,"
		  "\"read_vector_count_max\":3,\"read_vector_count_sigma\":0,");
	expect(b, "\"read_operations\":3,\"read_average\":533.3333333333334,\"read_min\":400,"
		  "\"read_max\":600,\"read_sigma\":94.28090415820");
	expect(b, "\"complete\":true,\"missing\":[],\"ended_by\":\"close\",\"forced\":false");
	bench_free(b);
}

TEST(no_sigma_is_reported_if_the_sums_lack_requests)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = closed;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	r.read = 90000;		/* the close includes bytes of pgread, sums of squares do not */
	r.ops.readv = 0;
	hand_f(b, r);
	expect(b, "\"read_single_max\":600,\"read_single_sigma\":null");
	bench_free(b);
}

TEST(a_minimum_above_the_maximum_is_unknown)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = closed;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	r.ops.read_min = INT32_MAX;
	r.ops.read_max = 0;
	hand_f(b, r);
	expect(b, "\"read_single_min\":null,\"read_single_max\":null,\"read_single_sigma\":null");
	expect(b, "\"read_min\":null,\"read_max\":null,\"read_sigma\":null");
	bench_free(b);
}

TEST(a_user_record_that_comes_late_completes_the_access)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	hand_f(b, opened);
	hand_f(b, closed);
	assert_int_equal(b->n, 0);
	log_in(b);
	assert_int_equal(b->n, 1);
	expect(b, "\"complete\":true");
	bench_free(b);
}

TEST(records_that_never_come_are_named)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = opened;
	r.flags = 0;
	hand_f(b, r);
	hand_f(b, closed);
	wait_for(b, XRD_WAIT / MS - 1);
	assert_int_equal(b->n, 0);
	wait_for(b, 2);
	assert_int_equal(b->n, 1);
	expect(b, "\"complete\":false,\"missing\":[\"user\",\"filename\",\"server\"]");
	expect(b, "\"user\":null");
	bench_free(b);
}

TEST(a_close_without_open_is_reported_with_the_known_values)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand(b, map(b, 'd', 8, USER "\n/d/path"));
	hand_f(b, closed);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 1);
	expect(b, "\"filename\":\"/d/path\",\"filesize\":null");
	expect(b, "\"user\":\"alice\"");
	expect(b, "\"start_time\":null,");
	expect(b, "\"read\":1000,");
	expect(b, "\"missing\":[\"open\"]");
	bench_free(b);
}

TEST(a_disconnect_ends_files_whose_close_is_missing)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	hand_f(b, moved);
	/* disconnect of a bound path */
	hand_f(b, (struct xrd_record){ .kind = XRD_DISC, .id = 0 });
	hand_f(b, left);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 1);
	expect(b, "\"read\":900,\"readv\":0,\"write\":0,\"read_is\":\"at_least\"");
	expect(b, "\"missing\":[\"close\"],\"ended_by\":\"disconnect\",\"forced\":null");
	bench_free(b);
}

TEST(bytes_that_no_record_has_are_not_zero)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	hand_f(b, left);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":null,\"readv\":null,\"write\":null");
	expect(b, "\"read_operations\":null");
	bench_free(b);
}

TEST(a_forced_close_is_marked)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = closed;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	r.flags |= XRD_FORCED;
	hand_f(b, r);
	expect(b, "\"complete\":true,\"missing\":[],\"ended_by\":\"close\",\"forced\":true");
	bench_free(b);
}

TEST(a_restart_ends_open_files)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	b->from.port++;		/* a new socket, with the same fingerprint */
	b->start = START + 500;
	b->seq = b->f_seq = 0;
	identify(b);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 1);
	expect(b, "\"missing\":[\"close\"],\"ended_by\":\"restart\"");
	expect(b, "\"serverID\":\"1000#::1#1234\"");
	log_in(b);		/* dictionary ids start again */
	hand_f(b, opened);
	hand_f(b, closed);
	assert_int_equal(b->n, 2);
	expect(b, "\"serverID\":\"1500#::1#1235\"");
	bench_free(b);
}

/* All servers behind a relay have one port, so only the id shows which server was restarted. */
TEST(a_start_ends_only_files_of_the_server_whose_id_it_has)
{
	static const struct {
		uint64_t before, now;		/* server id before and now; 0: not sent */
		bool same_port;
		size_t ended;
	} of[] = {
		{ 42, 42, true, 1 }, { 42, 42, false, 1 }, { 42, 43, true, 0 },
		{ 42, 0, true, 0 }, { 0, 42, true, 0 }, { 0, 0, true, 1 }, { 0, 0, false, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct bench *b = bench_new(1 << 20);
		b->sid = of[i].before;
		hand_f(b, opened);
		b->from.port += !of[i].same_port;
		b->start = START + 500;
		b->f_seq = 0;
		b->sid = of[i].now;
		hand_f(b, opened);
		wait_for(b, XRD_WAIT / MS);
		if (b->n != of[i].ended)
			fail_msg("case %zu: %zu ended", i, b->n);
		bench_free(b);
	}
}

TEST(the_second_destination_of_a_server_is_no_restart)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	b->from.port++;
	identify(b);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 0);
	bench_free(b);
}

/* A trial: the destinations of a server, and the faults of the network. */
struct drill {
	unsigned accesses;
	bool two, one_port;	/* .two: a second destination; .one_port: both use one socket */
	bool loses;		/* one datagram to each destination is lost */
	uint8_t first;		/* the second destination's first number */
	bool moves;		/* each access is opened and closed through different ports */
};

/* Hand a datagram to the receiver, and a copy with the second destination's own number. */
static void hand_both(struct bench *b, const struct drill *d, struct buf one, uint8_t *seq)
{
	struct buf copy = { 0 };
	const uint16_t port = b->from.port;
	buf_add(&copy, buf_str(&one));
	hand(b, one);
	if (d->two) {
		copy.p[1] = (char)(*seq)++;
		b->from.port = (uint16_t)(port + !d->one_port);
		xrd_join_add(b->join, &b->from, buf_str(&copy), b->now);
		b->from.port = port;
	}
	buf_free(&copy);
}

static void drill(const struct drill *d)
{
	struct bench *b = bench_new(8 << 20);
	struct xrd_record o = opened, c = closed;
	uint8_t maps = d->first, f = d->first;
	hand(b, map(b, '=', 0, "=/xrootd.5:42@srv\n&site=S&port=1094&inst=i&pgm=xrootd"
		    "&ver=v5.5.3"));
	hand_both(b, d, map(b, 'u', 7, USER "\n&p=gsi"), &maps);
	for (unsigned i = 0; i <= d->accesses; i++) {
		b->now += 20 * MS;
		o.id = 100 + i;
		c.id = 99 + i;
		if (i < d->accesses)
			hand_both(b, d, f_stream(b, &o, 1), &f);
		if (d->moves)
			b->from.port = (uint16_t)(2000 + i);
		if (i)
			hand_both(b, d, f_stream(b, &c, 1), &f);
		b->f_seq += d->loses && i == 300;
		f += d->loses && i == 400;
	}
	wait_for(b, XRD_WAIT / MS);
	xrd_join_finish(b->join);
	assert_int_equal(b->n, d->accesses);
	assert_int_equal(xrd_join_counts(b->join)->incomplete, 0);
	assert_int_equal(xrd_join_servers(b->join)->n, 1);
	const struct xrd_server *s = xrd_join_servers(b->join)->server[0];
	assert_int_equal(s->seen.n[XRD_DUPLICATE], d->two ? 2 * d->accesses + 1 : 0);
	assert_int_equal(s->seen.n[XRD_LOST], d->loses ? 2 : 0);
	assert_int_equal(s->seen.n[XRD_GAPS], d->loses ? 2 : 0);
	bench_free(b);
}

TEST(a_port_that_changes_splits_no_access)
{
	drill(&(struct drill){ .accesses = 500, .moves = true });
}

TEST(two_destinations_at_one_receiver_give_each_access_once)
{
	drill(&(struct drill){ .accesses = 549, .two = true, .first = 100 });
	drill(&(struct drill){ .accesses = 549, .two = true, .first = 100, .loses = true });
}

/*
 * A relay may forward a server's two destinations through one socket. Each destination numbers its
 * datagrams by itself, and the two numbers may be near each other or far apart.
 */
TEST(two_destinations_through_one_socket_count_only_real_losses)
{
	drill(&(struct drill){ .accesses = 549, .two = true, .one_port = true });
	for (unsigned i = 3; i < 254; i += 5) {
		drill(&(struct drill){ .accesses = 549, .two = true, .one_port = true,
				       .first = (uint8_t)i });
		drill(&(struct drill){ .accesses = 549, .two = true, .one_port = true,
				       .first = (uint8_t)i, .loses = true });
	}
}

static struct xrd_counts counts_of(struct bench *b)
{
	const struct xrd_server *s = xrd_join_servers(b->join)->server[0];
	assert_non_null(s);
	return s->seen;
}

TEST(datagrams_out_of_order_are_put_in_order)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	struct buf first = f_stream(b, (struct xrd_record[]){ { .kind = XRD_DISC, .id = 1 } }, 1);
	struct buf one = f_stream(b, &opened, 1), two = f_stream(b, &closed, 1);
	struct buf three = f_stream(b, &left, 1);
	hand(b, first);
	hand(b, three);
	hand(b, two);
	assert_int_equal(b->n, 0);
	hand(b, one);
	assert_int_equal(b->n, 1);
	expect(b, "\"complete\":true");
	assert_int_equal(counts_of(b).n[XRD_REORDERED], 2);
	assert_int_equal(counts_of(b).n[XRD_LOST], 0);
	bench_free(b);
}

TEST(a_gap_is_given_up_after_a_second_and_counted_by_counter)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	buf_free(&(struct buf[]){ map(b, 'd', 9, "x\ny") }[0]);		/* lost */
	buf_free(&(struct buf[]){ f_stream(b, &moved, 1) }[0]);		/* lost */
	hand_f(b, closed);
	assert_int_equal(b->n, 0);
	wait_for(b, XRD_ORDER_WAIT / MS);
	assert_int_equal(b->n, 1);
	assert_int_equal(counts_of(b).n[XRD_LOST], 1);
	hand(b, map(b, 'd', 10, "x\ny"));
	wait_for(b, XRD_ORDER_WAIT / MS);
	assert_int_equal(counts_of(b).n[XRD_LOST], 2);
	bench_free(b);
}

TEST(after_a_long_gap_a_number_that_seems_late_is_a_new_one)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	for (int i = 0; i < 250; i++)
		buf_free(&(struct buf[]){ f_stream(b, &moved, 1) }[0]);
	wait_for(b, XRD_ORDER_LATE / MS + 1);
	hand_f(b, closed);
	assert_int_equal(counts_of(b).n[XRD_LOST], 250);
	assert_int_equal(counts_of(b).n[XRD_DUPLICATE], 0);
	assert_int_equal(b->n, 1);
	bench_free(b);
}

TEST(a_datagram_that_comes_after_it_was_given_up_counts_as_late)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	struct buf late = map(b, 'u', 7, USER "\n&p=gsi");
	hand(b, map(b, 'd', 9, "x\ny"));
	wait_for(b, XRD_ORDER_WAIT / MS);
	assert_int_equal(counts_of(b).n[XRD_LOST], 1);
	hand_f(b, opened);
	hand_f(b, closed);
	hand(b, late);
	assert_int_equal(counts_of(b).n[XRD_LOST], 0);
	assert_int_equal(b->n, 1);
	expect(b, "\"complete\":true");
	bench_free(b);
}

TEST(repeated_records_are_reported_once)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	struct buf d = f_stream(b, &closed, 1), again = { 0 };
	buf_add(&again, buf_str(&d));
	hand(b, d);
	hand(b, again);
	wait_for(b, 10000);
	assert_int_equal(b->n, 1);
	assert_int_equal(counts_of(b).n[XRD_DUPLICATE], 1);
	bench_free(b);
}

TEST(numbers_wrap_and_large_losses_are_counted)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	for (unsigned i = 0; i < 600; i++)
		hand(b, map(b, 'd', 100 + i, "x\ny"));
	assert_int_equal(counts_of(b).n[XRD_LOST], 0);
	b->seq = (uint8_t)(b->seq + 200);
	for (unsigned i = 0; i < 100; i++)
		hand(b, map(b, 'd', 1000 + i, "x\ny"));
	assert_int_equal(counts_of(b).n[XRD_LOST], 200);
	assert_int_equal(counts_of(b).n[XRD_DUPLICATE], 0);
	bench_free(b);
}

TEST(losses_are_unknown_for_old_servers_with_a_shared_counter)
{
	struct bench *b = bench_new(1 << 20);
	hand(b, map(b, '=', 0, "=/xrootd.5:42@h\n&site=&port=1&inst=i&pgm=xrootd&ver=v5.0.3"));
	b->seq += 7;
	log_in(b);
	b->f_seq += 9;
	hand_f(b, opened);
	b->f_seq += 9;
	hand_f(b, closed);
	assert_int_equal(b->n, 1);
	assert_int_equal(counts_of(b).n[XRD_LOST], 0);
	bench_free(b);
}

TEST(a_file_without_a_record_for_a_day_is_ended)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	wait_for(b, XRD_IDLE / MS);
	assert_int_equal(b->n, 0);
	wait_for(b, 2000);
	assert_int_equal(b->n, 1);
	expect(b, "\"ended_by\":\"idle\"");
	bench_free(b);
}

TEST(names_that_are_not_utf_8_keep_their_bytes)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = opened;
	identify(b);
	log_in(b);
	for (r.id = 8; r.id < 10; r.id++) {
		r.text = r.id == 8 ? STR("/d\xe9/a b\\") : STR("/d\xe8/\xc3\xa9");
		hand_f(b, r);
	}
	xrd_join_finish(b->join);
	expect(b, "\"filename\":\"/d\\\\351/a\\\\040b\\\\134\"");
	expect(b, "\"filename\":\"/d\\\\350/\\\\303\\\\251\"");
	expect(b, "\"dirname2\":\"/d\\\\351\",\"filename_escaped\":true");
	bench_free(b);
}

TEST(files_that_are_open_at_the_end_are_reported)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	log_in(b);
	hand_f(b, opened);
	xrd_join_finish(b->join);
	assert_int_equal(b->n, 1);
	expect(b, "\"user\":\"alice\"");
	expect(b, "\"missing\":[\"close\"],\"ended_by\":\"stop\"");
	bench_free(b);
}

/*
 * Cut every datagram of an access at every byte, with the length field corrected. Only records
 * after the cut may be missing.
 */
TEST(a_cut_datagram_loses_only_what_was_cut)
{
	for (size_t cut = 0; cut < 400; cut++) {
		struct bench *b = bench_new(1 << 20);
		struct buf f[] = { map(b, 'u', 7, USER "\n&p=gsi&n=A"), map(b, 'd', 8, USER "\n/x"),
				   f_stream(b, &opened, 1), f_stream(b, &moved, 1),
				   f_stream(b, &closed, 1), f_stream(b, &left, 1) };
		for (size_t i = 0; i < ARRAY_SIZE(f); i++) {
			if (f[i].n > cut)
				f[i].n = cut;
			if (cut >= 4) {
				f[i].p[2] = (char)(f[i].n >> 8);
				f[i].p[3] = (char)f[i].n;
			}
			hand(b, f[i]);
		}
		xrd_join_finish(b->join);
		assert_true(b->n <= 1);
		if (cut > 200)
			expect(b, "\"missing\":[\"server\"]");
		bench_free(b);
	}
}

TEST(a_server_may_identify_itself_in_any_json)
{
	static const char *const lines[] = {
		"{\"code\":\"=\",\"pseq\":1,\"src\":{\"site\":\"a \\\"b\\\"\",\"host\":\"vm\","
		"\"port\":23020,\"inst\":\"px2\",\"pgm\":\"xrootd\",\"ver\":\"v5.5.3\"}}",
		"{ \"src\" : { \"ver\" : \"v5.5.3\" , \"site\" : \"a \\\"b\\\"\" , \"host\":"
		"\"vm\" , \"port\" : \"23020\" , \"inst\" : \"px2\", \"pgm\" : \"xrootd\" } }",
	};
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct xrd_server s = { .known = false };
		xrd_server_identify(&s, str_of(lines[i]), XRD_JSON);
		assert_string_equal(s.site, "a \"b\"");
		assert_string_equal(s.host, "vm");
		assert_string_equal(s.port, "23020");
		assert_string_equal(s.instance, "px2");
		assert_string_equal(s.program, "xrootd");
		assert_int_equal(s.release, XRD_RELEASE(5, 5, 3));
	}
}

/*
 * The close of a file was lost, and the file's number is used again by the server, or by another
 * server at the same address.
 */
TEST(a_number_that_is_opened_again_is_another_access)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record again = opened;
	identify(b);
	log_in(b);
	hand(b, map(b, 'u', 9, "xroot/bob.78:42@h\n&p=gsi&n=/CN=B"));
	hand_f(b, opened);
	hand_f(b, moved);
	again.user = 9;
	again.size = 7;
	again.text = STR("/other");
	hand_f(b, again);
	assert_int_equal(b->n, 1);
	expect(b, "\"filename\":\"/store/a/b.root\",\"filesize\":5000,");
	expect(b, "\"read\":900,");
	expect(b, "\"missing\":[\"close\"],\"ended_by\":\"reopen\"");
	b->out.n = 0;
	hand_f(b, closed);
	assert_int_equal(b->n, 2);
	expect(b, "\"filename\":\"/other\",\"filesize\":7,");
	expect(b, "\"user\":\"bob\"");
	expect(b, "\"complete\":true");
	assert_int_equal(xrd_join_servers(b->join)->server[0]->n_open, 0);
	bench_free(b);
}

TEST(a_path_with_the_number_of_an_open_file_belongs_to_another_access)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record again = opened;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	hand(b, map(b, 'd', 8, USER "\n/store/a/b.root"));
	assert_int_equal(b->n, 0);
	hand(b, map(b, 'd', 8, USER "\n/other"));
	assert_int_equal(b->n, 1);
	again.flags = 0;
	hand_f(b, again);
	b->out.n = 0;
	hand_f(b, closed);
	expect(b, "\"filename\":\"/other\"");
	bench_free(b);
}

TEST(a_negative_count_is_null)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record r = closed;
	identify(b);
	log_in(b);
	hand_f(b, opened);
	r.read = -5;
	r.readv = -6;
	r.write = -7;
	hand_f(b, r);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":null,\"readv\":null,\"write\":null,\"read_is\":null,"
		  "\"write_is\":null");
	expect(b, "\"bytes_why\":\"the server reported a negative count\"");
	expect(b, "\"read_bytes_at_close\":null,\"write_bytes_at_close\":null");
	expect(b, "\"complete\":false,\"missing\":[\"bytes\"]");
	assert_false(was_reported(b, ":-"));
	bench_free(b);
}

TEST(the_certificate_names_the_user)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	hand(b, map(b, 'u', 7, USER "\n&p=gsi&n=alice&o=cms&m=/DC=ch/CN=Alice::/cms/Role=x"));
	hand_f(b, opened);
	hand_f(b, closed);
	expect(b, "\"user_dn\":\"/DC=ch/CN=Alice\"");
	bench_free(b);
}

TEST(bytes_after_the_length_of_a_datagram_are_ignored)
{
	struct bench *b = bench_new(1 << 20);
	identify(b);
	struct buf d[] = { map(b, 'u', 7, USER "\n&p=gsi&n=A"), f_stream(b, &opened, 1),
			   f_stream(b, &closed, 1) };
	for (size_t i = 0; i < ARRAY_SIZE(d); i++) {
		buf_add(&d[i], STR("\0garbage"));
		hand(b, d[i]);
	}
	assert_int_equal(b->n, 1);
	expect(b, "\"user_dn\":\"A\"");
	expect(b, "\"complete\":true");
	assert_int_equal(xrd_join_counts(b->join)->bad, 0);
	bench_free(b);
}

/* dCache's plug-in sends a sid with each user, but none with records of the f-stream. */
TEST(sids_of_users_are_not_those_of_servers_if_the_f_stream_has_none)
{
	struct bench *b = bench_new(1 << 20);
	struct xrd_record o = opened, c = closed;
	identify(b);
	b->sid = 0;
	for (uint32_t i = 1; i < 40; i++) {
		char text[100];
		snprintf(text, sizeof(text), "xroot/user%u.77:%u@[::1]\n&p=gsi", i, 1000 + i);
		hand(b, map(b, 'u', i, text));
		if (i == 3)	/* the first file is opened after several logins */
			for (uint32_t k = 1; k < 3; k++) {
				o.id = c.id = 100 + k;
				o.user = k;
				hand_f(b, o);
				hand_f(b, c);
			}
		if (i < 3)
			continue;
		o.id = c.id = 100 + i;
		o.user = i;
		hand_f(b, o);
		b->out.n = 0;
		hand_f(b, c);
		assert_int_equal(b->n, i);
		snprintf(text, sizeof(text), "\"user\":\"user%u\"", i);
		expect(b, text);
		expect(b, "\"server_hostname\":\"srv.example.org\"");
		expect(b, "\"complete\":true");
	}
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(xrd_join_servers(b->join)->n, 1);
	assert_int_equal(xrd_join_servers(b->join)->server[0]->seen.n[XRD_LOST], 0);
	bench_free(b);
}

int main(void)
{
	RUN(cmocka_unit_test(a_server_may_identify_itself_in_any_json),
	    cmocka_unit_test(a_whole_access_is_reported_at_its_close),
	    cmocka_unit_test(no_sigma_is_reported_if_the_sums_lack_requests),
	    cmocka_unit_test(a_minimum_above_the_maximum_is_unknown),
	    cmocka_unit_test(a_user_record_that_comes_late_completes_the_access),
	    cmocka_unit_test(records_that_never_come_are_named),
	    cmocka_unit_test(a_close_without_open_is_reported_with_the_known_values),
	    cmocka_unit_test(a_disconnect_ends_files_whose_close_is_missing),
	    cmocka_unit_test(bytes_that_no_record_has_are_not_zero),
	    cmocka_unit_test(a_forced_close_is_marked),
	    cmocka_unit_test(a_restart_ends_open_files),
	    cmocka_unit_test(a_start_ends_only_files_of_the_server_whose_id_it_has),
	    cmocka_unit_test(the_second_destination_of_a_server_is_no_restart),
	    cmocka_unit_test(a_port_that_changes_splits_no_access),
	    cmocka_unit_test(two_destinations_through_one_socket_count_only_real_losses),
	    cmocka_unit_test(two_destinations_at_one_receiver_give_each_access_once),
	    cmocka_unit_test(datagrams_out_of_order_are_put_in_order),
	    cmocka_unit_test(a_gap_is_given_up_after_a_second_and_counted_by_counter),
	    cmocka_unit_test(after_a_long_gap_a_number_that_seems_late_is_a_new_one),
	    cmocka_unit_test(a_datagram_that_comes_after_it_was_given_up_counts_as_late),
	    cmocka_unit_test(repeated_records_are_reported_once),
	    cmocka_unit_test(numbers_wrap_and_large_losses_are_counted),
	    cmocka_unit_test(losses_are_unknown_for_old_servers_with_a_shared_counter),
	    cmocka_unit_test(a_file_without_a_record_for_a_day_is_ended),
	    cmocka_unit_test(names_that_are_not_utf_8_keep_their_bytes),
	    cmocka_unit_test(files_that_are_open_at_the_end_are_reported),
	    cmocka_unit_test(a_cut_datagram_loses_only_what_was_cut),
	    cmocka_unit_test(a_number_that_is_opened_again_is_another_access),
	    cmocka_unit_test(a_path_with_the_number_of_an_open_file_belongs_to_another_access),
	    cmocka_unit_test(a_negative_count_is_null),
	    cmocka_unit_test(the_certificate_names_the_user),
	    cmocka_unit_test(bytes_after_the_length_of_a_datagram_are_ignored),
	    cmocka_unit_test(sids_of_users_are_not_those_of_servers_if_the_f_stream_has_none));
}
