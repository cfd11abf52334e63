/* SPDX-License-Identifier: BSD-3-Clause */
/* test_queue.c - tell nodometer-xrootd-queue how many messages of the queue were processed */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/files.h"
#include "xrootd/queue.h"

/* A queue whose pipe to the program is `out`. */
static struct queue queue_of(int out[2])
{
	assert_int_equal(pipe2(out, O_NONBLOCK | O_CLOEXEC), 0);
	return (struct queue){ .counts = out[1] };
}

static void assert_told(int fd, const char *want)
{
	char got[64];
	ssize_t n = read(fd, got, sizeof(got));
	if (n < 0 || (size_t)n != strlen(want) || memcmp(got, want, (size_t)n) != 0)
		fail_msg("told \"%.*s\", not \"%s\"", n > 0 ? (int)n : 0, got, want);
}

static void fill(int fd)
{
	static const char bytes[4096];
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
}

static void drain(int fd)
{
	char bytes[4096];
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

TEST(a_count_that_did_not_fit_into_the_pipe_is_told_again)
{
	int fd[2];
	struct queue q = queue_of(fd);
	fill(fd[1]);
	queue_tell(&q, 5);
	drain(fd[0]);
	queue_tell(&q, 5);
	assert_told(fd[0], "5\n");
	close_fd(&fd[0]);
	close_fd(&fd[1]);
}

TEST(each_count_is_told_once_and_no_smaller_one)
{
	int fd[2];
	char byte;
	struct queue q = queue_of(fd);
	queue_tell(&q, 0);
	queue_tell(&q, 3);
	queue_tell(&q, 3);
	queue_tell(&q, 2);
	queue_tell(&q, 18446744073709551615u);
	assert_told(fd[0], "3\n18446744073709551615\n");
	assert_int_equal(read(fd[0], &byte, 1), -1);
	close_fd(&fd[0]);
	close_fd(&fd[1]);
}

int main(void)
{
	RUN(cmocka_unit_test(a_count_that_did_not_fit_into_the_pipe_is_told_again),
	    cmocka_unit_test(each_count_is_told_once_and_no_smaller_one));
}
