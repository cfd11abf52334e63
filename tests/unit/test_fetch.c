/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fetch.c - read only complete rows of ClickHouse's RowBinary, and query time spans in pieces
 */
#include "fetch/queries.h"
#include "formats/row_binary.h"
#include "tests/unit/test.h"

#include <errno.h>

#define ROW "\2n1\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\177\5"

TEST(only_whole_rows_are_read)
{
	struct str text = STR(ROW "\2n2"), rest = text;
	struct row_value v[ROW_BINARY_COLUMNS];
	assert_int_equal(row_binary_take(&rest, "siib", v), 1);
	assert_true(str_eq(v[0].text, STR("n1")) && v[1].number == 1);
	assert_true(v[2].number == INT64_MAX && v[3].number == 5);
	assert_int_equal(row_binary_take(&rest, "siib", v), 0);
	assert_int_equal(rest.n, 3);
	for (size_t n = 0; n < sizeof(ROW) - 1; n++) {
		rest = (struct str){ text.p, n };
		assert_int_equal(row_binary_take(&rest, "siib", v), 0);
		assert_int_equal(rest.n, n);
	}
}

TEST(length_of_a_text_has_four_bytes_and_a_limit)
{
	struct str text = STR("\200\200\200\200\1"), much = STR("\377\377\377\177");
	struct row_value v[ROW_BINARY_COLUMNS];
	assert_int_equal(row_binary_take(&text, "s", v), -EBADMSG);
	assert_int_equal(row_binary_take(&much, "s", v), -EBADMSG);
	text = STR("\203\0abc");
	assert_int_equal(row_binary_take(&text, "s", v), 1);
	assert_true(str_eq(v[0].text, STR("abc")));
}

TEST(touching_spans_are_joined_and_cut_into_pieces)
{
	const struct answer_request q = { true, 10, 1000, STR("") };
	struct spans s CLEANUP(spans_free) = { .q = &q, .near = 5 };
	struct time_span piece[4];
	int64_t done = INT64_MIN;
	size_t at = 0;
	assert_int_equal(spans_add(&s, STR("n1"), 0, 100), 0);	/* becomes the span from 5 to 105 */
	assert_int_equal(spans_add(&s, STR("n1"), 110, 200), 0); /* extends the first span to 205 */
	assert_int_equal(spans_add(&s, STR("n2"), 2000, 3000), 0);
	assert_int_equal(spans_add(&s, STR("n3"), 300, 300), 0);
	assert_int_equal(spans_add(&s, STR("n1"), 300, 300), -EBADMSG);
	assert_int_equal(spans_add(&s, STR("n4"), 300, 200), -EBADMSG);
	assert_int_equal(spans_add(&s, STR("n4"), -1, 200), -EBADMSG);
	assert_int_equal(spans_add(&s, STR("n4"), INT64_MIN, INT64_MIN), -EBADMSG);
	assert_int_equal(spans_next(&s, &at, &done, 101, piece, 4), 3);
	assert_true(piece[0].since == 5 && piece[0].until == 105);
	assert_true(piece[1].since == 106 && piece[1].until == 205);
	assert_true(piece[2].since == 295 && piece[2].until == 305);
	assert_string_equal(s.hosts.word[piece[2].host].text, "n3");
	assert_int_equal(spans_next(&s, &at, &done, 101, piece, 4), 0);
}

TEST(job_id_cannot_leave_its_quotes_and_finds_the_whole_run)
{
	const struct answer_request q = { true, 1700000000000000, INT64_MAX, STR("7' OR '1") };
	struct spans s CLEANUP(spans_free) = { .q = &q };
	struct buf b CLEANUP(buf_free) = { 0 };
	query_put_spans(&b, &q, 0);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "job = '7\\' OR \\'1' AND day >= "));
	assert_int_equal(spans_add(&s, STR("n1"), 5, 1700000000000001), 0);
	assert_true(s.span[0].since == 5);
}

/*
 * The newest records of a host are searched from 1 h before its last record, but not before its
 * first one. s.near widens the span at both ends.
 */
TEST(newest_records_are_searched_in_the_last_hour)
{
	const int64_t hour = 3600000000;
	const struct answer_request q = { true, INT64_MIN, INT64_MAX, STR(""), ANSWER_NEWEST };
	struct spans s CLEANUP(spans_free) = { .q = &q, .near = 5 };
	assert_int_equal(spans_add(&s, STR("n1"), hour, 9 * hour), 0);
	assert_int_equal(spans_add(&s, STR("n2"), 9 * hour, 9 * hour + 7), 0);
	assert_true(s.span[0].since == 8 * hour - 5 && s.span[0].until == 9 * hour + 5);
	assert_true(s.span[1].since == 9 * hour - 5 && s.span[1].until == 9 * hour + 12);
}

/*
 * A record may be stored under the day before or after its time, so the query covers 60 s more at
 * both ends.
 */
TEST(days_are_asked_for_with_a_margin_at_both_ends)
{
	const struct answer_request q = { true, 1700000000000000, 1700001000000000, STR("7") };
	struct buf b CLEANUP(buf_free) = { 0 };
	query_put_spans(&b, &q, 60000000);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, " AND day >= toDate(toDateTime(1699999940))"));
	assert_non_null(strstr(b.p, " AND day <= toDate(toDateTime(1700001060))"));
}

TEST(only_so_many_times_are_asked_for)
{
	const struct answer_request q = { true, 0, INT64_MAX, STR("") };
	struct spans s CLEANUP(spans_free) = { .q = &q };
	for (int64_t i = 0; i < SPANS_MAX; i++)
		assert_int_equal(spans_add(&s, STR("n1"), 10 * i, 10 * i + 1), 0);
	assert_int_equal(s.n, SPANS_MAX);
	assert_int_equal(spans_add(&s, STR("n1"), 10ll * SPANS_MAX, 10ll * SPANS_MAX), -EFBIG);
	assert_int_equal(spans_add(&s, STR("n1"), 10ll * SPANS_MAX - 9, 10ll * SPANS_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_whole_rows_are_read),
		cmocka_unit_test(length_of_a_text_has_four_bytes_and_a_limit),
		cmocka_unit_test(newest_records_are_searched_in_the_last_hour),
		cmocka_unit_test(days_are_asked_for_with_a_margin_at_both_ends),
		cmocka_unit_test(only_so_many_times_are_asked_for),
		cmocka_unit_test(touching_spans_are_joined_and_cut_into_pieces),
		cmocka_unit_test(job_id_cannot_leave_its_quotes_and_finds_the_whole_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
