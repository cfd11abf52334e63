/* SPDX-License-Identifier: BSD-3-Clause */
/* test_clickhouse.c - query ClickHouse at a sink's URL and read only whole lines of its answer */
#include "formats/clickhouse.h"
#include "tests/unit/test.h"

static bool has_table(const char *query, const char *table, const char *rest)
{
	struct buf t CLEANUP(buf_free) = { 0 }, r CLEANUP(buf_free) = { 0 };
	return clickhouse_take_query(str_of(query), &t, &r) && strcmp(t.p, table) == 0 &&
	       strcmp(r.p, rest) == 0;
}

TEST(url_names_the_table)
{
	assert_true(has_table("query=INSERT+INTO+d.rows+FORMAT+JSONEachRow", "d.rows", ""));
	assert_true(has_table("user=u&query=insert%20into%20rows%0aFORMAT&b=%41", "rows",
			      "user=u&b=%41"));
	assert_true(has_table("query=INSERT+INTO+t(a,b)+FORMAT+X", "t", ""));
	assert_false(has_table("query=SELECT+1", "", ""));
	assert_false(has_table("query=INSERT+INTO", "", ""));
	assert_false(has_table("", "", ""));
}

TEST(host_cannot_leave_its_quotes)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	clickhouse_put_query(&b, "t", STR("a'b\\"), 0, 0);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "host = 'a\\'b\\\\' HAVING"));
}

TEST(only_whole_lines_are_read)
{
	static const char *const wrong[] = {
		"", "1\n", "1\tcpu\t2\t3\n", "1\tcpu\t2\t3\t4x\n", "-1\tcpu\t2\t3\t4\n",
		"99999999999999999999\tcpu\t2\t3\t4\n", "Code: 62. DB::Exception\n",
	};
	struct str text = STR("1700000000500000\tcpu\t2\t6\t-1.5e3\n2\t\t1\t0\t0\nrest");
	struct clickhouse_held h;
	assert_true(clickhouse_take_held(&text, &h));
	assert_true(h.usec == 1700000000500000 && str_eq(h.type, STR("cpu")));
	assert_true(h.rows == 2 && h.values == 6 && h.sum == -1500);
	assert_true(clickhouse_take_held(&text, &h));
	assert_true(h.usec == 2 && !h.type.n && h.rows == 1 && h.values == 0);
	assert_false(clickhouse_take_held(&text, &h));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		text = str_of(wrong[i]);
		assert_false(clickhouse_take_held(&text, &h));
		assert_true(text.n == strlen(wrong[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(url_names_the_table),
		cmocka_unit_test(host_cannot_leave_its_quotes),
		cmocka_unit_test(only_whole_lines_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
