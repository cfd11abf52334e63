/* SPDX-License-Identifier: BSD-3-Clause */
/* test_follow.c - who follows an archive and is ended has read what was written before */
#include "tests/unit/test.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/follow_host.h"
#include "formats/raw_read.h"

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

#define HEADER "$hpcperfstats 2.3.5\n$hostname n1\n!vm a,E\n!nodometer cpu,E bytes,E rows more x\n"
#define GROUP  "\n1700000000 -\nvm - 1\nnodometer - 1 2 2 4 5\n"

/* To DIR/HOST/current. */
static void append(const char *dir, const char *text)
{
	char path[128];
	size_t n = strlen(text);
	snprintf(path, sizeof(path), "%s/n1/current", dir);
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

struct waits {
	const char *dir;
	unsigned n;
};

/* Before it waits for the first time, there is both: more to read, and a signal. */
static int on_idle(void *arg)
{
	struct waits *w = arg;
	if (w->n++)
		return 0;
	append(w->dir, GROUP);
	return raise(SIGUSR1);
}

TEST(a_signal_ends_it_when_all_is_read)
{
	char dir[] = "/tmp/test_follow.XXXXXX", host[64], current[128], name[128];
	sigset_t blocked;
	assert_non_null(mkdtemp(dir));
	snprintf(host, sizeof(host), "%s/n1", dir);
	snprintf(current, sizeof(current), "%s/current", host);
	snprintf(name, sizeof(name), "%s/1700000000", host);
	assert_int_equal(mkdir(host, 0700), 0);
	append(dir, HEADER GROUP);
	assert_int_equal(link(current, name), 0);
	signal(SIGUSR1, on_signal);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);

	struct waits w = { dir, 0 };
	struct follow f = { .stop = &stop, .idle = on_idle, .arg = &w };
	assert_int_equal(follow_open(&f, str_of(host)), 0);
	assert_int_equal(follow_next_file(&f), 0);
	const struct byte_source bytes = follow_bytes(&f);
	struct record_source source = raw_records(&bytes, NULL);
	const struct record *g;
	unsigned n = 0;
	while (record_next(&source, &g) > 0 && n < 9)
		n++;
	assert_int_equal(n, 2);
	assert_int_equal(w.n, 2);
	record_source_end(&source);
	follow_close(&f);
	unlink(current);
	unlink(name);
	rmdir(host);
	rmdir(dir);
}

int main(void)
{
	RUN(cmocka_unit_test(a_signal_ends_it_when_all_is_read));
}
