/* SPDX-License-Identifier: BSD-3-Clause */
/* feeds.c - run a process for each sink, so that a sink that hangs or dies delays no other */
#include "send/feeds.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/child.h"

#define RESTART_S    10	/* seconds until a process that has ended is restarted */
/* seconds that all processes get at the end to deliver and save their cursors */
#define STOP_S       5
#define KILL_WAIT_MS 200	/* how long the kernel may take to end a killed process */

struct feed_process {
	pid_t pid;		/* 0: the process is not running */
	int64_t restart_ns;	/* earliest time of a restart, in nanoseconds of CLOCK_MONOTONIC */
};

static void feeds_start(struct feed_process *p, struct section *s, const struct feed_node *node)
{
	p->pid = child_fork(SIGTERM);
	if (p->pid == 0) {
		prctl(PR_SET_NAME, s->name);
		signal(SIGHUP, SIG_IGN);
		signal(SIGCHLD, SIG_DFL);
		node->begin(node, s);
		_exit(feed_run(s, node) < 0);
	}
	if (p->pid < 0) {
		say_error(node->sink.listener, "[sink %s] cannot start its process: %s", s->name,
			  strerror(errno));
		p->pid = 0;
	}
	p->restart_ns = monotonic_ns() + (int64_t)RESTART_S * 1000000000;
}

static void feeds_note_exit(struct feed_process *p, const struct section *s,
			    const struct feed_node *node, int status)
{
	p->pid = 0;
	if (WIFSIGNALED(status))
		say_error(node->sink.listener, "[sink %s] its process was killed by signal %d; "
			  "restarting it", s->name, WTERMSIG(status));
	else if (status)
		say_error(node->sink.listener, "[sink %s] its process failed; restarting it",
			  s->name);
}

/*
 * Reap processes that have ended, including those that an earlier call of feeds_run() started.
 * Returns how many processes of this call are running.
 */
static size_t feeds_reap(struct feed_process *p, const struct sections *s,
			 const struct feed_node *node)
{
	size_t left = 0;
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0; )
		for (size_t i = 0; i < s->n; i++)
			if (p[i].pid == pid)
				feeds_note_exit(&p[i], s->one[i], node, status);
	for (size_t i = 0; i < s->n; i++)
		left += p[i].pid != 0;
	return left;
}

static void feeds_signal(const struct feed_process *p, size_t n, int which)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].pid)
			kill(p[i].pid, which);
}

/*
 * End all processes. A process that waits for a disk or a network file system ends only when the
 * file system answers. The sender continues without that process: after SIGKILL the process
 * delivers nothing more, so the sink's next process may start.
 */
static void feeds_end(struct feed_process *p, const struct sections *s,
		      const struct feed_node *node)
{
	feeds_signal(p, s->n, SIGTERM);
	for (int i = 0; i < STOP_S * 100 && feeds_reap(p, s, node); i++)
		poll(NULL, 0, 10);
	feeds_signal(p, s->n, SIGKILL);
	for (size_t i = 0; i < s->n; i++)
		if (p[i].pid && !child_has_ended(p[i].pid, KILL_WAIT_MS))
			say_warning(node->sink.listener, "[sink %s] its process does not end: a "
				    "disk or a network file system does not answer; the sender "
				    "goes on without it", s->one[i]->name);
}

/*
 * Start the processes that are due. Returns the time until the next start in nanoseconds, or -1 if
 * all are running.
 */
static int64_t feeds_start_due(struct feed_process *p, const struct sections *s,
			       const struct feed_node *node)
{
	int64_t now = monotonic_ns(), next = -1;
	for (size_t i = 0; i < s->n; i++) {
		if (!p[i].pid && now >= p[i].restart_ns)
			feeds_start(&p[i], s->one[i], node);
		int64_t left = p[i].restart_ns - now;
		if (!p[i].pid && (next < 0 || left < next))
			next = left;
	}
	return next;
}

/*
 * Keep one process per section running until *node->stop is set. The exit of a process, or a
 * signal, interrupts ppoll().
 */
int feeds_run(const struct sections *s, const struct feed_node *node)
{
	struct feed_process p[SECTIONS_MAX] = { { 0 } };
	while (!*node->stop) {
		feeds_reap(p, s, node);
		int64_t left = feeds_start_due(p, s, node);
		struct timespec t = { left / 1000000000, left % 1000000000 };
		ppoll(NULL, 0, left < 0 ? NULL : &t, &node->usual);
	}
	feeds_end(p, s, node);
	return 0;
}
