/* SPDX-License-Identifier: BSD-3-Clause */
/* test_config.c - every key of the configuration file, and every way to get it wrong */
#include "tests/unit/tree.h"

#include <string.h>
#include "agent/config.h"

#define S 1000000ll

/* Reads a text as DIR/c; the error begins behind "DIR/". */
struct trial {
	struct tree tree;
	struct config c;
	char text[700];
	const char *error;
};

static void trial_begin(struct trial *t)
{
	tree_make(&t->tree);
	config_init(&t->c);
}

static void trial_end(struct trial *t)
{
	config_free(&t->c);
	tree_free(&t->tree);
}

static int read_text(struct trial *t, struct str text)
{
	char path[128];
	tree_put(&t->tree, "c", text);
	snprintf(path, sizeof(path), "%s/c", t->tree.path);
	int r = config_read(&t->c, path, t->text, sizeof(t->text));
	t->error = r < 0 ? t->text + strlen(t->tree.path) + 1 : t->text;
	return r;
}

TEST(an_empty_file_changes_no_default)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("")), 0);
	assert_string_equal(t.error, "");
	assert_string_equal(t.c.root, "/");
	assert_string_equal(t.c.dir, LOCALSTATEDIR "/lib/nodometer");
	assert_string_equal(t.c.job_file, "/var/run/stats_jobid");
	assert_int_equal(t.c.interval_us, 600 * S);
	assert_int_equal(t.c.retain.free_floor, 256 << 20);
	assert_int_equal(t.c.retain.days, 90);
	assert_int_equal(t.c.retain.compress, TIDY_PACKS);
	assert_false(t.c.dialect_23);
	assert_false(t.c.counters_yield);
	for (size_t i = 0; i < n_collectors; i++)
		assert_int_equal(t.c.use[i], USE_DEFAULT);
}

TEST(texts_and_words_are_taken)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("; a comment\n# another\r\n[agent]\r\n"
					   "dir=/a b\t; inline\nruntime-dir = /r\n"
					   "hostname = n1.x\n  users = bob, eve\n\tjob-file =\n"
					   "compress = no\ndialect = 2.3\n"
					   "counters = release-on-job\n\n[types]\n"
					   "cpu = off\nmem=on\nnfs = isolate")), 0);
	assert_string_equal(t.c.dir, "/a b");
	assert_string_equal(t.c.runtime_dir, "/r");
	assert_string_equal(t.c.hostname, "n1.x");
	assert_string_equal(t.c.users, "bob, eve");
	assert_string_equal(t.c.job_file, "");
	assert_false(t.c.retain.compress);
	assert_true(t.c.dialect_23);
	assert_true(t.c.counters_yield);
	for (size_t i = 0; i < n_collectors; i++) {
		const char *name = collectors[i]->name;
		enum type_use want = strcmp(name, "cpu") == 0 ? USE_OFF :
				     strcmp(name, "mem") == 0 ? USE_ON :
				     strcmp(name, "nfs") == 0 ? USE_ISOLATE : USE_DEFAULT;
		assert_int_equal(t.c.use[i], want);
	}
}

