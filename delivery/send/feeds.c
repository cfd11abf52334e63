/* SPDX-License-Identifier: BSD-3-Clause */
/* feeds.c - a process for each sink: one that waits, hangs or dies holds up no other */
#include "send/feeds.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"

#define AGAIN_S 10	/* until one that ended is started again */
#define STOP_S  5	/* so long they may take to deliver and to save where they are */

struct feed_process {
	pid_t pid;		/* 0: none */
	int64_t again_ns;	/* not before, monotonic */
};

static void start(struct feed_process *p, struct section *s, const struct feed_node *node)
{
	pid_t parent = getpid();
	p->pid = fork();
	if (p->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		prctl(PR_SET_NAME, s->name);
		if (getppid() != parent)
			_exit(0);
		signal(SIGHUP, SIG_IGN);
		signal(SIGCHLD, SIG_DFL);
		node->begin(node, s);
		_exit(feed_run(s, node) < 0);
	}
	if (p->pid < 0) {
		say_error(node->sink.listener, "[sink %s] no process: %s", s->name,
			  strerror(errno));
		p->pid = 0;
	}
	p->again_ns = monotonic_ns() + (int64_t)AGAIN_S * 1000000000;
}

static void note_end(struct feed_process *p, const struct section *s,
		     const struct feed_node *node, int status)
{
	p->pid = 0;
	if (WIFSIGNALED(status))
		say_error(node->sink.listener, "[sink %s] its process was ended by signal %d; it "
			  "is started again", s->name, WTERMSIG(status));
	else if (status)
		say_error(node->sink.listener, "[sink %s] its process failed; it is started again",
			  s->name);
}

/* How many are left. */
static size_t look(struct feed_process *p, const struct sections *s, const struct feed_node *node)
{
	size_t left = 0;
	for (size_t i = 0; i < s->n; i++) {
		int status;
		if (p[i].pid && waitpid(p[i].pid, &status, WNOHANG) == p[i].pid)
			note_end(&p[i], s->one[i], node, status);
		left += p[i].pid != 0;
	}
	return left;
}

static void signal_all(const struct feed_process *p, size_t n, int which)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].pid)
			kill(p[i].pid, which);
}

static void end_all(struct feed_process *p, const struct sections *s,
		    const struct feed_node *node)
{
	signal_all(p, s->n, SIGTERM);
	for (int i = 0; i < STOP_S * 100 && look(p, s, node); i++)
		poll(NULL, 0, 10);
	signal_all(p, s->n, SIGKILL);
	for (size_t i = 0; i < s->n; i++)
		if (p[i].pid)
			waitpid(p[i].pid, NULL, 0);
}

/* Starts those whose time has come; how long until the next one's, in ns, or -1: all run. */
static int64_t start_due(struct feed_process *p, const struct sections *s,
			 const struct feed_node *node)
{
	int64_t now = monotonic_ns(), next = -1;
	for (size_t i = 0; i < s->n; i++) {
		if (!p[i].pid && now >= p[i].again_ns)
			start(&p[i], s->one[i], node);
		int64_t left = p[i].again_ns - now;
		if (!p[i].pid && (next < 0 || left < next))
			next = left;
	}
	return next;
}

/* The end of a process, and a signal to this one, interrupt the wait. */
int feeds_run(const struct sections *s, const struct feed_node *node)
{
	struct feed_process p[SECTIONS_MAX] = { { 0 } };
	while (!*node->stop) {
		look(p, s, node);
		int64_t left = start_due(p, s, node);
		struct timespec t = { left / 1000000000, left % 1000000000 };
		ppoll(NULL, 0, left < 0 ? NULL : &t, &node->usual);
	}
	end_all(p, s, node);
	return 0;
}
