/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.c - resolve a hostname in a child process, so that the caller never waits for DNS */
#include "sinks/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/child.h"

#define KILL_WAIT_MS 100	/* how long the kernel may take to end a killed process */

_Static_assert(sizeof(struct lookup_answer) <= PIPE_BUF, "an answer is one write");

static void lookup_resolve(const char *host, const char *port, int flags, struct lookup_answer *a)
{
	struct addrinfo want = { .ai_flags = AI_NUMERICSERV | flags, .ai_socktype = SOCK_DGRAM };
	struct addrinfo *all = NULL;
	*a = (struct lookup_answer){ .n = 0 };
	a->error = getaddrinfo(host, port, &want, &all);
	if (a->error)
		return;
	for (const struct addrinfo *one = all; one && a->n < LOOKUP_ADDRESSES_MAX;
	     one = one->ai_next)
		if (one->ai_addrlen <= sizeof(a->address[0]))
			memcpy(&a->address[a->n++], one->ai_addr, one->ai_addrlen);
	freeaddrinfo(all);
}

/*
 * Resolve the name and write the answer to fd; runs in the child process. Signals that the parent
 * has blocked stay blocked, except SIGALRM: the parent ends this process with SIGKILL.
 */
static void lookup_run_child(int fd, const char *host, const char *port)
{
	struct lookup_answer a;
	sigset_t alarm_only;
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	signal(SIGALRM, SIG_DFL);
	alarm(LOOKUP_TIMEOUT_S);
	lookup_resolve(host, port, 0, &a);
	_exit(write(fd, &a, sizeof(a)) != (ssize_t)sizeof(a));
}

int lookup_start(struct lookup *l, const char *host, const char *port, struct lookup_answer *a)
{
	int ends[2];
	lookup_resolve(host, port, AI_NUMERICHOST, a);
	if (a->error == 0)
		return 1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = child_fork(SIGKILL);
	if (pid == 0) {
		close_fd(&ends[0]);
		lookup_run_child(ends[1], host, port);
	}
	int e = -errno;
	close_fd(&ends[1]);
	if (pid < 0) {
		close_fd(&ends[0]);
		return e;
	}
	*l = (struct lookup){ pid, ends[0] };
	return 0;
}

void lookup_cancel(struct lookup *l)
{
	if (!l->pid)
		return;
	child_kill(l->pid, KILL_WAIT_MS);	/* the process may still wait for a name server */
	close_fd(&l->fd);
	*l = (struct lookup){ 0 };
}

int lookup_take(struct lookup *l, int timeout_ms, struct lookup_answer *a)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	if (poll(&p, 1, timeout_ms) <= 0)
		return -EAGAIN;
	ssize_t n = read(l->fd, a, sizeof(*a));
	lookup_cancel(l);
	return n == (ssize_t)sizeof(*a) && a->n <= LOOKUP_ADDRESSES_MAX ? 0 : -EIO;
}
