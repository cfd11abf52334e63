/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_keeper.c - save a receiver's state in a child process, even on a disk that hangs */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/state/keeper.h"

static bool disk_hangs;
static char path[64];
static unsigned said;

/* Replace rename(2): a process that renames a file into place waits while the disk hangs. */
int rename(const char *from, const char *to)
{
	while (disk_hangs)
		pause();
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

#define LATE_NS 200000000	/* how late a busy machine may notice a kill */
static int64_t killed_ns;

int kill(pid_t pid, int signal)
{
	killed_ns = monotonic_ns();
	return (int)syscall(SYS_kill, pid, signal);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	if ((options & WNOHANG) && disk_hangs && killed_ns && monotonic_ns() - killed_ns < LATE_NS)
		return 0;
	return wait4(pid, status, options, NULL);
}

static void hear(void *arg, enum log_level level, const char *line)
{
	(void)arg, (void)level, (void)line;
	said++;
}

static const struct listener log_ = { hear, NULL };

static struct keeper keeper_new(int limit_ms)
{
	said = 0;
	disk_hangs = false;
	snprintf(path, sizeof(path), "/tmp/test_xrd_keeper.%d", (int)getpid());
	return (struct keeper){ .path = path, .limit_ms = limit_ms, .fd = -1, .listener = &log_ };
}

static off_t size_of_file(void)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* Count the files whose paths begin with that of the state file: the state and temporary files. */
static size_t files_beside(void)
{
	char pattern[80];
	glob_t g;
	snprintf(pattern, sizeof(pattern), "%s*", path);
	size_t n = glob(pattern, 0, NULL, &g) == 0 ? g.gl_pathc : 0;
	globfree(&g);
	return n;
}

static const struct saved_output out = { .begun = false };

TEST(a_state_that_another_process_saves_is_whole)
{
	struct bench *b = bench_new(1 << 20), *next = bench_new(1 << 20);
	struct saved_output taken = { .begun = false };
	struct keeper k = keeper_new(60000);
	identify(b);
	hand_f(b, opened);
	keeper_save_aside(&k, b->join, NULL, &out, NOW);
	assert_true(k.pid > 0);
	assert_int_equal(k.started_us, NOW);
	assert_int_equal(waitpid(k.pid, NULL, 0), k.pid);
	assert_int_equal(state_load(path, next->join, NULL, &taken), 0);
	next->seq = b->seq;
	next->f_seq = b->f_seq;
	hand_f(next, closed);
	xrd_join_finish(next->join);
	expect(next, "\"read\":1000");
	k.pid = 0;
	keeper_forget(&k);
	assert_int_equal(size_of_file(), -1);
	bench_free(b);
	bench_free(next);
}

TEST(a_disk_that_hangs_does_not_delay_the_end)
{
	struct bench *b = bench_new(1 << 20);
	struct keeper k = keeper_new(60000);
	assert_true(keeper_save(&k, b->join, NULL, &out));
	const off_t before = size_of_file();
	hand_f(b, opened);
	k.started_us = NOW;
	k.saved_us = 0;
	disk_hangs = true;
	k.limit_ms = 20;
	assert_false(keeper_save(&k, b->join, NULL, &out));
	assert_true(k.hangs);
	assert_int_equal(k.saved_us, 0);	/* a save that failed does not count */
	assert_int_equal(said, 1);
	assert_int_equal(size_of_file(), before);
	assert_int_equal(files_beside(), 1);
	disk_hangs = false;
	k.limit_ms = 60000;
	assert_true(keeper_save(&k, b->join, NULL, &out));
	assert_false(k.hangs);
	assert_int_equal(k.saved_us, NOW);
	assert_true(size_of_file() > before);
	keeper_forget(&k);
	bench_free(b);
}

TEST(the_newest_state_stays_if_two_are_written)
{
	struct bench *b = bench_new(1 << 20);
	struct keeper k = keeper_new(60000);
	disk_hangs = true;
	keeper_save_aside(&k, b->join, NULL, &out, NOW);
	const pid_t first = k.pid;
	keeper_save_aside(&k, b->join, NULL, &out, NOW + 1);
	assert_int_equal(k.pid, first);	/* no second process was started */
	assert_int_equal(k.started_us, NOW);
	/* the disk works again for the next process, while the first one still hangs */
	disk_hangs = false;
	hand_f(b, opened);
	assert_true(keeper_save(&k, b->join, NULL, &out));
	assert_int_equal(waitpid(first, NULL, WNOHANG), -1);
	assert_int_equal(said, 0);
	keeper_forget(&k);
	bench_free(b);
}

TEST(a_missing_folder_is_reported_once)
{
	struct bench *b = bench_new(1 << 20);
	struct keeper k = keeper_new(60000);
	k.path = "/tmp/no such folder/state";
	assert_false(keeper_save(&k, b->join, NULL, &out));
	assert_false(keeper_save(&k, b->join, NULL, &out));
	assert_int_equal(said, 1);
	assert_false(k.hangs);
	bench_free(b);
}

/* Give the receiver n entries of one kind. Small entries need the most memory for their size. */
static void fill(struct bench *b, char kind, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct xrd_record r = kind == 'c' ? closed : opened;
		char text[64];
		r.id = 10 + i;
		snprintf(text, sizeof(text), "xroot/u.%u:42@[::1]\n/p/%u", i, i);
		if (kind == 'u' || kind == 'd')
			hand(b, map(b, kind, 10 + i, text));
		else
			hand_f(b, r);
	}
}

