/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrdstream.c - decode datagrams of real servers and damaged ones, and encode them again */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "tests/unit/captures.h"
#include "formats/xrootd/xrdstream.h"

/* Servers leave uninitialised memory in the reserved bytes of a disconnect in a t-stream. */
static bool is_reserved(struct str d, size_t i)
{
	return d.p[0] == 't' && (unsigned char)d.p[8 + (i - 8) / 16 * 16] == 0xd0 &&
	       (i - 8) % 16 >= 4 && (i - 8) % 16 < 8;
}

static void assert_same(struct str ours, struct str theirs)
{
	assert_int_equal(ours.n, theirs.n);
	for (size_t i = 0; i < ours.n; i++)
		if (i < 8 || !is_reserved(theirs, i))
			assert_int_equal(ours.p[i], theirs.p[i]);
}

static size_t counts[XRD_UNKNOWN + 1];

static void write_again(struct str datagram)
{
	struct buf b = { 0 };
	struct xrd_packet p;
	struct xrd_record r;
	int n;
	assert_int_equal(xrd_open(datagram, &p), 0);
	if (p.form == XRD_BINARY)
		xrd_begin(&b, &p);
	while ((n = xrd_next(&p, &r)) > 0) {
		counts[r.kind]++;
		if (p.form == XRD_BINARY)
			xrd_put(&b, &p, &r);
	}
	assert_int_equal(n, 0);
	if (p.form == XRD_BINARY) {
		assert_int_equal(xrd_end(&b, &p), 0);
		assert_same(buf_str(&b), datagram);
	}
	buf_free(&b);
}

static void write_all_again(struct capture *c)
{
	for (size_t i = 0; i < c->n; i++)
		write_again(c->d[i].bytes);
}

TEST(real_datagrams_come_back_byte_for_byte)
{
	assert_true(each_capture(write_all_again) > 200);
	for (size_t i = 0; i < XRD_APPID; i++)
		assert_true(counts[i] > 0);
	assert_true(counts[XRD_REDIRECT] > 100);
	assert_true(counts[XRD_LINE] > 10);
	assert_int_equal(counts[XRD_UNKNOWN], 0);
}

/*
 * Return the number of records in the first n bytes of a datagram. The copy ends with these bytes,
 * so that a sanitizer sees reads beyond them. mend: set the length field to n.
 */
static size_t records_of(const char *p, size_t n, bool mend, int *end)
{
	char *copy = malloc(n + !n);
	struct xrd_packet packet;
	struct xrd_record r;
	size_t count = 0;
	assert_non_null(copy);
	if (n)
		memcpy(copy, p, n);
	if (mend && n >= 4) {
		copy[2] = (char)(n >> 8);
		copy[3] = (char)n;
	}
	*end = xrd_open((struct str){ copy, n }, &packet);
	if (*end == 0)
		while ((*end = xrd_next(&packet, &r)) > 0)
			count++;
	free(copy);
	return count;
}

static void cut_everywhere(struct str datagram)
{
	int end;
	size_t whole = records_of(datagram.p, datagram.n, false, &end);
	if (datagram.p[0] == '{' || datagram.p[0] == 'c')
		return;
	for (size_t n = 0; n < datagram.n; n++) {
		records_of(datagram.p, n, false, &end);
		assert_int_equal(end, -EBADMSG);
		size_t fewer = records_of(datagram.p, n, true, &end);
		assert_true(fewer <= whole);
		assert_true(end == 0 || end == -EBADMSG);
	}
}

static void cut_all(struct capture *c)
{
	for (size_t i = 0; i < c->n; i++)
		cut_everywhere(c->d[i].bytes);
}

TEST(a_datagram_cut_anywhere_is_refused_or_ends_there)
{
	each_capture(cut_all);
}

static int next_of(const char *bytes, size_t n, struct xrd_record *r)
{
	struct xrd_packet p;
	int e = xrd_open((struct str){ bytes, n }, &p);
	return e < 0 ? e : xrd_next(&p, r);
}

