/* SPDX-License-Identifier: BSD-3-Clause */
/* test_config.c - read every key of the configuration file, and report every kind of error */
#include "tests/unit/tree.h"

#include <string.h>
#include "recorder/config.h"

#define S 1000000ll

/*
 * A configuration file DIR/c and the result of reading it. `error` is the message without "DIR/".
 */
struct trial {
	struct tree tree;
	struct config c;
	struct buf text;
	const char *error;
};

static void trial_begin(struct trial *t)
{
	tree_make(&t->tree);
	config_init(&t->c);
	t->text = (struct buf){ .n = 0 };
}

static void trial_end(struct trial *t)
{
	config_free(&t->c);
	buf_free(&t->text);
	tree_free(&t->tree);
}

static int read_text(struct trial *t, struct str text)
{
	char path[128];
	tree_put(&t->tree, "c", text);
	snprintf(path, sizeof(path), "%s/c", t->tree.path);
	t->text.n = 0;
	int r = config_read(&t->c, path, &t->text);
	buf_add_char(&t->text, '\0');
	t->error = r < 0 ? t->text.p + strlen(t->tree.path) + 1 : t->text.p;
	return r;
}

TEST(empty_file_keeps_all_defaults)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("")), 0);
	assert_string_equal(t.error, "");
	assert_string_equal(t.c.root, "/");
	assert_string_equal(t.c.dir, LOCALSTATEDIR "/lib/nodometer");
	assert_string_equal(t.c.job_file, "/var/run/stats_jobid");
	assert_string_equal(t.c.scheduler_users, "condor");
	assert_int_equal(t.c.interval_us, 600 * S);
	assert_int_equal(t.c.retain.free_floor, TIDY_FLOOR);
	assert_int_equal(t.c.retain.days, 90);
	assert_int_equal(t.c.retain.compress, TIDY_PACKS);
	assert_string_equal(t.c.dialect, "");
	assert_false(t.c.counters_yield);
	for (size_t i = 0; i < n_collectors; i++)
		assert_int_equal(t.c.use[i], USE_DEFAULT);
}