TEST(numbers_have_units_and_bounds)
{
	static const struct {
		const char *section, *line;
		size_t at;
		int64_t want;		/* -1: an error */
	} cases[] = {
#define N(section, line, field, want) { section, line, offsetof(struct config, field), want }
		N("agent", "interval = 20ms", interval_us, 20000),
		N("agent", "interval = 19ms", interval_us, -1),
		N("agent", "interval = 1s", interval_us, S),
		N("agent", "interval = 10 min", interval_us, 600 * S),
		N("agent", "interval = 24h", interval_us, 86400 * S),
		N("agent", "interval = 25h", interval_us, -1),
		N("agent", "interval = 10", interval_us, -1),
		N("agent", "interval = 0", interval_us, -1),
		N("agent", "interval = 1.5s", interval_us, -1),
		N("agent", "interval = 1d", interval_us, -1),
		N("agent", "interval = 1 s s", interval_us, -1),
		N("agent", "interval = s", interval_us, -1),
		N("agent", "interval =", interval_us, -1),
		N("agent", "interval = -1s", interval_us, -1),
		N("agent", "interval = 18446744073709551617s", interval_us, -1),
		N("agent", "interval = 9223372036854775807h", interval_us, -1),
		N("agent", "spread = 0", spread_us, 0),
		N("agent", "spread = 30s", spread_us, 30 * S),
		N("agent", "retain-days = 0", retain.days, 0),
		N("agent", "retain-days = 36500", retain.days, 36500),
		N("agent", "retain-days = 36501", retain.days, -1),
		N("agent", "retain-days = 1d", retain.days, -1),
		N("agent", "retain-size = 10", retain.bytes, 10),
		N("agent", "retain-size = 1K", retain.bytes, 1024),
		N("agent", "retain-size = 2G", retain.bytes, 2ll << 30),
		N("agent", "retain-size = 3 T", retain.bytes, 3ll << 40),
		N("agent", "retain-size = 9000000T", retain.bytes, -1),
		N("agent", "retain-size = 1k", retain.bytes, -1),
		N("agent", "free-floor = 9223372036854775807", retain.free_floor, INT64_MAX),
		N("agent", "free-floor = 9223372036854775808", retain.free_floor, -1),
		N("agent", "free-floor = 64M", retain.free_floor, 64 << 20),
		N("types", "deadline = 1ms", deadline_us, 1000),
		N("types", "deadline = 60s", deadline_us, 60 * S),
		N("types", "deadline = 61s", deadline_us, -1),
		N("types", "deadline = 0", deadline_us, -1),
#undef N
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial t CLEANUP(trial_end);
		struct buf b CLEANUP(buf_free) = { 0 };
		int64_t before, after;
		trial_begin(&t);
		memcpy(&before, (char *)&t.c + cases[i].at, sizeof(before));
		buf_addf(&b, "[%s]\n%s\n", cases[i].section, cases[i].line);
		int r = read_text(&t, buf_str(&b));
		memcpy(&after, (char *)&t.c + cases[i].at, sizeof(after));
		assert_int_equal(r, cases[i].want < 0 ? -EINVAL : 0);
		assert_int_equal(after, cases[i].want < 0 ? before : cases[i].want);
	}
}

#define LONG_TEXT "1234567890123456789012345678901234567890123456789012345678901234567890" \
	"1234567890123456789012345678901234567890123456789012345678901234567890" \
	"1234567890123456789012345678901234567890123456789012345678901234567890"