#define F_HEAD(n) "f\0\0" n "\0\0\0\1" "\2\1\0\30\0\0\0\1" "\0\0\0\5\0\0\0\7" "\0\0\0\0\0\0\0\x2a"
#define T_HEAD "t\0\0\30\0\0\0\1"

TEST(an_unknown_record_is_skipped_by_its_size)
{
	static const char f[] = F_HEAD("\64") "\11\0\0\14abcdefgh" "\4\0\0\10\0\0\0\3";
	struct xrd_packet p;
	struct xrd_record r;
	assert_int_equal(xrd_open((struct str){ f, sizeof(f) - 1 }, &p), 0);
	assert_int_equal(p.begin, 5);
	assert_int_equal(p.end, 7);
	assert_int_equal(p.sid, 42);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_int_equal(r.kind, XRD_UNKNOWN);
	assert_int_equal(r.text.n, 12);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_int_equal(r.kind, XRD_DISC);
	assert_int_equal(r.id, 3);
	assert_int_equal(xrd_next(&p, &r), 0);
}

TEST(members_that_newer_servers_add_to_a_record_are_kept)
{
	static const char f[] = F_HEAD("\54") "\4\0\0\14\0\0\0\3more";
	struct xrd_record r;
	assert_int_equal(next_of(f, sizeof(f) - 1, &r), 1);
	assert_int_equal(r.kind, XRD_DISC);
	assert_true(str_eq(r.rest, STR("more")));
}

TEST(a_record_without_size_ends_the_datagram)
{
	static const char f[] = F_HEAD("\50") "\4\0\0\0\0\0\0\3";
	struct xrd_record r;
	assert_int_equal(next_of(f, sizeof(f) - 1, &r), -EBADMSG);
}

/* Put a record of the f-stream of this size, whatever its flags say, and a disconnect after it. */
static void put_sized(struct buf *b, uint8_t type, uint8_t flags, size_t size)
{
	buf_add(b, STR(F_HEAD("\0")));
	wire_put(b, type, 1);
	wire_put(b, flags, 1);
	wire_put(b, size, 2);
	for (size_t i = 4; i < size; i++)
		buf_add_char(b, 1);
	buf_add(b, STR("\4\0\0\10\0\0\0\3"));
	b->p[2] = (char)(b->n >> 8);
	b->p[3] = (char)b->n;
}

/* Check the kind of a record of this size, and that the next record follows at that size. */
static void assert_kind(uint8_t type, uint8_t flags, size_t size, enum xrd_kind want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct xrd_packet p;
	struct xrd_record r;
	put_sized(&b, type, flags, size);
	assert_int_equal(xrd_open(buf_str(&b), &p), 0);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_int_equal(r.kind, want);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_int_equal(r.kind, XRD_DISC);
	assert_int_equal(xrd_next(&p, &r), 0);
}

/*
 * The sizes are from section 3.4 of the protocol's description. A file's name may have any length.
 */
