/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_events.c - report events that occur in no capture, and names with harmful characters */
#include <stdio.h>
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/lines/xrd_events.h"

/* The reports of an event, as JSON and as CSV. */
struct reported {
	struct buf json, csv;
};

static void on_event(void *arg, const struct xrd_event *e)
{
	struct reported *t = arg;
	xrd_event_put(&t->json, e);
	xrd_event_csv(&t->csv, e);
}

static struct bench *bench_of(struct reported *t)
{
	struct bench *b = bench_new(1 << 20);
	const struct xrd_listener to = { NULL, on_event, t };
	xrd_join_free(b->join);
	b->join = xrd_join_new(&to, 1 << 20);
	return b;
}

static void end(struct bench *b, struct reported *t)
{
	buf_free(&t->json);
	buf_free(&t->csv);
	bench_free(b);
}

static void assert_has(const struct buf *b, const char *text)
{
	if (!memmem(b->p, b->n, text, strlen(text)))
		fail_msg("no %s in %.*s", text, (int)b->n, b->p);
}

/* Make a datagram of the t-stream with these records between two windows. */
static struct buf t_stream(struct bench *b, struct str records)
{
	const struct xrd_record window = { .kind = XRD_WINDOW, .window_begin = 50,
					   .window_end = 60 };
	const struct xrd_packet p = { .code = 't', .seq = b->seq++, .start = b->start };
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &window);
	buf_add(&d, records);
	xrd_put(&d, &p, &window);
	assert_int_equal(xrd_end(&d, &p), 0);
	return d;
}

/* Hand a datagram with a window and this redirection to the receiver. */
static void hand_r(struct bench *b, const struct xrd_record *r)
{
	const struct xrd_packet p = { .code = 'r', .seq = b->seq++, .start = b->start, .sid = 42 };
	const struct xrd_record window = { .kind = XRD_WINDOW, .seconds = 10, .window_begin = 50 };
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &window);
	xrd_put(&d, &p, r);
	assert_int_equal(xrd_end(&d, &p), 0);
	hand(b, d);
}

TEST(a_path_with_quotes_and_lines_stays_one_field)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	struct xrd_record r = opened;
	r.text = STR("/a \"b\", c\nd\\e\tf");
	hand_f(b, r);
	assert_has(&t.csv, ",open,8,\"/a \"\"b\"\", c\\012d\\134e\\011f\",,,,,\n");
	assert_has(&t.json, "\"path\":\"/a \\\"b\\\", c\\u000ad\\\\e\\u0009f\"");
	end(b, &t);
}

TEST(paths_that_differ_in_control_characters_differ_in_csv)
{
	static const char *const paths[] = {
		"/a\nb", "/a\tb", "/a?b", "/a\\012b", "/a\xe9", "/a\xe8", "/a\xc2\x80", "/a?",
	};
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	struct str all, line, lines[ARRAY_SIZE(paths)];
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct xrd_record r = opened;
		r.text = str_of(paths[i]);
		b->f_seq = 0;
		b->from.port++;
		hand_f(b, r);
	}
	all = buf_str(&t.csv);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_true(str_take_line(&all, &line));
		const char *at = memmem(line.p, line.n, ",open,", 6);
		assert_non_null(at);
		lines[i] = str_skip(line, (size_t)(at - line.p));
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(lines[i], lines[k]));
	}
	end(b, &t);
}

TEST(a_marker_of_an_application_is_reported)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand(b, t_stream(b, STR("\xa0\0\0\0step seven\0\0")));
	assert_has(&t.json, "\"op\":{\"type\":\"appid\",\"id\":null,\"path\":null,"
			    "\"text\":\"step seven\"}}");
	assert_has(&t.csv, ",appid,");
	end(b, &t);
}