TEST(texts_and_words_are_read)
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
	assert_string_equal(t.c.dialect, "2.3");
	assert_true(t.c.counters_yield);
	for (size_t i = 0; i < n_collectors; i++) {
		const char *name = types[i]->name;
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
		int64_t want;		/* -1: the line is an error */
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

TEST(error_names_its_line)
{
	static const struct {
		struct str text;
		const char *want;	/* expected start of the message */
	} cases[] = {
		{ STR("[agent]\nintervall = 1s\n"),
		  "c:2: unknown key intervall in [agent]; did you mean interval?\n" },
		{ STR("[agnet]\ninterval = 1s\n"),
		  "c:1: unknown section [agnet]; did you mean [agent]?\n" },
		{ STR("interval = 1s\n"), "c:1: interval is not in a section" },
		{ STR("[sendd]\n"), "c:1: unknown section [sendd]; did you mean [send]" },
		{ STR("[sink]\n"), "c:1: expected [sink NAME]" },
		{ STR("[summary]\n"), "c:1: section [summary] is now [sink xrootd]" },
		{ STR("[sink a-name-of-more-than-fifty-bytes-or-so-which-inih-cuts]\n"),
		  "c:1: [sink a-name-of-more-than-fifty-bytes-or-so-which-inih-cuts]: longer" },
		{ STR("[elsewhere]\na = 1\n"),
		  "c:1: unknown section [elsewhere]; the sections are" },
		{ STR("\n\n[types]\ncpuu = off\n"),
		  "c:4: unknown type cpuu in [types]; did you mean cpu" },
		{ STR("[types]\nfrobnicator = on\n"),
		  "c:2: unknown type frobnicator in [types]; \"nodometer types\" lists them" },
		{ STR("[agent]\nfrobnicate = on\n"),
		  "c:2: unknown key frobnicate in [agent]; nodometer.conf(5) lists them" },
		{ STR("[types]\n\ncpu = maybe\n"),
		  "c:3: cpu = maybe: expected on, off or isolate" },
		{ STR("[types]\nnodometer = off\n"), "c:2: type nodometer is always on" },
		{ STR("[types]\ninterval = 1s\n"),
		  "c:2: unknown type interval in [types]; it belongs in [agent]" },
		{ STR("[agent]\ndeadline = 1s\n"),
		  "c:2: unknown key deadline in [agent]; it belongs in [types]" },
		{ STR("[agent]\ndir = relative\n"),
		  "c:2: dir = relative: expected an absolute path" },
		{ STR("[agent]\ndir =\n"), "c:2: dir = : expected an absolute path" },
		{ STR("[agent]\njob-file = job\n"),
		  "c:2: job-file = job: expected an absolute path" },
		{ STR("[agent]\nsummary-dir = x\n"),
		  "c:2: summary-dir = x: expected an absolute path" },
		{ STR("[agent]\ncompress = 1\n"), "c:2: compress = 1: expected yes or no" },
		{ STR("[agent]\ncounters = yes\n"),
		  "c:2: counters = yes: expected release-on-job or keep" },
		{ STR("[agent]\ndialect = 2\n"), "c:2: dialect = 2: expected 1.0, 2.3 or nothing" },
		{ STR("[agent]\ninterval = 5\n"),
		  "c:2: interval = 5: expected a whole number with" },
		{ STR("[agent]\ninterval = 0.5s\n"),
		  "c:2: interval = 0.5s: expected a whole number with a unit (ms, s, min or h), "
		  "such as " },
		{ STR("[agent]\nretain-days = -1\n"),
		  "c:2: retain-days = -1: expected a whole number from 0 to 36500" },
		{ STR("[agent]\nfree-floor = 1.5G\n"),
		  "c:2: free-floor = 1.5G: expected a whole number, optionally followed by K, M, G "
		  "or T" },
		{ STR("[agent]\ninterval = 2ms\n"), "c:2: interval = 2ms: want 20ms to 24h" },
		{ STR("[agent]\nuseless\n"), "c:2: expected \"key = value\"" },
		{ STR("[agent\ndir = /\n"), "c:1: expected \"key = value\"" },
		{ STR("[agent]\nspread = 1x\nbad = 1\n"), "c:2: spread = 1x" },
		{ STR("[agent]\ndir = /a\n  users = b\nbad = 1\n"), "c:4: unknown key bad" },
		{ STR("[agent]\ndir = /a\0b\n"), "c:2: a NUL byte" },
		{ STR("[agent]\n\nusers = " LONG_TEXT "\n"), "c:3: a line of more than 198 bytes" },
		{ STR("# " LONG_TEXT), "c:1: a line of more than 198 bytes" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial t CLEANUP(trial_end);
		trial_begin(&t);
		assert_int_equal(read_text(&t, cases[i].text), -EINVAL);
		if (!str_starts(str_of(t.error), str_of(cases[i].want)))
			fail_msg("want \"%s\", got \"%s\"", cases[i].want, t.error);
	}
}

TEST(lines_of_every_length_are_read_or_refused)
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
		assert_string_equal(t.c.hostname, "n1");
		assert_int_equal(strlen(t.c.users), n <= 198 ? n - 8 : 0);
	}
}

TEST(every_bad_line_is_named_and_the_others_are_read)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("[agent]\ndir = /x\ninterval = soon\nuseless\n"
					   "spread = 1s ; x\nnowhere ; = 1\n[agnt\n[agnt]\na = 1\n"
					   "[types]\ncpu = off\nbad = on\n")), -EINVAL);
	static const int lines[] = { 3, 4, 6, 7, 8, 12 };
	struct str all = buf_str(&t.text), line;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char want[160];
		assert_true(str_take_line(&all, &line));
		snprintf(want, sizeof(want), "%s/c:%d: ", t.tree.path, lines[i]);
		if (!str_starts(line, str_of(want)))
			fail_msg("want \"%s\", got \"" STR_FMT "\"", want, STR_ARG(line));
	}
	assert_int_equal(all.n, 1);
	assert_string_equal(t.c.dir, "/x");
	assert_int_equal(t.c.interval_us, 600 * S);
	assert_int_equal(t.c.spread_us, S);
}

TEST(errors_after_the_twentieth_are_not_listed)
{
	struct trial t CLEANUP(trial_end);
	struct buf b CLEANUP(buf_free) = { 0 };
	trial_begin(&t);
	for (int i = 0; i < 100; i++)
		buf_add(&b, STR("words\n"));
	assert_int_equal(read_text(&t, buf_str(&b)), -EINVAL);
	struct str all = buf_str(&t.text), line;
	for (int i = 0; i < 21; i++)
		assert_true(str_take_line(&all, &line));
	assert_true(str_ends(line, STR("/c: and 80 more")));
	assert_int_equal(all.n, 1);
}