TEST(records_shorter_than_their_flags_say_are_unknown)
{
	static const struct {
		uint8_t type, flags;
		enum xrd_kind kind;
		size_t size;
	} records[] = {
		{ 0, 0, XRD_CLOSE, 32 },
		{ 0, XRD_HAS_OPS, XRD_CLOSE, 80 },
		{ 0, XRD_HAS_OPS | XRD_HAS_SSQ, XRD_CLOSE, 112 },
		{ 0, XRD_HAS_SSQ, XRD_CLOSE, 64 },
		{ 1, 0, XRD_OPEN, 16 },
		{ 1, XRD_HAS_LFN, XRD_OPEN, 20 },
		{ 2, 0, XRD_WINDOW, 16 },
		{ 2, XRD_HAS_SID, XRD_WINDOW, 24 },
		{ 3, 0, XRD_XFR, 32 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		for (size_t size = 8; size < records[i].size; size++)
			assert_kind(records[i].type, records[i].flags, size, XRD_UNKNOWN);
		assert_kind(records[i].type, records[i].flags, records[i].size, records[i].kind);
	}
}

TEST(totals_of_a_close_in_t_are_shifted_back)
{
	static const char t[] = T_HEAD "\xc0\1\2\0\xa0\0\0\0\x90\0\0\0\0\0\0\7";
	static const char odd[] = T_HEAD "\xc0\x20\0\0\xa0\0\0\0\x90\0\0\0\0\0\0\7";
	struct xrd_record r;
	assert_int_equal(next_of(t, sizeof(t) - 1, &r), 1);
	assert_int_equal(r.kind, XRD_CLOSE);
	assert_int_equal(r.read, 5368709120);
	assert_int_equal(r.write, 9663676416);
	assert_int_equal(r.id, 7);
	assert_int_equal(next_of(odd, sizeof(odd) - 1, &r), 1);
	assert_int_equal(r.kind, XRD_UNKNOWN);	/* 32 bits cannot be shifted by 32 */
}

TEST(a_write_in_t_has_a_length_below_zero)
{
	static const char t[] = T_HEAD "\0\0\0\1\0\0\0\0\xff\xff\xff\xf6\0\0\0\7";
	struct xrd_record r;
	assert_int_equal(next_of(t, sizeof(t) - 1, &r), 1);
	assert_int_equal(r.kind, XRD_IO);
	assert_int_equal(r.offset, 4294967296);
	assert_int_equal(r.length, -10);
}

TEST(markers_of_applications_have_twelve_characters)
{
	static const char t[] = T_HEAD "\xa0\0\0\0twelve chars";
	struct xrd_record r;
	assert_int_equal(next_of(t, sizeof(t) - 1, &r), 1);
	assert_int_equal(r.kind, XRD_APPID);
	assert_true(str_eq(r.text, STR("twelve chars")));
}

/* No capture has these records: a second window in an f-stream, markers, and unknown records. */
TEST(rare_records_come_back_byte_for_byte)
{
	write_again(STR(T_HEAD "\xa0\0\0\0twelve chars"));
	write_again(STR(T_HEAD "\xa0\0\0\0five\0\0\0\0\0\0\0\0"));
	write_again(STR(T_HEAD "\xb0\0\0\0unknown kind"));
	write_again(STR("r\0\0\40\0\0\0\1" "\xf0\0\0\0\0\0\0\x2a" "\xb0\0\0\0\0\0\0\1"
			"\0\0\0\2\0\0\0\5"));
	write_again(STR(F_HEAD("\104") "\11\0\0\14abcdefgh"
			"\2\1\0\30\0\0\0\1" "\0\0\0\6\0\0\0\7" "\0\0\0\0\0\0\0\x2a"));
}

TEST(a_redirect_need_not_end_by_a_nul)
{
	static const char head[] = "r\0\0\50\0\0\0\1" "\xf0\0\0\0\0\0\0\x2a" "\0\0\0\2\0\0\0\5";
	char r_[40];
	struct xrd_packet p;
	struct xrd_record r;
	memcpy(r_, head, 24);
	memcpy(r_ + 24, "\x95\1\4\x46\0\0\0\3[::1]:/x", 16);
	assert_int_equal(xrd_open((struct str){ r_, 40 }, &p), 0);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_int_equal(r.kind, XRD_WINDOW);
	assert_int_equal(r.seconds, 2);
	assert_int_equal(xrd_next(&p, &r), 1);
	assert_true(str_eq(r.host, STR("[::1]")));
	assert_true(str_eq(r.text, STR("/x")));
	assert_string_equal(xrd_redirect_op(r.op), "openr");
	assert_true(r.local);
	assert_int_equal(r.port, 1094);
	assert_null(xrd_redirect_op(0));
	assert_null(xrd_redirect_op(15));
}

TEST(a_user_is_split_at_the_last_of_each_separator)
{
	static const struct {
		struct str in;
		bool ok;
		const char *protocol, *name, *pid, *sid, *host;
	} cases[] = {
		{ STR("xroot/a.b.c.77:5@[::1]"), true, "xroot", "a.b.c", "77", "5", "[::1]" },
		{ STR("http/u@v. 12:5@h"),       true, "http", "u@v", "12", "5", "h" },
		{ STR("root.1:26@h"),            true, "", "root", "1", "26", "h" },
		{ STR("frm_purged:21@local"),    true, "", "frm_purged", "", "21", "local" },
		{ STR("no host"),                false },
		{ STR(""),                       false },
		{ STR("a.1:x@h"),                false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xrd_user u;
		assert_int_equal(xrd_user_split(cases[i].in, &u), cases[i].ok);
		if (!cases[i].ok)
			continue;
		assert_true(str_eq(u.protocol, str_of(cases[i].protocol)));
		assert_true(str_eq(u.name, str_of(cases[i].name)));
		assert_true(str_eq(u.pid, str_of(cases[i].pid)));
		assert_true(str_eq(u.sid, str_of(cases[i].sid)));
		assert_true(str_eq(u.host, str_of(cases[i].host)));
	}
}

TEST(values_are_not_escaped_and_end_before_the_next_key)
{
	struct str s = STR("/a&b=c\n&n=CN=A & B&h=[::1]&o=&y=job=1;vo=x&I=4&I=6");
	struct str key, value;
	s = str_skip(s, 7);
	assert_true(xrd_take_pair(&s, &key, &value));
	assert_true(str_eq(key, STR("n")));
	assert_true(str_eq(value, STR("CN=A & B")));
	assert_true(str_eq(xrd_pair(s, STR("o")), STR("")));
	assert_true(str_eq(xrd_pair(s, STR("y")), STR("job=1;vo=x")));
	assert_true(str_eq(xrd_pair(s, STR("I")), STR("6")));
	assert_true(str_eq(xrd_pair(s, STR("z")), STR("")));
}

TEST(text_that_was_cut_ends_at_its_nul)
{
	static const char d[] = "d\0\0\24\0\0\0\1\0\0\0\7abc\0rest";
	struct xrd_record r;
	assert_int_equal(next_of(d, sizeof(d) - 1, &r), 1);
	assert_int_equal(r.id, 7);
	assert_true(str_eq(r.text, STR("abc")));
}

TEST(events_come_as_json_and_cgi_too)
{
	static const struct {
		struct str in;
		unsigned seq;
	} cases[] = {
		{ STR("{\"code\":\"g\",\"pseq\":  7,\"stod\":9,\"sid\":42,\"src\":{},\"gs\":"
		      "{\"type\":\"C\",\"tbeg\":1795212509,\"tend\":1795212510}}\n{}\0"), 7 },
		{ STR("{ \"gs\" : { \"tend\" : 1795212510, \"tbeg\": 1795212509, \"type\":"
		      "\"C\" }, \"sid\" : 42 , \"stod\" : 9, \"pseq\" : 7, \"code\" : \"g\""
		      "}\n{}\0"), 7 },
		{ STR("code=g&pseq=++7&stod=9&sid=42&site=&gs.type=C&gs.tbeg=1795212509"
		      "&gs.tend=179521251092776792949370\n{}\0"), 7 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xrd_packet p;
		struct xrd_record r;
		assert_int_equal(xrd_open(cases[i].in, &p), 0);
		assert_int_equal(p.code, 'g');
		assert_int_equal(p.seq, cases[i].seq);
		assert_int_equal(p.start, 9);
		assert_int_equal(p.sid, 42);
		assert_int_equal(p.provider, 'C');
		assert_int_equal(p.begin, 1795212509);
		assert_int_equal(p.end, 1795212510);
		assert_int_equal(xrd_next(&p, &r), 1);
		assert_true(str_eq(r.text, STR("{}")));
		assert_int_equal(xrd_next(&p, &r), 0);
	}
}

/*
 * With "send json nohdr" and "send cgi nohdr" there is no header, but the event shows its provider.
 */
TEST(events_come_without_a_header_too)
{
	static const struct {
		const char *line;
		char provider;
	} cases[] = {
		{ "{\"event\":\"file_close\",\"lfn\":\"/a\"b\",\"size\":3}", 'C' },
		{ "{\"lfn\":\"/f\",\"event\": \"file_close\"}", 'C' },
		{ "{\"event\":\"throttle_update\",\"io_wait\":0.1}", 'R' },
		{ "{\"event\":\"oss_stats_pfc\",\"reads\":1}", 'O' },
		{ "{\"event\":\"s3file_stats\",\"hit_b\":1}", 'O' },
		{ "{\"TPC\":\"xroot\",\"Client\":\"u.1:2@h\",\"Size\":1}", 'P' },
		{ "{\"type\":\"tcpstats\",\"remote\":\"a\\\"b\"}", 'T' },
		{ "{\"HTTP_GET_200\":{\"count\":1}}", 'H' },
		{ "{\"event\":\"of another plug-in\"}", '\0' },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf d CLEANUP(buf_free) = { 0 };
		struct xrd_packet p;
		struct xrd_record r;
		buf_addf(&d, "%s\n%s%c", cases[i].line, cases[i].line, '\0');
		assert_int_equal(xrd_open(buf_str(&d), &p), 0);
		assert_int_equal(p.code, 'g');
		assert_int_equal(p.provider, cases[i].provider);
		assert_false(p.has_sid);
		for (int line = 0; line < 2; line++) {
			assert_int_equal(xrd_next(&p, &r), 1);
			assert_true(str_eq(r.text, str_of(cases[i].line)));
		}
		assert_int_equal(xrd_next(&p, &r), 0);
	}
}

TEST(other_packets_at_the_port_are_distinguished)
{
	struct xrd_packet p;
	assert_int_equal(xrd_open(STR("<statistics tod=\"1\">"), &p), -ENOMSG);
	assert_int_equal(xrd_open(STR("{\"statistics\":{}}"), &p), -ENOMSG);
	assert_int_equal(xrd_open(STR("{\"code\":\"g\"}"), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR("{\"event\":\"file_close\""), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR("{\"code\":\"g\",\"event\":\"a\"}"), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR("{\"size\":5}"), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR("code=g"), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR("z\0\0\14\0\0\0\1\0\0\0\0"), &p), -EBADMSG);
	assert_int_equal(xrd_open(STR(""), &p), -EBADMSG);
}

int main(void)
{
	RUN(cmocka_unit_test(real_datagrams_come_back_byte_for_byte),
	    cmocka_unit_test(a_datagram_cut_anywhere_is_refused_or_ends_there),
	    cmocka_unit_test(an_unknown_record_is_skipped_by_its_size),
	    cmocka_unit_test(members_that_newer_servers_add_to_a_record_are_kept),
	    cmocka_unit_test(a_record_without_size_ends_the_datagram),
	    cmocka_unit_test(records_shorter_than_their_flags_say_are_unknown),
	    cmocka_unit_test(totals_of_a_close_in_t_are_shifted_back),
	    cmocka_unit_test(a_write_in_t_has_a_length_below_zero),
	    cmocka_unit_test(markers_of_applications_have_twelve_characters),
	    cmocka_unit_test(rare_records_come_back_byte_for_byte),
	    cmocka_unit_test(a_redirect_need_not_end_by_a_nul),
	    cmocka_unit_test(a_user_is_split_at_the_last_of_each_separator),
	    cmocka_unit_test(values_are_not_escaped_and_end_before_the_next_key),
	    cmocka_unit_test(text_that_was_cut_ends_at_its_nul),
	    cmocka_unit_test(events_come_as_json_and_cgi_too),
	    cmocka_unit_test(events_come_without_a_header_too),
	    cmocka_unit_test(other_packets_at_the_port_are_distinguished));
}
