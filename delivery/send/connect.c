/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.c - test whether the receivers of all sinks can be reached, and report their answers */
#include "send/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/child.h"

#define ANSWER_S   5	/* timeout for the answers of all receivers together, in seconds */
#define ANSWER_MAX 4096
#define REAP_MS    1000

/* first byte of a child's report; the receiver's answer or the reason of the failure follows */
#define FAILED     "f"
#define REACHED    "r"

/* A receiver being tried by a child process. */
struct connect_try {
	pid_t pid;
	int fd;			/* pipe with the child's report; -1: the report is complete */
	int error;		/* errno of starting the child process, or 0 */
	struct buf said;
};

/* Try the receiver of a section in this child process, as the user that the sender runs as. */
static _Noreturn void connect_work(const struct section *s, const struct feed_node *node, int fd)
{
	struct buf said = { 0 }, out = { 0 };
	uint64_t sent = 0, retry_after_s = 0;
	signal(SIGPIPE, SIG_IGN);	/* ignore SIGPIPE, as the sender does */
	struct sink_node own = node->sink;
	own.types = s->types;
	own.drop = s->drop;
	own.labels = s->labels;
	own.live_types = node->config->live_types;
	own.dir = node->config->dir;
	own.state_dir = node->config->state_dir;
	own.sent = &sent;
	own.retry_after_s = &retry_after_s;
	node->begin(node, s);
	int r = s->sink->probe(s->state, &own, &said);
	if (r < 0 && !said.n)
		buf_addf(&said, "%s", strerror(-r));
	buf_add(&out, r < 0 ? STR(FAILED) : STR(REACHED));
	buf_add(&out, buf_str(&said));
	_exit(files_write(fd, buf_str(&out)) < 0);
}

static void connect_start(struct connect_try *t, const struct section *s,
			  const struct feed_node *node)
{
	int ends[2];
	*t = (struct connect_try){ .fd = -1 };
	if (!s->sink->probe)
		return;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		t->error = errno;
		return;
	}
	t->pid = child_fork(SIGKILL);
	if (t->pid == 0)
		connect_work(s, node, ends[1]);
	t->error = t->pid < 0 ? errno : 0;
	close(ends[1]);
	t->fd = ends[0];
}

static void connect_read(struct connect_try *t)
{
	char part[ANSWER_MAX];
	ssize_t n = read(t->fd, part, sizeof(part));
	if (n > 0 && t->said.n < ANSWER_MAX)
		buf_add(&t->said, (struct str){ part, (size_t)n });
	else if (n >= 0 || errno != EINTR)
		close_fd(&t->fd);
}

/* Read the answers of the children until all have ended or ANSWER_S seconds have passed. */
static void connect_wait(struct connect_try *try, size_t n)
{
	int64_t deadline_ns = monotonic_ns() + ANSWER_S * INT64_C(1000000000), left;
	struct pollfd p[SECTIONS_MAX];
	for (;;) {
		bool any = false;
		for (size_t i = 0; i < n; i++) {
			p[i] = (struct pollfd){ .fd = try[i].fd, .events = POLLIN };
			any |= try[i].fd >= 0;
		}
		left = deadline_ns - monotonic_ns();
		if (!any || left <= 0)
			return;
		if (poll(p, n, (int)(left / 1000000) + 1) <= 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (p[i].revents)
				connect_read(&try[i]);
	}
}

/*
 * Append the answer of a receiver. Returns false if the section has a receiver that cannot be
 * reached.
 */
static bool connect_put_answer(const struct connect_try *t, bool has_probe, struct buf *line)
{
	struct str said = buf_str(&t->said);
	if (!has_probe)
		buf_addf(line, "has no receiver to connect to");
	else if (t->error)
		buf_addf(line, "error: the attempt did not start: %s", strerror(t->error));
	else if (str_take_prefix(&said, STR(REACHED)))
		buf_add(line, said);
	else if (str_take_prefix(&said, STR(FAILED)))
		buf_addf(line, "error: " STR_FMT, STR_ARG(said));
	else
		buf_addf(line, "error: no answer within %d s: is the receiver running, and does a "
			 "firewall let this node through?", ANSWER_S);
	return !has_probe || str_starts(buf_str(&t->said), STR(REACHED));
}

static void connect_end(struct connect_try *t)
{
	if (t->pid > 0)
		(void)(t->fd >= 0 ? child_kill : child_has_ended)(t->pid, REAP_MS);
	close_fd(&t->fd);
	buf_free(&t->said);
}

int connect_all(const struct sections *s, const struct feed_node *node, struct buf *answers,
		struct buf *errors)
{
	struct connect_try try[SECTIONS_MAX];
	int r = 0;
	for (size_t i = 0; i < s->n; i++)
		connect_start(&try[i], s->one[i], node);
	connect_wait(try, s->n);
	for (size_t i = 0; i < s->n; i++) {
		struct buf line CLEANUP(buf_free) = { 0 };
		bool reached = connect_put_answer(&try[i], s->one[i]->sink->probe, &line);
		struct buf *to = reached ? answers : errors;
		section_put_place(s->one[i], node->config, to);
		buf_addf(to, STR_FMT "\n", STR_ARG(buf_str(&line)));
		r = reached ? r : -EREMOTEIO;
		connect_end(&try[i]);
	}
	return r;
}