TEST(a_marker_has_the_user_of_the_next_entry)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	log_in(b);
	hand_f(b, opened);
	t.json.n = 0;
	hand_t(b, (const struct xrd_record[]){ { .kind = XRD_APPID, .text = STR("step seven") },
					       { .kind = XRD_IO, .id = 8, .length = 5 } }, 2);
	t.json.n = (size_t)((char *)memchr(t.json.p, '\n', t.json.n) - t.json.p);
	assert_has(&t.json, "\"usr\":\"alice\",\"host\":\"[::1]\",\"pid\":\"77\",\"proc\":\"cp\"");
	assert_has(&t.json, "\"path\":null,\"text\":\"step seven\",\"inferred\":true}}");
	end(b, &t);
}

TEST(every_event_of_a_stream_has_the_servers_id)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand_f(b, opened);
	assert_has(&t.json, "\"server_start\":1000,\"sid\":42,");
	t.json.n = 0;
	hand_t(b, (const struct xrd_record[]){ { .kind = XRD_IO, .id = 8, .length = 5 } }, 1);
	assert_has(&t.json, "\"server_start\":1000,\"sid\":42,");
	t.json.n = 0;
	hand_r(b, &(struct xrd_record){ .kind = XRD_REDIRECT, .id = 7, .op = 2, .port = 1094,
					.host = STR("srv2"), .text = STR("/store/f") });
	assert_has(&t.json, "\"server_start\":1000,\"sid\":42,");
	assert_has(&t.json, "\"path\":\"/store/f\"");
	assert_has(&t.json, "\"by\":\"cmsd\",\"target\":\"srv2\",\"port\":1094}}");
	end(b, &t);
}

TEST(a_file_transfer_is_reported_in_words)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	static const char *const words[] = {
		"\"unknown\"", "\"copied in by client\"", "\"migrated\"",
		"\"migrated and removed\"", "\"copied out by client\"",
		"\"copied out and removed\"", "\"staged\"", "null",
	};
	for (unsigned op = 0; op < ARRAY_SIZE(words); op++) {
		char text[64], want[64];
		snprintf(text, sizeof(text), "u.1:2@h\n/f\n&tod=1&sz=2&tm=3&op=%u&rc=0", op);
		snprintf(want, sizeof(want), "\"op\":%u,\"operation\":%s,\"rc\":0", op,
			 words[op]);
		t.json.n = 0;
		hand(b, map(b, 'x', 0, text));
		assert_has(&t.json, want);
	}
	end(b, &t);
}

/*
 * JSON has no numbers with leading zeros. "pd" is text from a program of the site, and may have
 * them.
 */
TEST(a_value_that_is_no_number_in_json_is_a_text)
{
	static const struct {
		const char *value, *want;
	} values[] = {
		{ "0", "\"pd\":0}" }, { "10", "\"pd\":10}" }, { "007", "\"pd\":\"007\"}" },
		{ "00", "\"pd\":\"00\"}" }, { "-1", "\"pd\":\"-1\"}" }, { "", "\"pd\":null}" },
	};
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		char text[64];
		snprintf(text, sizeof(text), "u.1:2@h\n/f\n&tod=1&pd=%s", values[i].value);
		t.json.n = 0;
		hand(b, map(b, 'x', 0, text));
		assert_has(&t.json, values[i].want);
	}
	end(b, &t);
}

TEST(a_record_of_an_unknown_kind_is_reported_with_its_size)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand(b, t_stream(b, STR("\xb0\0\0\0abcdefghijkl")));
	assert_has(&t.json, "\"type\":\"unknown\",\"id\":null,\"path\":null,\"bytes\":16}}");
	assert_int_equal(xrd_join_counts(b->join)->unknown, 1);
	end(b, &t);
}

#define COPY "{\"TPC\":\"xroot\",\"Client\":\"alice.77:26@[::1]\",\"Xeq\":{\"RC\":0},\"Size\":5}"