TEST(an_error_names_its_line)
{
	static const struct {
		struct str text;
		const char *want;	/* how the error begins */
	} cases[] = {
		{ STR("[agent]\nintervall = 1s\n"), "c:2: unknown key intervall in [agent]" },
		{ STR("[agnet]\ninterval = 1s\n"), "c:2: unknown section [agnet]" },
		{ STR("interval = 1s\n"), "c:1: interval stands before any section" },
		{ STR("\n\n[types]\ncpuu = off\n"), "c:4: unknown type cpuu" },
		{ STR("[types]\n\ncpu = maybe\n"), "c:3: cpu = maybe: want on, off or isolate" },
		{ STR("[types]\nnodometer = off\n"), "c:2: type nodometer is always on" },
		{ STR("[types]\ninterval = 1s\n"), "c:2: unknown type interval" },
		{ STR("[agent]\ndeadline = 1s\n"), "c:2: unknown key deadline" },
		{ STR("[agent]\ndir = relative\n"), "c:2: dir = relative: want an absolute path" },
		{ STR("[agent]\ndir =\n"), "c:2: dir = : want an absolute path" },
		{ STR("[agent]\njob-file = job\n"), "c:2: job-file = job: want an absolute path" },
		{ STR("[agent]\nsummary-dir = x\n"),
		  "c:2: summary-dir = x: want an absolute path" },
		{ STR("[agent]\ncompress = 1\n"), "c:2: compress = 1: want yes or no" },
		{ STR("[agent]\ncounters = yes\n"),
		  "c:2: counters = yes: want release-on-job or keep" },
		{ STR("[agent]\ndialect = 2\n"), "c:2: dialect = 2: want 2.3 or 1.0" },
		{ STR("[agent]\ninterval = 5\n"), "c:2: interval = 5: want a number with one of" },
		{ STR("[agent]\ninterval = 2ms\n"), "c:2: interval = 2ms: want 20ms to 24h" },
		{ STR("[agent]\nuseless\n"), "c:2: want \"key = value\"" },
		{ STR("[agent\ndir = /\n"), "c:1: want \"key = value\"" },
		{ STR("[agent]\nspread = 1x\nbad = 1\n"), "c:2: spread = 1x" },
		{ STR("[agent]\ndir = /a\n  users = b\nbad = 1\n"), "c:4: unknown key bad" },
		{ STR("[agent]\ndir = /a\0b\n"), "c:2: a NUL byte" },
		{ STR("[agent]\n\nusers = " LONG_TEXT "\n"), "c:3: a line of over 198 bytes" },
		{ STR("# " LONG_TEXT), "c:1: a line of over 198 bytes" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial t CLEANUP(trial_end);
		trial_begin(&t);
		assert_int_equal(read_text(&t, cases[i].text), -EINVAL);
		if (!str_starts(str_of(t.error), str_of(cases[i].want)))
			fail_msg("want \"%s\", got \"%s\"", cases[i].want, t.error);
	}
}

TEST(lines_of_every_length_are_taken_or_refused)
{
	for (size_t n = 190; n < 210; n++) {
		struct trial t CLEANUP(trial_end);
		struct buf b CLEANUP(buf_free) = { 0 };
		trial_begin(&t);
		buf_add(&b, STR("[agent]\nusers = "));
		while (b.n < n + 8)
			buf_add_char(&b, 'u');
		buf_add(&b, STR("\nhostname = n1\n"));
		int r = read_text(&t, buf_str(&b));
		assert_int_equal(r, n <= 198 ? 0 : -EINVAL);
		assert_string_equal(t.c.hostname, n <= 198 ? "n1" : "");
		assert_int_equal(strlen(t.c.users), n <= 198 ? n - 8 : 0);
	}
}

TEST(a_file_with_an_error_changes_nothing)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	struct config before = t.c;
	assert_int_equal(read_text(&t, STR("[agent]\ndir = /x\ninterval = 1s\n"
					   "[types]\ncpu = off\nbad = on\n")), -EINVAL);
	assert_memory_equal(&t.c, &before, sizeof(before));
	for (size_t i = 0; i < n_collectors; i++)
		assert_int_equal(t.c.use[i], USE_DEFAULT);
}

TEST(a_file_that_cannot_be_read_is_told_by_name)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(config_read(&t.c, "/nonexistent/c", t.text, sizeof(t.text)), -ENOENT);
	assert_string_equal(t.text, "/nonexistent/c: No such file or directory");
	assert_int_equal(config_read(&t.c, t.tree.path, t.text, sizeof(t.text)), -EISDIR);
	char small[8];
	assert_int_equal(config_read(&t.c, "/nonexistent/c", small, sizeof(small)), -ENOENT);
	assert_string_equal(small, "/nonexi");
}

int main(void)
{
	RUN(cmocka_unit_test(an_empty_file_changes_no_default),
	    cmocka_unit_test(texts_and_words_are_taken),
	    cmocka_unit_test(numbers_have_units_and_bounds),
	    cmocka_unit_test(an_error_names_its_line),
	    cmocka_unit_test(lines_of_every_length_are_taken_or_refused),
	    cmocka_unit_test(a_file_with_an_error_changes_nothing),
	    cmocka_unit_test(a_file_that_cannot_be_read_is_told_by_name));
}
