/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.c - the addresses of a host, asked for by a process of its own: none waits for a name */
#include "sinks/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"

_Static_assert(sizeof(struct lookup_answer) <= PIPE_BUF, "an answer is one write");

static void ask(const char *host, const char *port, int flags, struct lookup_answer *a)
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

/* Signals that our parent keeps back stay so: it ends us by one that cannot be. */
static void answer(int fd, const char *host, const char *port)
{
	struct lookup_answer a;
	sigset_t alarm_only;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	signal(SIGALRM, SIG_DFL);
	alarm(LOOKUP_MOST_S);
	ask(host, port, 0, &a);
	_exit(write(fd, &a, sizeof(a)) != (ssize_t)sizeof(a));
}

int lookup_start(struct lookup *l, const char *host, const char *port, struct lookup_answer *a)
{
	int ends[2];
	ask(host, port, AI_NUMERICHOST, a);
	if (a->error == 0)
		return 1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		close_fd(&ends[0]);
		answer(ends[1], host, port);
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
	kill(l->pid, SIGKILL);	/* the process may wait for a name server */
	waitpid(l->pid, NULL, 0);
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
