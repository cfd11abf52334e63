/* SPDX-License-Identifier: BSD-3-Clause */
/* test_log.c - log each message as one line, whatever bytes it has */
#include "tests/unit/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/log.h"

/* Log a message, and store in b what log_at() writes to standard error. */
static void logged(struct buf *b, enum log_level level, const char *text)
{
	int ends[2], old = dup(STDERR_FILENO);
	assert_true(old >= 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	log_at(level, "%s", text);
	assert_int_equal(dup2(old, STDERR_FILENO), STDERR_FILENO);
	close(old);
	b->n = 0;
	buf_reserve(b, 4096);
	ssize_t n = read(ends[0], b->p, 4096);
	close(ends[0]);
	assert_true(n >= 0);
	b->n = (size_t)n;
}

TEST(message_is_one_line_that_names_the_program)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	unsetenv("JOURNAL_STREAM");
	log_open("nodometerd", LOG_LEVEL_NOTICE);
	logged(&b, LOG_LEVEL_ERROR, "a\nb\x1b[31m\x7f");
	assert_text(buf_str(&b), STR("nodometerd: a?b?[31m?\n"));
	/*
	 * The control character CSI (one byte, or in UTF-8) and truncated or overlong sequences are
	 * replaced. Letters stay.
	 */
	logged(&b, LOG_LEVEL_ERROR, "a\x9b" "31m\xc2\x9b" "31m\xc3\xa9\xe2\x82\xac\xf0\x9f\x92");
	assert_text(buf_str(&b), STR("nodometerd: a?31m??31m\xc3\xa9\xe2\x82\xac???\n"));
	logged(&b, LOG_LEVEL_ERROR, "\xc0\x9b\xed\xa0\x80\xc2");
	assert_text(buf_str(&b), STR("nodometerd: ??????\n"));
	logged(&b, LOG_LEVEL_NOTICE, "");
	assert_text(buf_str(&b), STR("nodometerd: \n"));
	logged(&b, LOG_LEVEL_INFO, "not this");
	assert_text(buf_str(&b), STR(""));
}

/* Set $JOURNAL_STREAM to the device and inode of fd, plus these differences. */
static void set_journal_stream(int fd, unsigned device_off, unsigned inode_off)
{
	char text[64];
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)st.st_dev + device_off,
		 (uintmax_t)st.st_ino + inode_off);
	setenv("JOURNAL_STREAM", text, 1);
}

/* Call log_open() while standard error is fd. */
static void open_log_on(int fd)
{
	int old = dup(STDERR_FILENO);
	assert_true(old >= 0);
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	log_open("nodometerd", LOG_LEVEL_DEBUG);
	assert_int_equal(dup2(old, STDERR_FILENO), STDERR_FILENO);
	close(old);
}

TEST(journal_gets_the_level)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_true(null >= 0);
	set_journal_stream(null, 0, 0);
	open_log_on(null);
	close(null);
	logged(&b, LOG_LEVEL_WARNING, "a");
	assert_text(buf_str(&b), STR("<4>a\n"));
	unsetenv("JOURNAL_STREAM");
}

TEST(inherited_journal_stream_is_not_the_journal)
{
	static const char *const malformed[] = { "", "8:1", "8", ":", "8:", "a:b" };
	struct buf b CLEANUP(buf_free) = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_true(null >= 0);
	for (unsigned i = 0; i < 2 + ARRAY_SIZE(malformed); i++) {
		if (i < 2)
			set_journal_stream(null, i == 0, i == 1);
		else
			setenv("JOURNAL_STREAM", malformed[i - 2], 1);
		open_log_on(null);
		logged(&b, LOG_LEVEL_WARNING, "a");
		assert_text(buf_str(&b), STR("nodometerd: a\n"));
	}
	close(null);
	unsetenv("JOURNAL_STREAM");
}

TEST(long_message_is_truncated_and_still_a_line)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char text[2000];
	log_open("nodometerd", LOG_LEVEL_NOTICE);
	for (size_t n = 1000; n < 1030; n++) {
		memset(text, 'x', n);
		text[n] = '\0';
		logged(&b, LOG_LEVEL_ERROR, text);
		assert_true(b.n <= 1024 && b.n > 1000);
		assert_ptr_equal(memchr(b.p, '\n', b.n), b.p + b.n - 1);
		assert_null(memchr(b.p, '\0', b.n));
	}
}

int main(void)
{
	RUN(cmocka_unit_test(message_is_one_line_that_names_the_program),
	    cmocka_unit_test(journal_gets_the_level),
	    cmocka_unit_test(inherited_journal_stream_is_not_the_journal),
	    cmocka_unit_test(long_message_is_truncated_and_still_a_line));
}
