/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c - a process of its own that writes the archive */
#include "archive/writer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/close_all.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"

#define SEND_MS 500	/* a writer that has nothing to do reads at once */
#define ANSWER_MS 500	/* so long the writer is waited for, once */
#define STOP_MS 500	/* so long one that is asked to end may take, */
#define KILL_MS 20	/* and the kernel to end one that does not hang */
#define ORDER_ROOM 65536

/* Head of a request to the writer; header and record group follow it. */
struct order {
	int64_t usec, last_us;
	uint64_t marked, fresh, rotate;
	uint64_t header, group;		/* bytes */
};

/* There is one at a time, since each is answered: most come whole with the first call. */
static int take_order(int fd, struct buf *text, struct piece *p)
{
	struct order o;
	if (text->cap > 2 * ORDER_ROOM)
		buf_free(text);		/* of groups that waited long */
	text->n = 0;
	buf_reserve(text, ORDER_ROOM);
	ssize_t got = stream_receive_least(fd, text->p, sizeof(o), text->cap);
	if (got < 0)
		return (int)got;
	memcpy(&o, text->p, sizeof(o));
	size_t have = (size_t)got, size = sizeof(o) + o.header + o.group;
	text->n = have;
	if (have < size)
		buf_reserve(text, size - have);
	int r = have < size ? stream_receive(fd, text->p + have, size - have, INT64_MAX) : 0;
	const char *header = text->p + sizeof(o);
	*p = (struct piece){
		.usec = o.usec, .last_us = o.last_us,
		.marked = o.marked, .fresh = o.fresh, .rotate = o.rotate,
		.header = { header, o.header }, .group = { header + o.header, o.group },
	};
	return r;
}

/* Ends with the agent, by the end of the socket or, where it is stopped or hangs, by the signal. */
static _Noreturn void serve(int fd, const struct store *like)
{
	struct store s;
	struct buf text = { 0 };
	struct piece p;
	struct stored done;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "writer");
	if (privileges_keep(geteuid() == 0 ? PRIVILEGES_OF_OWNER : 0) < 0)
		say_warning(like->place.listener, "the writer keeps the agent's capabilities");
	close_all_but(fd, fd);
	signal(SIGTERM, SIG_IGN);	/* systemd sends it to all of a service */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	store_open(&s, &like->place);
	s.lock_ms = like->lock_ms;
	while (take_order(fd, &text, &p) == 0) {
		store_put(&s, &p, &done);
		if (stream_send(fd, &done, sizeof(done), INT64_MAX) < 0)
			break;
	}
	_exit(0);
}

/* The first of them is the agent's end. */
static int make_pair(int pair[2])
{
	const struct timeval patience = { .tv_usec = ANSWER_MS * 1000 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	if (setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0)
		return 0;
	int r = -errno;
	close(pair[0]);
	close(pair[1]);
	return r;
}

int writer_start(struct writer *w, const struct store *like)
{
	int pair[2];
	int r = make_pair(pair);
	if (r < 0)
		return r;
	pid_t pid = fork();
	r = pid < 0 ? -errno : 0;
	if (pid == 0)
		serve(pair[1], like);
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return r;
	}
	w->pid = pid;
	w->fd = pair[0];
	w->listener = like->place.listener;
	return 0;
}

/* Whether the process has ended within the time. Takes its status. */
static bool is_gone(pid_t pid, int patience_ms)
{
	struct timespec pause = { 0, 1000000 };
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (patience_ms-- <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* The kernel may not let go of a writer that is at the disk: reap() takes its status later. */
static void let_go(struct writer *w, int patience_ms)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->pid && !is_gone(w->pid, patience_ms)) {
		kill(w->pid, SIGKILL);
		size_t i = 0;
		while (i < ARRAY_SIZE(w->killed) && w->killed[i])
			i++;
		if (!is_gone(w->pid, KILL_MS) && i < ARRAY_SIZE(w->killed))
			w->killed[i] = w->pid;
	}
	w->fd = -1;
	w->pid = 0;
	w->busy_ns = 0;
}

static void reap(struct writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(w->killed); i++)
		if (w->killed[i] && is_gone(w->killed[i], 0))
			w->killed[i] = 0;
}

void writer_stop(struct writer *w)
{
	let_go(w, w->busy_ns ? 0 : STOP_MS);
}

bool writer_hangs(const struct writer *w)
{
	return w->busy_ns && monotonic_ns() - w->busy_ns > ANSWER_MS * INT64_C(1000000);
}

int writer_answer(struct writer *w, bool wait, struct stored *ret)
{
	int64_t deadline = wait ? w->busy_ns + ANSWER_MS * INT64_C(1000000) : 0;
	int r = wait ? stream_receive_timed(w->fd, ret, sizeof(*ret), deadline) :
		stream_receive(w->fd, ret, sizeof(*ret), deadline);
	if (r == -ETIMEDOUT)
		return -EINPROGRESS;
	w->busy_ns = 0;
	if (r < 0) {
		say_warning(w->listener, "the process that writes the archive has died; it is "
			    "started again");
		let_go(w, 0);
	}
	return r;
}

static int send_order(struct writer *w, const struct piece *p)
{
	struct order o = {
		.usec = p->usec, .last_us = p->last_us,
		.marked = p->marked, .fresh = p->fresh, .rotate = p->rotate,
		.header = p->header.n, .group = p->group.n,
	};
	struct iovec part[] = {
		{ &o, sizeof(o) },
		{ (void *)p->header.p, p->header.n },
		{ (void *)p->group.p, p->group.n },
	};
	return stream_send_parts(w->fd, part, ARRAY_SIZE(part),
				 monotonic_ns() + SEND_MS * INT64_C(1000000));
}

static int hand_over(struct writer *w, const struct store *like, const struct piece *p)
{
	reap(w);
	int r = w->fd < 0 ? writer_start(w, like) : 0;
	if (r < 0)
		return r;
	r = send_order(w, p);
	if (r < 0)
		let_go(w, 0);
	else
		w->busy_ns = monotonic_ns();
	return r;
}

static bool has_died(int r)
{
	return r == -EPIPE || r == -ECONNRESET;
}

/*
 * If the writer died, the next one gets the piece: the group may then be there twice, the marks of
 * requests are not (archive/marked.h).
 */
int writer_put(struct writer *w, const struct store *like, const struct piece *p,
	       struct stored *ret)
{
	int r = -EPIPE;
	for (int tries = 0; tries < 3 && has_died(r); tries++) {
		r = hand_over(w, like, p);
		if (r == 0)
			r = writer_answer(w, true, ret);
	}
	return r;
}

int writer_send(struct writer *w, const struct store *like, const struct piece *p)
{
	int r = -EPIPE;
	for (int tries = 0; tries < 3 && has_died(r); tries++)
		r = hand_over(w, like, p);
	return r;
}