TEST(byte_order_mark_is_skipped)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("\xEF\xBB\xBF[agent]\ninterval = 1s\n")), 0);
	assert_int_equal(t.c.interval_us, S);
}

TEST(unreadable_file_is_named)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(config_read(&t.c, "/nonexistent/c", &t.text), -ENOENT);
	assert_true(str_eq(buf_str(&t.text), STR("/nonexistent/c: No such file or directory\n")));
	assert_int_equal(config_read(&t.c, t.tree.path, &t.text), -EISDIR);
}

/* Read DIR/nodometer.conf and then DIR/conf.d. */
static int read_all(struct trial *t)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/nodometer.conf", t->tree.path);
	t->text.n = 0;
	return config_read_all(&t->c, path, &t->text);
}

TEST(conf_d_is_read_after_the_file_in_order_of_names)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_all(&t), 0);	/* neither the file nor the folder exists */
	tree_put(&t.tree, "conf.d/20-b.conf", STR("[agent]\ninterval = 20s\n"));
	tree_put(&t.tree, "conf.d/10-a.conf", STR("[agent]\ninterval = 10s\nusers = a\n"));
	tree_put(&t.tree, "conf.d/30-c.conf.rpmsave", STR("[agent]\ninterval = 30s\n"));
	tree_put(&t.tree, "conf.d/.40-d.conf", STR("[agent]\ninterval = 40s\n"));
	assert_int_equal(read_all(&t), 0);
	assert_int_equal(t.c.interval_us, 20 * S);
	tree_put(&t.tree, "conf.d/50-e.cfg", STR("[agent]\ninterval = 50s\n"));
	assert_int_equal(read_all(&t), 0);
	assert_int_equal(t.c.interval_us, 20 * S);
	buf_add_char(&t.c.warnings, '\0');
	assert_non_null(strstr(t.c.warnings.p,
			       "/50-e.cfg: warning: not read: the name must end in .conf\n"));
	assert_null(strstr(t.c.warnings.p, "rpmsave"));
	tree_put(&t.tree, "nodometer.conf", STR("[agent]\nusers = b\nhostname = h\n"));
	assert_int_equal(read_all(&t), 0);
	assert_string_equal(t.c.users, "a");
	assert_string_equal(t.c.hostname, "h");
	tree_put(&t.tree, "conf.d/15-x.conf", STR("[agent]\n\nintervall = 20s\n"));
	assert_int_equal(read_all(&t), -EINVAL);
	buf_add_char(&t.text, '\0');
	assert_non_null(strstr(t.text.p, "/conf.d/15-x.conf:3: unknown key intervall"));
	assert_int_equal(t.c.interval_us, 20 * S);
}

/*
 * Compare the files that were read and the warnings with want, "FILE FILE |WARNING|WARNING". The
 * paths in want are without DIR.
 */
static void assert_said(struct trial *t, const char *want)
{
	struct buf all CLEANUP(buf_free) = { 0 };
	struct str rest, line, part;
	for (rest = buf_str(&t->c.files); str_take_item(&rest, &part); )
		buf_addf(&all, STR_FMT " ", STR_ARG(str_skip(part, strlen(t->tree.path) + 1)));
	for (rest = buf_str(&t->c.warnings); str_take_line(&rest, &line); )
		buf_addf(&all, "|" STR_FMT, STR_ARG(str_skip(line, strlen(t->tree.path) + 1)));
	assert_text(buf_str(&all), str_of(want));
}