TEST(a_state_is_no_larger_than_the_memory_that_is_allowed)
{
	static const size_t memory = 1 << 20, fixed = 4096;
	for (const char *kind = "udoc"; *kind; kind++) {
		struct bench *b = bench_new(memory);
		struct buf all = { 0 };
		b->now = NOW;
		fill(b, *kind, 20000);
		state_put(&all, b->join, NULL, &out);
		if (all.n > memory + fixed || all.n < memory / 16)
			fail_msg("of '%c' it has %zu bytes", *kind, all.n);
		buf_free(&all);
		bench_free(b);
	}
}

/* A disk may change any byte, and a part of a state must not be taken for the whole. */
TEST(state_with_any_byte_changed_or_missing_is_refused)
{
	struct bench *b = bench_new(1 << 20);
	struct saved_output taken = { .last_us = 0 };
	struct buf all = { 0 };
	fill(b, 'u', 2);
	fill(b, 'o', 2);
	state_put(&all, b->join, NULL, &out);
	for (size_t i = 0; i < all.n; i++) {
		all.p[i] ^= 1;
		assert_true(state_take(buf_str(&all), b->join, NULL, &taken) < 0);
		all.p[i] ^= 1;
		assert_true(state_take((struct str){ all.p, i }, b->join, NULL, &taken) < 0);
	}
	struct bench *next = bench_new(1 << 20);	/* a whole state is accepted */
	assert_int_equal(state_take(buf_str(&all), next->join, NULL, &taken), 0);
	bench_free(next);
	buf_free(&all);
	bench_free(b);
}

/*
 * Root opens the state file, because the user that the process changes to may have no access to the
 * folder.
 */
TEST(a_state_is_loaded_from_the_file_that_was_opened)
{
	struct bench *b = bench_new(1 << 20), *next = bench_new(1 << 20);
	struct saved_output taken = { .begun = false };
	struct keeper k = keeper_new(60000);
	hand_f(b, opened);
	assert_true(keeper_save(&k, b->join, NULL, &out));
	keeper_open(&k);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(keeper_load(&k, next->join, NULL, &taken), 0);
	next->f_seq = b->f_seq;
	hand_f(next, closed);
	xrd_join_finish(next->join);
	expect(next, "\"read\":1000");
	keeper_forget(&k);
	bench_free(b);
	bench_free(next);
}

TEST(a_state_that_is_left_is_neither_replaced_nor_removed)
{
	struct bench *b = bench_new(1 << 20);
	struct keeper k = keeper_new(60000);
	hand_f(b, opened);
	assert_true(keeper_save(&k, b->join, NULL, &out));
	const off_t before = size_of_file();
	fill(b, 'o', 100);
	keeper_open(&k);
	keeper_leave(&k);
	assert_true(keeper_save(&k, b->join, NULL, &out));
	keeper_forget(&k);
	assert_int_equal(size_of_file(), before);
	unlink(path);
	bench_free(b);
}

/* Messages of a queue are acknowledged once they are in a saved state. */
TEST(messages_are_saved_only_with_a_state_that_was_written)
{
	struct bench *b = bench_new(1 << 20);
	struct keeper k = keeper_new(60000);
	k.messages = 5;
	k.path = "/nonexistent/state";
	assert_false(keeper_save(&k, b->join, NULL, &out));
	assert_int_equal(k.messages_saved, 0);
	k.path = path;
	assert_true(keeper_save(&k, b->join, NULL, &out));
	assert_int_equal(k.messages_saved, 5);
	k.messages = 9;
	assert_int_equal(k.messages_saved, 5);
	keeper_forget(&k);
	bench_free(b);
}

/* Another user may put anything into the folder in which root opens the state file. */
TEST(neither_a_link_nor_a_pipe_is_opened)
{
	struct keeper k = keeper_new(60000);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	keeper_open(&k);
	assert_int_equal(k.fd, -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	keeper_open(&k);
	assert_int_equal(k.fd, -1);
	unlink(path);
}

int main(void)
{
	RUN(cmocka_unit_test(neither_a_link_nor_a_pipe_is_opened),
	    cmocka_unit_test(messages_are_saved_only_with_a_state_that_was_written),
	    cmocka_unit_test(a_state_that_another_process_saves_is_whole),
	    cmocka_unit_test(a_disk_that_hangs_does_not_delay_the_end),
	    cmocka_unit_test(the_newest_state_stays_if_two_are_written),
	    cmocka_unit_test(a_missing_folder_is_reported_once),
	    cmocka_unit_test(a_state_is_no_larger_than_the_memory_that_is_allowed),
	    cmocka_unit_test(state_with_any_byte_changed_or_missing_is_refused),
	    cmocka_unit_test(a_state_is_loaded_from_the_file_that_was_opened),
	    cmocka_unit_test(a_state_that_is_left_is_neither_replaced_nor_removed));
}
