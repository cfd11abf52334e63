/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_answer.c - requests and answers arrive unchanged or are refused, and no peer blocks forever
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/frame.h"
#include "formats/answer.h"

static void comes_back(struct answer_request q)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct answer_request got;
	answer_put_request(&b, &q);
	assert_in_range(b.n, 1, ANSWER_REQUEST_MAX);
	assert_int_equal(answer_take_request(buf_str(&b), &got), 0);
	assert_int_equal(got.rows, q.rows);
	assert_int_equal(got.what, q.what);
	assert_int_equal(got.since, q.since);
	assert_int_equal(got.until, q.until);
	assert_true(str_eq(got.job, q.job));
}

TEST(request_is_read_as_it_was_written)
{
	char longest[ANSWER_JOB_MAX];
	memset(longest, 'x', sizeof(longest));
	comes_back((struct answer_request){ true, INT64_MIN, INT64_MAX, STR("") });
	comes_back((struct answer_request){ false, 0, 1700000000000000, STR("105_1") });
	comes_back((struct answer_request){ true, INT64_MIN, INT64_MAX, STR("../../etc/passwd") });
	comes_back((struct answer_request){ true, INT64_MIN, INT64_MAX, STR("%n%s") });
	for (int what = ANSWER_NEWEST; what < ANSWER_WHATS; what++)
		comes_back((struct answer_request){ .rows = true, .since = INT64_MIN,
						    .until = INT64_MAX,
						    .what = (enum answer_what)what });
	comes_back((struct answer_request){ true, INT64_MIN, INT64_MAX,
					    { longest, sizeof(longest) } });
}

TEST(malformed_request_is_refused)
{
	static const char *const wrong[] = {
		"", "records", "records - -", "records - - ", "records - -  7", "records - - 7 8",
		"records - - 7\n", "records - - 7\t", "records - - 7,8", "Records - - 7",
		"records -1 - 7", "records 1.5 - 7", "records 9223372036854775808 - 7",
		"records - - \x7f", "all - - 7", "records  - - 7",
	};
	struct answer_request q;
	char text[ANSWER_REQUEST_MAX] = "records - - ";
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(answer_take_request(str_of(wrong[i]), &q), -EBADMSG);
	memset(text + 12, 'x', ANSWER_JOB_MAX + 1);
	assert_int_equal(answer_take_request(str_of(text), &q), -EBADMSG);
	assert_int_equal(answer_take_request((struct str){ "records - - a\0b", 15 }, &q), -EBADMSG);
}

TEST(host_name_that_is_a_path_is_refused)
{
	static const char *const wrong[] = {
		"", "1", "1 ", "1 ..", "1 .n1", "1 a/b", "1 /n1", "-1 n1", "x n1", "1 n1 n2",
		"1 n\n1",
	};
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str host;
	int64_t epoch;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(answer_take_host(str_of(wrong[i]), &epoch, &host), -EBADMSG);
	answer_put_host(&b, 1700000000, STR("n1.example.org"));
	assert_int_equal(answer_take_host(buf_str(&b), &epoch, &host), 0);
	assert_int_equal(epoch, 1700000000);
	assert_true(str_eq(host, STR("n1.example.org")));
}

TEST(answer_is_whole_or_says_why_not)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str said;
	bool whole;
	answer_put_end(&b, true, STR(""));
	assert_int_equal(answer_take_end(buf_str(&b), &whole, &said), 0);
	assert_true(whole && said.n == 0);
	b.n = 0;
	answer_put_end(&b, false, STR("it takes too long"));
	assert_int_equal(answer_take_end(buf_str(&b), &whole, &said), 0);
	assert_true(!whole && str_eq(said, STR("it takes too long")));
	assert_int_equal(answer_take_end(STR("okay"), &whole, &said), -EBADMSG);
	assert_int_equal(answer_take_end(STR(""), &whole, &said), -EBADMSG);
}

static void open_pair(int fd[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
}

static void close_pair(int fd[2])
{
	close_fd(&fd[0]);
	close_fd(&fd[1]);
}

TEST(frame_of_any_size_arrives_whole)
{
	static char bytes[FRAME_MAX + 1];
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd[2], sizes[] = { 0, 1, 4096, FRAME_MAX / 2 };
	int64_t soon = monotonic_ns() + 60000000000;
	char kind;
	open_pair(fd);
	memset(bytes, 'y', sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct str sent = { bytes, (size_t)sizes[i] };
		assert_int_equal(frame_send(fd[0], 'D', sent, soon), 0);
		assert_int_equal(frame_receive(fd[1], &kind, &b, FRAME_MAX, soon), 0);
		assert_int_equal(kind, 'D');
		assert_true(str_eq(buf_str(&b), sent));
	}
	assert_int_equal(frame_send(fd[0], 'D', (struct str){ bytes, FRAME_MAX + 1 }, soon),
			 -EMSGSIZE);
	close_pair(fd);
}

static int receive_of(const char *bytes, size_t n, size_t most)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd[2];
	char kind;
	open_pair(fd);
	assert_int_equal(write(fd[0], bytes, n), n);
	close_fd(&fd[0]);
	int r = frame_receive(fd[1], &kind, &b, most, monotonic_ns() + 60000000000);
	close_fd(&fd[1]);
	return r;
}

TEST(truncated_or_too_large_frame_is_refused)
{
	static const char frame[] = "Q\0\0\0\3abc";
	for (size_t n = 0; n < sizeof(frame) - 1; n++)
		assert_int_equal(receive_of(frame, n, 3), -EPIPE);
	assert_int_equal(receive_of(frame, sizeof(frame) - 1, 3), 0);
	assert_int_equal(receive_of(frame, sizeof(frame) - 1, 2), -EMSGSIZE);
	assert_int_equal(receive_of("Q\xff\xff\xff\xff", 5, SIZE_MAX), -EMSGSIZE);
}

TEST(silent_or_stuck_peer_times_out)
{
	static char bytes[FRAME_MAX];
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd[2], r = 0;
	char kind;
	open_pair(fd);
	assert_int_equal(frame_receive(fd[1], &kind, &b, 512, monotonic_ns()), -ETIMEDOUT);
	assert_int_equal(write(fd[0], "Q\0\0", 3), 3);
	assert_int_equal(frame_receive(fd[1], &kind, &b, 512, monotonic_ns() + 1000), -ETIMEDOUT);
	for (int i = 0; i < 10000 && r == 0; i++)
		r = frame_send(fd[0], 'D', (struct str){ bytes, sizeof(bytes) },
			       monotonic_ns() + 1000);
	assert_int_equal(r, -ETIMEDOUT);
	close_pair(fd);
}

int main(void)
{
	RUN(cmocka_unit_test(request_is_read_as_it_was_written),
	    cmocka_unit_test(malformed_request_is_refused),
	    cmocka_unit_test(host_name_that_is_a_path_is_refused),
	    cmocka_unit_test(answer_is_whole_or_says_why_not),
	    cmocka_unit_test(frame_of_any_size_arrives_whole),
	    cmocka_unit_test(truncated_or_too_large_frame_is_refused),
	    cmocka_unit_test(silent_or_stuck_peer_times_out));
}
