/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_events.c - events that the captures have none of, and names that do harm */
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "tracers/xrd_events.h"

/* What is told of an event in both forms. */
struct told {
	struct buf json, csv;
};

static void on_event(void *arg, const struct xrd_event *e)
{
	struct told *t = arg;
	xrd_event_put(&t->json, e);
	xrd_event_csv(&t->csv, e);
}

static struct bench *bench_of(struct told *t)
{
	struct bench *b = bench_new(1 << 20);
	const struct xrd_listener to = { NULL, on_event, t };
	xrd_join_free(b->join);
	b->join = xrd_join_new(&to, 1 << 20);
	return b;
}

static void end(struct bench *b, struct told *t)
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

/* Records of the t-stream, between two windows. */
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

TEST(a_path_with_quotes_and_lines_stays_one_field)
{
	struct told t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	struct xrd_record r = opened;
	r.text = STR("/a \"b\", c\nd\\e\tf");
	hand_f(b, r);
	assert_has(&t.csv, ",open,8,\"/a \"\"b\"\", c?d\\e\tf\",,,,,\n");
	assert_has(&t.json, "\"path\":\"/a \\\"b\\\", c\\u000ad\\\\e\\u0009f\"");
	end(b, &t);
}

TEST(a_marker_of_an_application_is_told)
{
	struct told t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand(b, t_stream(b, STR("\xa0\0\0\0step seven\0\0")));
	assert_has(&t.json, "\"op\":{\"type\":\"appid\",\"id\":null,\"path\":null,"
			    "\"text\":\"step seven\"}}");
	assert_has(&t.csv, ",appid,");
	end(b, &t);
}

TEST(a_record_of_an_unknown_kind_is_told_by_its_size)
{
	struct told t = { .json = { 0 } };
	struct bench *b = bench_of(&t);
	hand(b, t_stream(b, STR("\xb0\0\0\0abcdefghijkl")));
	assert_has(&t.json, "\"type\":\"unknown\",\"id\":null,\"path\":null,\"bytes\":16}}");
	assert_int_equal(xrd_join_counts(b->join)->unknown, 1);
	end(b, &t);
}

int main(void)
{
	RUN(cmocka_unit_test(a_path_with_quotes_and_lines_stays_one_field),
	    cmocka_unit_test(a_marker_of_an_application_is_told),
	    cmocka_unit_test(a_record_of_an_unknown_kind_is_told_by_its_size));
}
