/* SPDX-License-Identifier: BSD-3-Clause */
/* test_feed_processes.c - restart the process of a sink when needed, and keep it alive otherwise */
#include "tests/unit/tree.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include "send/feeds.h"

/* The test and the processes of the sinks share this memory. */
static struct common {
	volatile int starts;	/* number of starts of the sink */
	volatile pid_t pid;	/* the newest process of the sink */
	volatile bool go_on;
	volatile bool went_on;
} *common;

static int open_fails(void *state, const struct sink_node *node, struct buf *why)
{
	(void)state;
	(void)node;
	common->starts++;
	buf_addf(why, "no library");
	return -EINVAL;
}

static int open_waits(void *state, const struct sink_node *node, struct buf *why)
{
	(void)state;
	(void)node;
	(void)why;
	common->pid = getpid();
	common->starts++;
	while (!common->go_on)
		usleep(1000);
	common->went_on = true;
	return -EINVAL;
}

static const struct sink fails = { .name = "fails", .open = open_fails };
static const struct sink waits = { .name = "waits", .open = open_waits };

static volatile int stop;

static void on_signal(int which)
{
	if (which == SIGTERM)
		stop = 1;
}

static void begin_nothing(const struct feed_node *node, const struct section *s)
{
	(void)node;
	(void)s;
}

/* Fork a sender that has this sink and runs until SIGTERM. Returns its pid. */
static pid_t start_sender(const struct tree *t, const struct sink *sink)
{
	struct section section = { .sink = sink, .rate = 1000, .name = "one" };
	const struct sections sections = { { &section }, 1 };
	static struct config config;
	struct feed_node node = { .config = &config, .host = "n1", .stop = &stop,
				  .begin = begin_nothing };
	sigset_t ours;
	*common = (struct common){ .starts = 0 };
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	snprintf(config.dir, sizeof(config.dir), "%s/archive", t->path);
	snprintf(config.state_dir, sizeof(config.state_dir), "%s/state", t->path);
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &node.usual);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	_exit(feeds_run(&sections, &node) < 0);
}

static void end_sender(pid_t pid)
{
	int status;
	common->go_on = true;
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Wait up to a minute for the sink's n-th start. Returns false after a timeout. */
static bool starts_within_a_minute(int n)
{
	for (int i = 0; i < 60000 && common->starts < n; i++)
		usleep(1000);
	return common->starts >= n;
}

/* A sink that fails at once is restarted only after ten seconds. */
TEST(failed_sink_waits_before_its_next_start)
{
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	pid_t sender = start_sender(&t, &fails);
	bool started = starts_within_a_minute(1);
	for (int i = 0; i < 500 && common->starts == 1; i++)
		usleep(1000);
	int starts = common->starts;
	end_sender(sender);
	assert_true(started);
	assert_int_equal(starts, 1);
}

/* SIGHUP may go to all processes of a service, but only the sender reloads its configuration. */
TEST(hangup_does_not_end_a_sink)
{
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	pid_t sender = start_sender(&t, &waits);
	bool started = starts_within_a_minute(1) && kill(common->pid, SIGHUP) == 0;
	common->go_on = true;
	for (int i = 0; i < 60000 && started && !common->went_on && kill(common->pid, 0) == 0; i++)
		usleep(1000);
	bool went_on = common->went_on;
	end_sender(sender);
	assert_true(started);
	assert_true(went_on);
}

int main(void)
{
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (common == MAP_FAILED)
		return 1;
	RUN(cmocka_unit_test(failed_sink_waits_before_its_next_start),
	    cmocka_unit_test(hangup_does_not_end_a_sink));
}
