/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_feeds.c - a sink's process that cannot be killed does not delay a reload, and may use the
 * folders of its keys
 */
#include "tests/unit/heard.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "send/feeds.h"

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

	/* The next run reaps the process after its end. */
	pid_t left = hangs;
	assert_int_equal(syscall(SYS_kill, left, SIGKILL), 0);
	while (syscall(SYS_kill, left, 0) == 0) {
		const struct sections none = { .n = 0 };
		stop = 0;
		assert_int_equal(feeds_run(&none, &node), 0);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0 }, { 0 } }, NULL);
}

/* A folder that does not exist yet may be mounted later, so the rule is for its parent. */
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

int main(void)
{
	RUN(cmocka_unit_test(each_missing_folder_of_a_sink_has_a_rule),
	    cmocka_unit_test(continues_without_a_process_that_cannot_be_killed));
}
