/* SPDX-License-Identifier: BSD-3-Clause */
/* test_status_sinks.c - how far each sink has delivered: its lag, and the text and JSON about it */
#include "tests/unit/tree.h"

#include <string.h>
#include "base/clock.h"
#include "base/json.h"
#include "cli/status_sinks.h"

#define SECOND     INT64_C(1000000)
#define FILES_MAX  3
#define RECORD     "\n%lld -\ncpu 0 1\n"

/* An archive, and a sink's cursor in a raw file that began 1,000 s ago. Ages are in seconds. */
struct place {
	/* suffixes of the names of further files; .age has their ages */
	const char *file[FILES_MAX];
	int age[FILES_MAX];
	int record;			/* age of a record after the cursor; 0: there is none */
	bool unfinished;		/* the agent is still writing this record */
	int lag;			/* expected lag; -1: unknown */
};

static void put_files(const struct tree *t, const struct place *p, int64_t now,
		      struct cursor *c)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[128];
	*c = (struct cursor){ .epoch = now - 1000 };
	buf_addf(&text, "$hpcperfstats 2.3.5\n!cpu user,E\n" RECORD, (long long)c->epoch);
	c->offset = text.n;
	if (p->record)
		buf_addf(&text, RECORD, (long long)(now - p->record));
	text.n -= p->unfinished;
	snprintf(path, sizeof(path), "archive/n1/%lld", (long long)c->epoch);
	tree_put(t, path, buf_str(&text));
	if (p->unfinished)
		assert_int_equal(linkat(t->fd, path, t->fd, "archive/n1/current", 0), 0);
	for (size_t i = 0; i < FILES_MAX && p->file[i]; i++) {
		snprintf(path, sizeof(path), "archive/n1/%lld%s", (long long)(now - p->age[i]),
			 p->file[i]);
		tree_put(t, path, STR("x"));
	}
}

static void expect_lag(const struct place *p)
{
	struct tree t CLEANUP(tree_free);
	struct status_sinks s CLEANUP(status_free_sinks) = { .n = 0 };
	const struct config_sinks taken = status_take_sinks(&s);
	struct buf why CLEANUP(buf_free) = { 0 }, path CLEANUP(buf_free) = { 0 };
	int64_t now = realtime_us() / SECOND;
	struct cursor cursor;
	struct config c;

	tree_make(&t);
	config_init(&c);
	snprintf(c.dir, sizeof(c.dir), "%s/archive", t.path);
	snprintf(c.state_dir, sizeof(c.state_dir), "%s/state", t.path);
	str_copy(c.hostname, sizeof(c.hostname), STR("n1"));
	put_files(&t, p, now, &cursor);
	assert_int_equal(mkdirat(t.fd, "state", 0755), 0);
	assert_int_equal(cursor_path(&path, c.state_dir, "n1", "kafka"), 0);
	assert_int_equal(cursor_save(&cursor, path.p), 0);
	assert_true(taken.section(taken.arg, STR("kafka"), &why));
	status_load_sinks(&s, &c, 0);
	config_free(&c);
	assert_int_equal(s.n, 1);
	/* the test may take some seconds itself */
	int64_t lag = s.one[0].lag_us < 0 ? -1 : s.one[0].lag_us / SECOND;
	if (lag < p->lag || lag > p->lag + 60)
		fail_msg("%lld s, not %d", (long long)lag, p->lag);
}

TEST(lag_is_the_age_of_the_oldest_record_not_sent)
{
	static const struct place places[] = {
		{ .lag = 0 },
		{ .record = 700, .lag = 700 },
		{ .record = 700, .unfinished = true, .lag = 0 },
		{ .record = 700, .file = { "" }, .age = { 500 }, .lag = 700 },
		{ .file = { "" }, .age = { 500 }, .lag = 500 },
		{ .file = { "", "", "" }, .age = { 300, 500, 100 }, .lag = 500 },
		{ .file = { "", ".zst" }, .age = { 300, 500 }, .lag = 500 },
		{ .file = { ".gz", "" }, .age = { 500, 300 }, .lag = 500 },
		{ .file = { "", ".tmp" }, .age = { 300, 500 }, .lag = 300 },
		{ .file = { "", "" }, .age = { 300, 2000 }, .lag = 300 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		expect_lag(&places[i]);
}

/*
 * Three sinks: one before its first delivery, one that is up to date, and one in which no count is
 * 0.
 */
static struct status_sink sinks[] = {
	{ .name = "new", .lag_us = -1 },
	{ .name = "well", .lag_us = 0,
	  .cursor = { .usec = 1700000000 * SECOND, .success_us = 1700000001 * SECOND,
		      .groups = 5 } },
	{ .name = "ill", .lag_us = 90 * SECOND,
	  .cursor = { .usec = 1700000000 * SECOND, .success_us = 1700000001 * SECOND, .groups = 6,
		      .bytes = 7, .refused = 8, .too_old = 9, .refused_share = 10, .errors = 11,
		      .receiver = 2, .failovers = 3, .lost_files = 12, .waiting = 13,
		      .why = "no\nroom" } },
};

TEST(people_see_each_count_that_is_not_0)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	status_put_sinks(&b, &(struct status_sinks){ .one = sinks, .n = 3, .runs = true });
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, "nodometer-send            runs\n"
		"sink                      new: nothing sent yet\n"
		"sink                      well: sent up to 2023-11-14 22:13:20, last success "
		"2023-11-14 22:13:21, lag 0 s\n"
		"sink                      ill: sent up to 2023-11-14 22:13:20, last success "
		"2023-11-14 22:13:21, lag 90 s, 13 bytes of lines wait, 7 bytes, 8 records "
		"refused, 9 records too old, 11 errors, uses URL 2, 3 failovers, 12 files removed "
		"or truncated before they were sent, refuses: no?room\n");
	b.n = 0;
	sinks[2].cursor.refused_share = 0;
	status_put_sinks(&b, &(struct status_sinks){ .one = sinks + 2, .n = 1 });
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "nodometer-send            does not run\n"));
	assert_non_null(strstr(b.p, ", fails: no?room\n"));
	b.n = 0;
	status_put_sinks(&b, &(struct status_sinks){ .n = 0 });
	assert_int_equal(b.n, 0);
}

TEST(json_has_the_counts_and_the_times_that_are_known)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	json_open(&b, NULL, '{');
	status_put_sinks_json(&b, &(struct status_sinks){ .one = sinks, .n = 3, .runs = true });
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, "{\"sender\":true,\"sinks\":["
		"{\"name\":\"new\",\"records\":0,\"bytes\":0,\"refused\":0,\"too_old\":0,"
		"\"errors\":0,\"lost_files\":0},"
		"{\"name\":\"well\",\"last\":1700000000,\"success\":1700000001,\"lag\":0,"
		"\"records\":5,\"bytes\":0,\"refused\":0,\"too_old\":0,\"errors\":0,"
		"\"lost_files\":0},"
		"{\"name\":\"ill\",\"last\":1700000000,\"success\":1700000001,\"lag\":90,"
		"\"records\":6,\"bytes\":7,\"refused\":8,\"too_old\":9,\"errors\":11,"
		"\"lost_files\":12,\"receiver\":2,\"failovers\":3,\"waiting\":13,"
		"\"why\":\"no\\u000aroom\"}]");
}

int main(void)
{
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	RUN(cmocka_unit_test(lag_is_the_age_of_the_oldest_record_not_sent),
	    cmocka_unit_test(people_see_each_count_that_is_not_0),
	    cmocka_unit_test(json_has_the_counts_and_the_times_that_are_known));
}
