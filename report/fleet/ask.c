/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.c - query the status of nodes by ssh */
#include "report/fleet/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/plugin.h"
#include "base/system/child.h"

#define AT_ONCE   64
/* timeout per node, 10 s; ssh's connect timeout is 5 s */
#define ANSWER_NS INT64_C(10000000000)
#define SAID_MAX  4096	/* largest output of a query that is kept, in bytes */

/* An ssh process that queries a node. */
struct call {
	struct fleet_node *node;	/* NULL: this entry is free */
	pid_t pid;
	int fd;	/* read end of the pipe to which ssh and the node write */
	int64_t until_ns;
	struct buf said;
};

struct calls {
	struct call call[AT_ONCE];
	struct pollfd ready[AT_ONCE];
	size_t busy;
};

/*
 * Return whether a name is a plain hostname. Reject names that ssh(1) could take for an option, or
 * a shell that ssh runs (ssh_config(5), ProxyCommand) for a command.
 */
static bool is_host(const char *name)
{
	static const char may_have[] =
		"0123456789.:_-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	return *name && *name != '-' && strspn(name, may_have) == strlen(name);
}

static _Noreturn void become_ssh(const char *host, int to)
{
	int null = open("/dev/null", O_RDONLY);
	dup2(null, STDIN_FILENO);
	dup2(to, STDOUT_FILENO);
	dup2(to, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	execlp("ssh", "ssh", "-oBatchMode=yes", "-oConnectTimeout=5", "--", host,
	       "nodometer status --check", (char *)NULL);
	dprintf(STDERR_FILENO, "ssh: %s\n", strerror(errno));
	_exit(255);
}

/* Start the query of a node. Returns 0 or -errno. */
static int ask_begin(struct call *c, struct fleet_node *n)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* a hanging node must not keep ssh alive after this program */
	pid_t pid = child_fork(SIGTERM);
	int e = -errno;
	if (pid == 0)
		become_ssh(n->name, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return e;
	}
	c->node = n;
	c->pid = pid;
	c->fd = ends[0];
	c->until_ns = monotonic_ns() + ANSWER_NS;
	c->said.n = 0;
	return 0;
}

static void no_answer(struct fleet_node *n, struct str why)
{
	buf_addf(&n->fault[FLEET_NO_ANSWER], "no answer: " STR_FMT, STR_ARG(why));
}

static void take_status(struct fleet_node *n, int status, struct str words)
{
	struct str head;
	enum fleet_fault is = status == STATUS_WARNING ? FLEET_STATUS : FLEET_FAILING;
	if (status != STATUS_OK)
		buf_add(&n->fault[is], str_trim(str_take_until(&words, '|', &head) ? head : words));
}

/*
 * Find the node's reply in the output of ssh, which may print messages before the reply. If there
 * is no reply, report the last line of the output as the reason.
 */
static void take_answer(struct fleet_node *n, int ended, struct str said)
{
	struct buf head CLEANUP(buf_free) = { 0 };
	struct str line, last = STR("no output");
	int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 255;
	if (status <= STATUS_UNKNOWN)
		plugin_put_head(&head, status);
	while (str_take_line(&said, &line)) {
		if (head.n && str_take_prefix(&line, buf_str(&head))) {
			take_status(n, status, line);
			return;
		}
		last = line.n ? line : last;
	}
	no_answer(n, str_trim(last));
}

static void ask_end(struct calls *a, struct call *c, bool late)
{
	int status = 0;
	if (late)
		kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (late)
		no_answer(c->node, STR("timed out"));
	else
		take_answer(c->node, status, buf_str(&c->said));
	close_fd(&c->fd);
	c->node = NULL;
	a->busy--;
}

/*
 * Read a piece of the output of ssh. Drop the piece if the output would exceed SAID_MAX. End the
 * query at the end of the output or after the timeout.
 */
static void hear(struct calls *a, struct call *c, bool ready)
{
	char bytes[SAID_MAX];
	ssize_t got = ready ? read(c->fd, bytes, sizeof(bytes)) : 1;
	if (ready && got > 0 && c->said.n + (size_t)got <= SAID_MAX)
		buf_add(&c->said, (struct str){ bytes, (size_t)got });
	bool late = monotonic_ns() > c->until_ns;
	if (got <= 0 || late)
		ask_end(a, c, got > 0);
}

/* Wait up to one second for output, so that the caller can check timeouts. */
static void wait_for_answers(struct calls *a)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		a->ready[i] = (struct pollfd){ .fd = a->call[i].node ? a->call[i].fd : -1,
					       .events = POLLIN };
	if (poll(a->ready, AT_ONCE, 1000) < 0)
		return;
	for (size_t i = 0; i < AT_ONCE; i++)
		if (a->call[i].node)
			hear(a, &a->call[i], a->ready[i].revents != 0);
}

static struct call *free_call(struct calls *a)
{
	struct call *c = a->call;
	while (c->node)
		c++;
	return c;
}

void ask_nodes(struct fleet *f)
{
	static struct calls a;
	for (size_t i = 0; i < f->n || a.busy; ) {
		if (i == f->n || a.busy == AT_ONCE) {
			wait_for_answers(&a);
			continue;
		}
		struct fleet_node *n = &f->node[i++];
		int e = is_host(n->name) ? ask_begin(free_call(&a), n) : -EINVAL;
		if (e < 0)
			no_answer(n, str_of(e == -EINVAL ? "not a valid host name for "
					    "ssh" : strerror(-e)));
		else
			a.busy++;
	}
	for (size_t i = 0; i < AT_ONCE; i++)
		buf_free(&a.call[i].said);
}
