/* SPDX-License-Identifier: BSD-3-Clause */
/* test_follow.c - who follows an archive ends when it is told to, whatever comes meanwhile */
#include "tests/unit/test.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/follow_host.h"
#include "base/files.h"

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* DIR/HOST/current, which grows by a group. */
static void append(const char *dir)
{
	static const char group[] = "\n1700000000 -\ncpu 0 1 2\n";
	char path[128];
	snprintf(path, sizeof(path), "%s/n1/current", dir);
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, group, sizeof(group) - 1), (ssize_t)sizeof(group) - 1);
	close(fd);
}

struct waits {
	const char *dir;
	unsigned n;
};

/* Before it waits, there is both: more to read, and a signal. */
static int on_idle(void *arg)
{
	struct waits *w = arg;
	w->n++;
	append(w->dir);
	return raise(SIGUSR1);
}

TEST(a_signal_ends_it_though_there_is_more_to_read)
{
	char dir[] = "/tmp/test_follow.XXXXXX", host[64], current[128], name[128], bytes[4096];
	sigset_t blocked;
	assert_non_null(mkdtemp(dir));
	snprintf(host, sizeof(host), "%s/n1", dir);
	snprintf(current, sizeof(current), "%s/current", host);
	snprintf(name, sizeof(name), "%s/1700000000", host);
	assert_int_equal(mkdir(host, 0700), 0);
	append(dir);
	assert_int_equal(link(current, name), 0);
	signal(SIGUSR1, on_signal);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);

	struct waits w = { dir, 0 };
	struct follow f = { .stop = &stop, .idle = on_idle, .arg = &w };
	assert_int_equal(follow_open(&f, dir, "n1"), 0);
	assert_int_equal(follow_next_file(&f), 0);
	struct byte_source from = follow_bytes(&f);
	ssize_t n;
	while ((n = from.read(from.arg, bytes, sizeof(bytes))) > 0 && w.n < 9)
		;
	assert_int_equal(n, 0);
	assert_int_equal(w.n, 1);
	follow_close(&f);
	unlink(current);
	unlink(name);
	rmdir(host);
	rmdir(dir);
}

int main(void)
{
	RUN(cmocka_unit_test(a_signal_ends_it_though_there_is_more_to_read));
}
