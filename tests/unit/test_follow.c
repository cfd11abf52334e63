/* SPDX-License-Identifier: BSD-3-Clause */
/* test_follow.c - a follower that is stopped first reads everything written before the stop */
#include "tests/unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

struct place {
	char dir[32], host[64], current[128], name[128];
};

static void make_place(struct place *p)
{
	*p = (struct place){ .dir = "/tmp/test_follow.XXXXXX" };
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->host, sizeof(p->host), "%s/n1", p->dir);
	snprintf(p->current, sizeof(p->current), "%s/current", p->host);
	snprintf(p->name, sizeof(p->name), "%s/1700000000", p->host);
	assert_int_equal(mkdir(p->host, 0700), 0);
}

static void remove_place(const struct place *p)
{
	unlink(p->current);
	unlink(p->name);
	rmdir(p->host);
	rmdir(p->dir);
}

static void append(const struct place *p, const char *text)
{
	size_t n = strlen(text);
	int fd = open(p->name, O_WRONLY | O_APPEND | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

struct waits {
	const struct place *place;
	unsigned n;
};

/*
 * Follow the host until SIGUSR1. Returns how many records were read, and sets *waits to the number
 * of waits.
 */
static unsigned follow(const struct place *p, int (*idle)(void *arg), unsigned *waits)
{
	struct waits w = { p, 0 };
	struct follow f = { .stop = &stop, .idle = idle, .arg = &w };
	const struct record *g;
	unsigned n = 0;
	stop = 0;
	assert_int_equal(follow_open(&f, str_of(p->host)), 0);
	assert_int_equal(follow_next_file(&f), 0);
	const struct byte_source bytes = follow_bytes(&f);
	struct record_source source = raw_records(&bytes, NULL);
	while (record_next(&source, &g) > 0 && n < 9)
		n++;
	record_source_end(&source);
	follow_close(&f);
	*waits = w.n;
	return n;
}

/* More data and a signal arrive before the first wait. */
static int more_and_a_signal(void *arg)
{
	struct waits *w = arg;
	if (w->n++)
		return 0;
	append(w->place, GROUP);
	return raise(SIGUSR1);
}

TEST(signal_ends_the_follower_when_all_is_read)
{
	struct place p;
	unsigned waits;
	make_place(&p);
	append(&p, HEADER GROUP);
	assert_int_equal(link(p.name, p.current), 0);
	assert_int_equal(follow(&p, more_and_a_signal, &waits), 2);
	assert_int_equal(waits, 2);
	remove_place(&p);
}

static int current_then_a_signal(void *arg)
{
	struct waits *w = arg;
	if (w->n++)
		return raise(SIGUSR1);
	assert_int_equal(link(w->place->name, w->place->current), 0);
	append(w->place, GROUP);
	return 0;
}

/*
 * A writer syncs its first file before making it current. Readers that look in between must not
 * end.
 */
TEST(file_that_is_not_current_yet_is_followed)
{
	struct place p;
	unsigned waits;
	make_place(&p);
	append(&p, HEADER GROUP);
	assert_int_equal(follow(&p, current_then_a_signal, &waits), 2);
	remove_place(&p);
}

static void put_file(const struct place *p, const char *name)
{
	struct place other = *p;
	snprintf(other.name, sizeof(other.name), "%s/%s", p->host, name);
	unlink(other.name);
	append(&other, HEADER GROUP);
}

static void remove_file(const struct place *p, const char *name)
{
	char path[sizeof(p->name) + 16];
	snprintf(path, sizeof(path), "%s/%s", p->host, name);
	assert_int_equal(unlink(path), 0);
}

/*
 * After the clock was set back, a file appears whose time lies between the file that was read
 * before and the current one.
 */
TEST(file_that_appears_between_two_others_is_read_before_the_newer_one)
{
	static const int64_t order[] = { 1700000000, 1700000200, 1700000100, 1700000200 };
	struct place p;
	make_place(&p);
	put_file(&p, "1700000000");
	put_file(&p, "1700000200");
	struct follow f = { .stop = &stop, .no_wait = true };
	assert_int_equal(follow_open(&f, str_of(p.host)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_equal(follow_next_file(&f), 0);
		assert_int_equal(f.epoch, order[i]);
		if (i == 1)
			put_file(&p, "1700000100");
	}
	assert_int_equal(follow_next_file(&f), -EAGAIN);
	follow_close(&f);
	remove_file(&p, "1700000100");
	remove_file(&p, "1700000200");
	remove_place(&p);
}

/*
 * The folder that is followed was moved, and a new one may be there. The follower must check this
 * at once, not only each minute.
 */
TEST(moved_folder_ends_a_wait)
{
	struct place p;
	char moved[sizeof(p.host) + 4];
	make_place(&p);
	struct follow f = { .stop = &stop };
	assert_int_equal(follow_open(&f, str_of(p.host)), 0);
	struct pollfd wakes = { .fd = follow_wakes(&f), .events = POLLIN };
	assert_int_equal(poll(&wakes, 1, 0), 0);
	snprintf(moved, sizeof(moved), "%s.old", p.host);
	assert_int_equal(rename(p.host, moved), 0);
	assert_int_equal(poll(&wakes, 1, 0), 1);
	follow_close(&f);
	rmdir(moved);
	remove_place(&p);
}

#define GROUP_AT(time) "\n" time " -\nvm - 1\nnodometer - 1 2 2 4 5\n"

static int others_in_place_of_the_last(void *arg)
{
	struct waits *w = arg;
	if (w->n++)
		return raise(SIGUSR1);
	assert_int_equal(truncate(w->place->name, strlen(HEADER GROUP)), 0);
	append(w->place, GROUP_AT("1700000020") GROUP_AT("1700000030"));
	return 0;
}

TEST(groups_that_replace_a_truncated_one_are_read)
{
	struct place p;
	unsigned waits;
	make_place(&p);
	append(&p, HEADER GROUP GROUP_AT("1700000010"));
	assert_int_equal(link(p.name, p.current), 0);
	assert_int_equal(follow(&p, others_in_place_of_the_last, &waits), 4);
	remove_place(&p);
}

static int a_shorter_one_in_place_of_two(void *arg)
{
	struct waits *w = arg;
	if (w->n++)
		return raise(SIGUSR1);
	assert_int_equal(truncate(w->place->name, strlen(HEADER GROUP)), 0);
	append(w->place, GROUP_AT("1700000030"));
	return 0;
}

/*
 * One record group replaces the last two, which makes the file shorter. The new record group must
 * be read.
 */
TEST(group_that_replaces_two_truncated_ones_is_read)
{
	struct place p;
	unsigned waits;
	make_place(&p);
	append(&p, HEADER GROUP GROUP_AT("1700000010") GROUP_AT("1700000020"));
	assert_int_equal(link(p.name, p.current), 0);
	assert_int_equal(follow(&p, a_shorter_one_in_place_of_two, &waits), 4);
	remove_place(&p);
}

int main(void)
{
	sigset_t blocked;
	signal(SIGUSR1, on_signal);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	RUN(cmocka_unit_test(signal_ends_the_follower_when_all_is_read),
	    cmocka_unit_test(groups_that_replace_a_truncated_one_are_read),
	    cmocka_unit_test(group_that_replaces_two_truncated_ones_is_read),
	    cmocka_unit_test(file_that_is_not_current_yet_is_followed),
	    cmocka_unit_test(file_that_appears_between_two_others_is_read_before_the_newer_one),
	    cmocka_unit_test(moved_folder_ends_a_wait));
}
