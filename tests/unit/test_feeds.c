/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_feeds.c - a sink's process that cannot be killed does not delay a reload, the folders that a
 * sink's configuration names get access rules, and rotated line files are read in order
 */
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "send/feeds.h"
#include "send/lines_file.h"

#define MOMENT_US 20000
#define LATE      500	/* timer ticks of MOMENT_US until the test fails */

static volatile int stop, moments;
static volatile bool *heedless;	/* shared memory: set once the sink's process ignores SIGTERM */
/* The process that SIGKILL does not end, like a process in state D; 0 if there is none. */
static pid_t hangs;

/*
 * Replace kill() and poll() of the C library. kill() keeps one process alive after SIGKILL, and
 * poll() without descriptors returns at once, so that the test does not wait.
 */
int kill(pid_t pid, int which)
{
	if (which == SIGKILL && hangs == 0) {
		hangs = pid;
		return 0;
	}
	return (int)syscall(SYS_kill, pid, which);
}

int poll(struct pollfd *p, nfds_t n, int ms)
{
	return n ? ppoll(p, n, &(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL) : 0;
}

static void on_moment(int which)
{
	(void)which;
	stop = *heedless;
	if (++moments == LATE)
		_exit(1);	/* feeds_run() does not return: fail the test */
}

/* The sink's process, which ignores SIGTERM. */
static void begin_forever(const struct feed_node *node, const struct section *s)
{
	(void)node;
	(void)s;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_IGN);
	*heedless = true;
	for (;;)
		pause();
}

TEST(continues_without_a_process_that_cannot_be_killed)
{
	static const struct sink sink = { .name = "forever" };
	struct section section = { .name = "forever", .sink = &sink };
	struct sections sections = { .one = { &section }, .n = 1 };
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	struct feed_node node = { .stop = &stop, .begin = begin_forever,
				  .sink.listener = &listener };
	heedless = mmap(NULL, sizeof(*heedless), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(heedless != MAP_FAILED);
	const struct timeval each = { .tv_usec = MOMENT_US };
	sigemptyset(&node.usual);
	signal(SIGALRM, on_moment);
	setitimer(ITIMER_REAL, &(struct itimerval){ each, each }, NULL);

	assert_int_equal(feeds_run(&sections, &node), 0);
	assert_true(hangs > 0);
	assert_lines(&heard, 1, 0, "[sink forever] its process does not end");

	/* The next feeds_run() reaps the process once it has ended. */
	pid_t left = hangs;
	assert_int_equal(syscall(SYS_kill, left, SIGKILL), 0);
	while (syscall(SYS_kill, left, 0) == 0) {
		const struct sections none = { .n = 0 };
		stop = 0;
		assert_int_equal(feeds_run(&none, &node), 0);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0 }, { 0 } }, NULL);
}

/* A folder that does not exist yet may be mounted later, so its parent folder gets the rule. */
TEST(each_missing_folder_of_a_sink_has_a_rule)
{
	static const char *const keys[][2] = {
		{ "socket-dir", "/nonexistent/a/b" }, { "textfile-dir", "/nonexistent/c/d" },
	};
	struct sections s = { .n = 0 };
	struct buf why CLEANUP(buf_free) = { 0 };
	const struct config_sinks take = sections_take(&s);
	struct confine_path path[16];
	bool first = false, second = false;
	assert_true(take.section(take.arg, STR("metrics"), &why));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_true(take.set(take.arg, STR("metrics"), keys[i][0], keys[i][1], &why));
	size_t n = sections_put_paths(&s, path, ARRAY_SIZE(path));
	for (size_t i = 0; i < n; i++) {
		first |= strcmp(path[i].path, "/nonexistent/a") == 0;
		second |= strcmp(path[i].path, "/nonexistent/c") == 0;
	}
	assert_true(first && second);
	sections_free(&s);
}

static void put_aged(const struct tree *t, const char *name, time_t mtime)
{
	const struct timespec at[2] = { { .tv_sec = mtime }, { .tv_sec = mtime } };
	tree_put(t, name, STR("1\n"));
	assert_int_equal(utimensat(t->fd, name, at, 0), 0);
}

/*
 * If some rotated files have a date in their name and others a number, all are sorted by
 * modification time. For equal times, the larger number is older.
 */
TEST(rotated_files_of_the_same_time_are_sorted_by_number_beside_dates)
{
	struct tree t CLEANUP(tree_free);
	struct rotated list CLEANUP(rotated_free) = { 0 };
	char path[300];
	tree_make(&t);
	put_aged(&t, "t.json-20260101", 1000);
	put_aged(&t, "t.json.1", 2000);
	put_aged(&t, "t.json.2", 2000);
	put_aged(&t, "t.json", 3000);
	snprintf(path, sizeof(path), "%s/t.json", t.path);
	assert_int_equal(rotated_list(path, 0, &list), 0);
	assert_int_equal(list.n, 4);
	assert_true(list.file[0].number < 0 && list.file[3].current);
	assert_int_equal(list.file[1].number, 2);
	assert_int_equal(list.file[2].number, 1);
}

/* The zstd frame's header asks for a window of 36 MB: 32 MB and an eighth (RFC 8878, 3.1.1.1.2). */
TEST(file_of_lines_takes_at_most_32_mb_to_decompress)
{
	static const char window[] = "\x28\xb5\x2f\xfd\x00\x79" "\x11\x00\x00" "2\n";
	struct tree t CLEANUP(tree_free);
	struct rotated list CLEANUP(rotated_free) = { 0 };
	struct lines_file f;
	char path[300];
	tree_make(&t);
	tree_put(&t, "t.json.1.zst", (struct str){ window, sizeof(window) - 1 });
	snprintf(path, sizeof(path), "%s/t.json", t.path);
	assert_int_equal(rotated_list(path, 0, &list), 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(lines_file_open(&f, &list.file[0], NULL, &stop), -EFBIG);
}

int main(void)
{
	RUN(cmocka_unit_test(rotated_files_of_the_same_time_are_sorted_by_number_beside_dates),
	    cmocka_unit_test(file_of_lines_takes_at_most_32_mb_to_decompress),
	    cmocka_unit_test(each_missing_folder_of_a_sink_has_a_rule),
	    cmocka_unit_test(continues_without_a_process_that_cannot_be_killed));
}