TEST(key_may_be_in_several_files_and_once_in_each)
{
	struct trial t CLEANUP(trial_end);
	struct buf place CLEANUP(buf_free) = { 0 };
	trial_begin(&t);
	tree_put(&t.tree, "nodometer.conf", STR("[agent]\ninterval = 20s\n[types]\n"));
	tree_put(&t.tree, "conf.d/1.conf", STR("[agent]\ninterval = 10s\n\n[sink b]\nk = 1\n"
					       "[sink c]\nk = 1\n[sink b]\nk = 2\n"));
	tree_put(&t.tree, "conf.d/2.conf", STR("[types]\ncpu = on\ncpu = off\n"));
	assert_int_equal(read_all(&t), 0);
	assert_said(&t, "nodometer.conf conf.d/1.conf conf.d/2.conf |conf.d/1.conf:8: warning: "
		    "[sink b] is also in line 4; the keys of both are used|conf.d/1.conf:9: "
		    "warning: k is also in line 5; this one is used|conf.d/2.conf:3: warning: cpu "
		    "is also in line 2; this one is used");
	config_put_place(&t.c, "agent", "interval", &place);
	config_put_place(&t.c, "agent", "users", &place);
	config_put_place(&t.c, "sink b", "", &place);
	buf_add_char(&place, '\0');
	assert_non_null(strstr(place.p, "/conf.d/1.conf:2: /"));
	assert_non_null(strstr(place.p, "/conf.d/1.conf:8: "));
}

TEST(comment_after_a_value_starts_with_a_semicolon)
{
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("[agent] # x\ndir = /a ; # x\nusers = a#b\n")), 0);
	assert_string_equal(t.c.users, "a#b");
	assert_int_equal(read_text(&t, STR("[agent]\nusers = c\t# d\n")), -EINVAL);
	assert_string_equal(t.error, "c:2: a comment after a value begins with \";\", not with "
				     "\"#\"\n");
	assert_string_equal(t.c.users, "a#b");
}

struct sinks_seen {
	struct buf text;
};

static bool see_section(void *arg, struct str name, struct buf *why)
{
	struct sinks_seen *s = arg;
	if (str_eq(name, STR("bad"))) {
		buf_addf(why, "no such sink");
		return false;
	}
	buf_addf(&s->text, "[" STR_FMT "]", STR_ARG(name));
	return true;
}

static bool see_key(void *arg, struct str name, const char *key, const char *value,
		    struct buf *why)
{
	struct sinks_seen *s = arg;
	if (strcmp(key, "odd") == 0) {
		buf_addf(why, "odd");
		return false;
	}
	buf_addf(&s->text, " " STR_FMT ".%s=%s", STR_ARG(name), key, value);
	return true;
}

#define SINKS "[sink a b]\nk = 1\n[types]\n[sink c]\nl = 2 3 ; said\n"

TEST(sections_of_sinks_go_to_their_receiver)
{
	struct sinks_seen seen = { { 0 } };
	const struct config_sinks take = { see_section, see_key, &seen };
	struct trial t CLEANUP(trial_end);
	trial_begin(&t);
	assert_int_equal(read_text(&t, STR("[agent]\n")), 0);
	assert_false(t.c.has_sinks);
	assert_int_equal(read_text(&t, STR(SINKS)), 0);	/* here without callbacks for sinks */
	assert_true(t.c.has_sinks);

	t.c.sinks = &take;
	assert_int_equal(read_text(&t, STR(SINKS)), 0);
	assert_text(buf_str(&seen.text), STR("[a b] a b.k=1[c] c.l=2 3"));
	assert_int_equal(read_text(&t, STR("[sink c]\n\nodd = 1\n")), -EINVAL);
	assert_string_equal(t.error, "c:3: odd\n");
	assert_int_equal(read_text(&t, STR("\n[sink bad]\nk = 1\n")), -EINVAL);
	assert_string_equal(t.error, "c:2: no such sink\n");
	buf_free(&seen.text);
}

int main(void)
{
	RUN(cmocka_unit_test(sections_of_sinks_go_to_their_receiver),
	    cmocka_unit_test(key_may_be_in_several_files_and_once_in_each),
	    cmocka_unit_test(comment_after_a_value_starts_with_a_semicolon),
	    cmocka_unit_test(empty_file_keeps_all_defaults),
	    cmocka_unit_test(texts_and_words_are_read),
	    cmocka_unit_test(numbers_have_units_and_bounds),
	    cmocka_unit_test(error_names_its_line),
	    cmocka_unit_test(lines_of_every_length_are_read_or_refused),
	    cmocka_unit_test(every_bad_line_is_named_and_the_others_are_read),
	    cmocka_unit_test(errors_after_the_twentieth_are_not_listed),
	    cmocka_unit_test(byte_order_mark_is_skipped),
	    cmocka_unit_test(unreadable_file_is_named),
	    cmocka_unit_test(conf_d_is_read_after_the_file_in_order_of_names));
}
