/* SPDX-License-Identifier: BSD-3-Clause */
/* test_secret.c - read a sink's secret from the first line of a file that is not world-readable */
#include "tests/unit/tree.h"

#include "sinks/sink.h"

#define LINE_MAX_BYTES 4095

struct file {
	struct tree t;
	char path[80];
	struct buf secret, why;
};

static void begin(struct file *f, struct str text, mode_t mode)
{
	*f = (struct file){ 0 };
	tree_make(&f->t);
	tree_put(&f->t, "secret", text);
	assert_int_equal(fchmodat(f->t.fd, "secret", mode, 0), 0);
	snprintf(f->path, sizeof(f->path), "%s/secret", f->t.path);
}

static void end(struct file *f)
{
	tree_free(&f->t);
	buf_free(&f->secret);
	buf_free(&f->why);
}

static void assert_said(const struct file *f, const char *text)
{
	if (!memmem(f->why.p ? f->why.p : "", f->why.n, text, strlen(text)))
		fail_msg("want \"%s\", got \"" STR_FMT "\"", text, STR_ARG(buf_str(&f->why)));
}

static void is_refused(struct str text, mode_t mode, int want, const char *said)
{
	struct file f;
	begin(&f, text, mode);
	assert_int_equal(sink_read_secret(f.path, &f.secret, &f.why), want);
	assert_said(&f, f.path);
	assert_said(&f, said);
	assert_int_equal(f.secret.n, 0);
	end(&f);
}

TEST(the_secret_is_the_first_line_without_blanks_around_it)
{
	struct file f;
	begin(&f, STR(" a b \t\r\nanother\n"), 0640);
	buf_add(&f.secret, STR("the one before"));
	assert_int_equal(sink_read_secret(f.path, &f.secret, &f.why), 0);
	assert_text(buf_str(&f.secret), STR("a b"));
	assert_int_equal(f.secret.p[f.secret.n], '\0');
	assert_true(sink_secret_time(f.path) > 0);
	end(&f);
}

TEST(a_value_without_a_slash_is_a_credential_of_systemd)
{
	struct file f;
	begin(&f, STR("a b\n"), 0600);
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", f.t.path, 1), 0);
	assert_int_equal(sink_read_secret("secret", &f.secret, &f.why), 0);
	assert_text(buf_str(&f.secret), STR("a b"));
	assert_true(sink_secret_time("secret") > 0);

	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", "not/absolute", 1), 0);
	assert_int_equal(sink_read_secret("secret", &f.secret, &f.why), -EINVAL);
	assert_said(&f, "secret: a name without a path is a credential: the unit needs "
		    "LoadCredential=secret:");
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	f.why.n = 0;
	assert_int_equal(sink_read_secret("secret", &f.secret, &f.why), -EINVAL);
	assert_said(&f, "LoadCredential=secret:FILE");
	assert_int_equal(sink_secret_time("secret"), 0);
	end(&f);
}

TEST(a_file_that_every_user_may_read_is_refused)
{
	is_refused(STR("a\n"), 0644, -EACCES, "readable by every user");
}

TEST(a_line_that_is_empty_too_long_or_has_a_zero_is_refused)
{
	static char longest[LINE_MAX_BYTES + 1];
	memset(longest, 'x', sizeof(longest));
	is_refused(STR("\nsecond\n"), 0600, -EINVAL, "expected a line of at most 4095 bytes");
	is_refused(STR(""), 0600, -EINVAL, "expected a line of at most 4095 bytes");
	is_refused((struct str){ "a\0b\n", 4 }, 0600, -EINVAL, "expected a line of at most 4095 "
		   "bytes");
	is_refused((struct str){ longest, LINE_MAX_BYTES + 1 }, 0600, -EINVAL,
		   "expected a line of at most 4095 bytes");

	struct file f;
	begin(&f, (struct str){ longest, LINE_MAX_BYTES }, 0600);
	assert_int_equal(sink_read_secret(f.path, &f.secret, &f.why), 0);
	assert_int_equal(f.secret.n, LINE_MAX_BYTES);
	end(&f);
}

TEST(a_folder_or_a_missing_file_is_reported)
{
	struct file f;
	begin(&f, STR("a\n"), 0600);
	assert_int_equal(sink_read_secret(f.t.path, &f.secret, &f.why), -EACCES);
	assert_said(&f, "or not a regular file");
	assert_int_equal(unlinkat(f.t.fd, "secret", 0), 0);
	f.why.n = 0;
	assert_int_equal(sink_read_secret(f.path, &f.secret, &f.why), -ENOENT);
	assert_said(&f, "/secret: No such file or directory");
	assert_int_equal(sink_secret_time(f.path), 0);
	end(&f);
}

/* Try a file as --check does. want: a part of the message if key k cannot use the file, or "". */
static void try_file(const struct key *k, const char *path, const char *want)
{
	struct buf resolved CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	int r = sink_try_file(k, path, &resolved, &why);
	assert_int_equal(r < 0, *want != '\0');
	if (!why.n == !*want && memmem(why.p ? why.p : "", why.n, want, strlen(want)))
		return;
	fail_msg("%s: want \"%s\", got \"" STR_FMT "\"", k->name, want, STR_ARG(buf_str(&why)));
}

TEST(a_file_is_looked_at_as_its_reader_takes_it)
{
	static const struct key ca = { "ca-file", KEY_PATH_OR_NOTHING },
		cert = { "cert-file", KEY_PATH_OR_NOTHING }, key = { "key-file", KEY_SECRET },
		token = { "token-file", KEY_SECRET }, text = { "user", KEY_TEXT };
	static char longest[LINE_MAX_BYTES + 1];
	struct file f;
	char gone[100];
	memset(longest, 'x', sizeof(longest));
	begin(&f, (struct str){ longest, sizeof(longest) }, 0600);
	snprintf(gone, sizeof(gone), "%s/gone", f.t.path);
	try_file(&token, f.path, "expected a line of at most 4095 bytes");
	try_file(&key, f.path, "");	/* a library reads this file, which need not be a line */
	try_file(&cert, f.path, "");
	try_file(&ca, f.t.path, "");	/* librdkafka takes a folder of certificates */
	try_file(&cert, f.t.path, "not a regular file: correct the path");
	try_file(&key, f.t.path, "not a regular file: correct the path");
	try_file(&key, gone, "No such file or directory: create the file");
	try_file(&text, gone, "");	/* the value of this key is no path */
	try_file(&key, "", "");
	end(&f);
}

int main(void)
{
	RUN(cmocka_unit_test(the_secret_is_the_first_line_without_blanks_around_it),
	    cmocka_unit_test(a_value_without_a_slash_is_a_credential_of_systemd),
	    cmocka_unit_test(a_file_that_every_user_may_read_is_refused),
	    cmocka_unit_test(a_line_that_is_empty_too_long_or_has_a_zero_is_refused),
	    cmocka_unit_test(a_folder_or_a_missing_file_is_reported),
	    cmocka_unit_test(a_file_is_looked_at_as_its_reader_takes_it));
}
