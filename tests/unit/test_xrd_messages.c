/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_messages.c - read the shoveler's messages from pieces of any size */
#include "tests/unit/test.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "xrootd/input/messages.h"

#define FIRST  "{\"remote\":\"192.0.2.1:1094\",\"version\":\"1.1.2\",\"data\":\"YWJj\"}"
#define SECOND "{\"remote\":\"[2001:db8::1]:7\",\"data\":\"eHl6IQ==\"}"

static void take(void *arg, const struct xrd_source *from, struct str datagram, int64_t now)
{
	struct buf *b = arg;
	assert_true(now > 0);
	buf_addf(b, "%u " STR_FMT "\n", from->port, STR_ARG(datagram));
}

static void expect(const struct messages_in *m, const struct buf *got, const char *want,
		   uint64_t n, uint64_t bad)
{
	if (!str_eq(buf_str(got), str_of(want)))
		fail_msg("%.*s instead of %s", (int)got->n, got->n ? got->p : "", want);
	assert_int_equal(m->n, n);
	assert_int_equal(m->bad, bad);
}

TEST(lines_may_be_cut_anywhere)
{
	const struct str all = STR("\n" FIRST "\r\n" "rubbish\n\n" SECOND "\n" FIRST);
	for (size_t cut = 0; cut <= all.n; cut++) {
		struct buf got CLEANUP(buf_free) = { 0 };
		const struct xrd_datagrams to = { take, &got };
		struct messages_in m = { .n = 0 };
		messages_add(&m, (struct str){ all.p, cut }, &to);
		messages_add(&m, str_skip(all, cut), &to);
		expect(&m, &got, "1094 abc\n7 xyz!\n", 3, 1);
		messages_end(&m, &to);
		expect(&m, &got, "1094 abc\n7 xyz!\n1094 abc\n", 4, 1);
		messages_end(&m, &to);
		assert_int_equal(m.n, 4);
		messages_free(&m);
	}
}

/* A line that is too long is counted as bad and takes no memory. Later lines are read. */
TEST(a_line_without_end_is_one_bad_message)
{
	static char part[4096];
	struct buf got CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { take, &got };
	struct messages_in m = { .n = 0 };
	memset(part, '{', sizeof(part));
	for (size_t i = 0; i < 2 * MESSAGE_MAX / sizeof(part); i++)
		messages_add(&m, (struct str){ part, sizeof(part) }, &to);
	assert_true(m.line.cap <= 2 * MESSAGE_MAX);
	messages_add(&m, STR(FIRST "\n" FIRST "\n"), &to);
	expect(&m, &got, "1094 abc\n", 2, 1);
	messages_free(&m);
}

static void note_again(void *arg)
{
	buf_addf(arg, "again\n");
}

TEST(a_new_connection_of_a_queue_is_no_message)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { take, &got };
	struct messages_in m = { .again = note_again, .again_arg = &got };
	messages_add(&m, STR("=\n" FIRST "\n=\n" SECOND "\n"), &to);
	expect(&m, &got, "again\n1094 abc\nagain\n7 xyz!\n", 2, 0);
	m.again = NULL;		/* without a queue, "=" is a bad message */
	messages_add(&m, STR("=\n"), &to);
	expect(&m, &got, "again\n1094 abc\nagain\n7 xyz!\n", 3, 1);
	messages_free(&m);
}

/*
 * The receiver acknowledges messages of a queue by their number, which must be the number of lines
 * that it has read.
 */
TEST(each_message_of_a_queue_is_one_line_that_counts)
{
	static const struct {
		const char *message, *line;
	} messages[] = {
		{ FIRST, FIRST "\n" }, { "{\n}", "{ }\n" }, { "", "-\n" }, { " \n", "-\n" },
		{ "=", "-\n" }, { "\n= ", "-\n" },
	};
	struct buf got CLEANUP(buf_free) = { 0 }, line CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { take, &got };
	struct messages_in m = { .again = note_again, .again_arg = &got };
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		line.n = 0;
		buf_add(&line, str_of(messages[i].message));
		message_make_line(&line);
		assert_true(str_eq(buf_str(&line), str_of(messages[i].line)));
		messages_add(&m, buf_str(&line), &to);
		expect(&m, &got, "1094 abc\n", i + 1, i);
	}
	messages_free(&m);
}

static void take_time(void *arg, const struct xrd_source *from, struct str datagram, int64_t now)
{
	(void)from;
	(void)datagram;
	*(int64_t *)arg = now;
}

/*
 * --read uses the times in a file. Messages of a pipe or queue have the time at which they are
 * read.
 */
TEST(the_time_of_a_message_counts_only_in_a_file)
{
	static const char text[] = "{\"remote\":\"192.0.2.1:1094\",\"data\":\"YWJj\",\"time\":";
	int64_t at = 0;
	const struct xrd_datagrams to = { take_time, &at };
	for (int timed = 0; timed < 2; timed++)
		for (int future = 0; future < 2; future++) {
			struct messages_in m = { .timed = timed };
			const int64_t before = realtime_us();
			messages_add(&m, str_of(text), &to);
			messages_add(&m, future ? STR("99999999999.0}\n") : STR("7.5}\n"), &to);
			if (timed && !future)
				assert_int_equal(at, 7500000);
			else
				assert_true(at >= before && at <= realtime_us());
			messages_free(&m);
		}
}

TEST(a_pipe_is_read_to_its_end)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { take, &got };
	struct messages_in m = { .n = 0 };
	int fd[2];
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], FIRST "\n{", sizeof(FIRST) + 1), sizeof(FIRST) + 1);
	assert_int_equal(messages_read(&m, fd[0], &to), 1);
	expect(&m, &got, "1094 abc\n", 1, 0);
	close(fd[1]);
	assert_int_equal(messages_read(&m, fd[0], &to), 0);
	expect(&m, &got, "1094 abc\n", 2, 1);
	close(fd[0]);
	assert_int_equal(messages_read(&m, fd[0], &to), -EBADF);
	messages_free(&m);
}

int main(void)
{
	RUN(cmocka_unit_test(lines_may_be_cut_anywhere),
	    cmocka_unit_test(a_line_without_end_is_one_bad_message),
	    cmocka_unit_test(a_new_connection_of_a_queue_is_no_message),
	    cmocka_unit_test(each_message_of_a_queue_is_one_line_that_counts),
	    cmocka_unit_test(the_time_of_a_message_counts_only_in_a_file),
	    cmocka_unit_test(a_pipe_is_read_to_its_end));
}