TEST(a_line_of_a_plug_in_is_an_object_with_its_user)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand_g(b, 'P', COPY);
	assert_has(&t.json, "\"usr\":\"alice\",\"host\":\"[::1]\",\"pid\":\"77\",\"proc\":null");
	assert_has(&t.json, "\"op\":{\"type\":\"tpc\",\"provider\":\"P\",\"event\":" COPY "}}");
	t.json.n = 0;
	log_in(b);
	hand_g(b, 'P', COPY);
	assert_has(&t.json, "\"proc\":\"cp\",\"stream\":\"g\"");
	t.json.n = 0;
	hand_g(b, 'T', "{\"remote\":\"10.1.2.3\",\"rtt\":5}");
	assert_has(&t.json, "\"usr\":null,\"host\":\"10.1.2.3\"");
	end(b, &t);
}

TEST(a_line_that_is_no_object_is_damaged_if_its_provider_sends_objects)
{
	static const struct {
		char provider;
		const char *line;
		bool damaged;
	} of[] = {
		{ 'C', "{\"event\": \"file_close\", \"lfn\": \"/f\", \"size\": 3}", false },
		{ 'C', "{\"event\":\"file_close\",\"lfn\":\"/f\",\"siz", true },
		{ 'P', "{}\n{", true }, { 'O', "7", true }, { 'M', "purged 7", false },
		{ '?', "any", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		for (int with_events = 0; with_events < 2; with_events++) {
			struct reported t = { .json = { 0 } };
			struct bench *b = with_events ? bench_of(&t) : bench_new(1 << 20);
			hand_g(b, of[i].provider, of[i].line);
			const struct xrd_server *s = xrd_join_servers(b->join)->server[0];
			assert_int_equal(s->seen.n[XRD_DAMAGED], of[i].damaged);
			assert_int_equal(xrd_join_counts(b->join)->bad, of[i].damaged);
			end(b, &t);
		}
}

TEST(a_line_that_is_no_object_stays_a_line)
{
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand_g(b, 'M', "purged 7");
	assert_has(&t.json,
		   "\"op\":{\"type\":\"event\",\"provider\":\"M\",\"line\":\"purged 7\"}}");
	end(b, &t);
}

/*
 * Events without a header have no number. Equal events must not count as duplicates, and no event
 * may count as lost.
 */
TEST(events_without_a_header_are_all_taken)
{
	static const char line[] = "{\"event\":\"file_close\",\"lfn\":\"/f\",\"size\":3}";
	struct reported t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	for (int i = 0; i < 3; i++) {
		t.json.n = 0;
		xrd_join_add(b->join, &b->from, str_of(line), b->now);
		assert_has(&t.json, "\"type\":\"cache\",\"provider\":\"C\",\"event\":{\"event\"");
		assert_has(&t.json, "\"stream\":\"g\",\"sequence\":null,");
		assert_has(&t.json, "\"server_start\":null,\"sid\":null,");
	}
	const struct xrd_server *s = xrd_join_servers(b->join)->server[0];
	assert_int_equal(s->seen.n[XRD_RECEIVED], 3);
	assert_int_equal(s->seen.n[XRD_LOST] + s->seen.n[XRD_DUPLICATE], 0);
	assert_true(s->cache);
	end(b, &t);
}

int main(void)
{
	RUN(cmocka_unit_test(events_without_a_header_are_all_taken),
	    cmocka_unit_test(a_path_with_quotes_and_lines_stays_one_field),
	    cmocka_unit_test(paths_that_differ_in_control_characters_differ_in_csv),
	    cmocka_unit_test(a_marker_of_an_application_is_reported),
	    cmocka_unit_test(a_line_of_a_plug_in_is_an_object_with_its_user),
	    cmocka_unit_test(a_line_that_is_no_object_is_damaged_if_its_provider_sends_objects),
	    cmocka_unit_test(a_line_that_is_no_object_stays_a_line),
	    cmocka_unit_test(a_marker_has_the_user_of_the_next_entry),
	    cmocka_unit_test(every_event_of_a_stream_has_the_servers_id),
	    cmocka_unit_test(a_file_transfer_is_reported_in_words),
	    cmocka_unit_test(a_value_that_is_no_number_in_json_is_a_text),
	    cmocka_unit_test(a_record_of_an_unknown_kind_is_reported_with_its_size));
}
