/* SPDX-License-Identifier: BSD-3-Clause */
/* test_status_sinks.c - the lag of a sink: the age of the oldest record that was not sent */
#include "tests/unit/tree.h"

#include <string.h>
#include "base/clock.h"
#include "cli/status_sinks.h"

#define SECOND     INT64_C(1000000)
#define FILES_MAX  3
#define RECORD     "\n%lld -\ncpu 0 1\n"

/* An archive whose cursor is in a file that began 1,000 s ago. Ages are in seconds. */
struct place {
	const char *file[FILES_MAX];	/* suffixes of further files, with these ages */
	int age[FILES_MAX];
	int record;			/* age of a record behind the cursor; 0: there is none */
	int lag;			/* -1: unknown */
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
	snprintf(path, sizeof(path), "archive/n1/%lld", (long long)c->epoch);
	tree_put(t, path, buf_str(&text));
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

int main(void)
{
	RUN(cmocka_unit_test(lag_is_the_age_of_the_oldest_record_not_sent));
}
