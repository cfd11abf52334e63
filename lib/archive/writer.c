/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c - write the archive in a separate process */
#include "archive/writer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/child.h"
#include "base/system/close_all.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"

#define SEND_MS 500	/* ms: timeout for sending a request; an idle writer reads at once */
#define ANSWER_MS 500	/* ms: timeout for the reply */
#define STOP_MS 500	/* ms: timeout for a writer to end after it was asked to */
/* ms: timeout for a killed writer to end; it takes longer only if it hangs in the kernel */
#define KILL_MS 20
#define ORDER_ROOM 65536

/* Start of a request ("order") to the writer. The header and the records follow. */
struct order {
	int64_t usec, last_us;
	uint64_t marked, fresh, rotate;
	uint64_t header, group;		/* lengths, bytes */
};

/*
 * Receive one order. There is never a second order to read, because the agent first waits for the
 * reply. Most orders arrive complete with the first call.
 */
static int writer_receive_order(int fd, struct buf *text, struct store_piece *p)
{
	struct order o;
	if (text->cap > 2 * ORDER_ROOM)
		/* large orders are rare, so do not keep the memory */
		buf_free(text);
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
	*p = (struct store_piece){
		.usec = o.usec, .last_us = o.last_us,
		.marked = o.marked, .fresh = o.fresh, .rotate = o.rotate,
		.header = { header, o.header }, .group = { header + o.header, o.group },
	};
	return r;
}

/*
 * Execute orders until the agent closes the socket. If the agent ends while this process is stopped
 * or hangs, the kernel kills this process.
 */
static _Noreturn void writer_serve(int fd, const struct store *like)
{
	struct store s;
	struct buf text = { 0 };
	struct store_piece p;
	struct stored done;
	sigset_t none;

	prctl(PR_SET_NAME, "writer");
	if (privileges_keep(geteuid() == 0 ? PRIVILEGES_OF_OWNER : 0) < 0)
		say_warning(like->place.listener, "cannot drop capabilities: the writer keeps "
			    "those of the agent");
	close_all_but(fd, fd);
	signal(SIGTERM, SIG_IGN);	/* systemd sends SIGTERM to all processes of a service */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	store_open(&s, &like->place);
	s.lock_ms = like->lock_ms;
	while (writer_receive_order(fd, &text, &p) == 0) {
		store_put(&s, &p, &done);
		if (stream_send(fd, &done, sizeof(done), INT64_MAX) < 0)
			break;
	}
	_exit(0);
}

/* Create the socket pair. pair[0] is the agent's end. */
static int writer_make_pair(int pair[2])
{
	const struct timeval timeout = { .tv_usec = ANSWER_MS * 1000 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	if (setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0)
		return 0;
	int r = -errno;
	close(pair[0]);
	close(pair[1]);
	return r;
}

int writer_start(struct writer *w, const struct store *like)
{
	int pair[2];
	int r = writer_make_pair(pair);
	if (r < 0)
		return r;
	pid_t pid = child_fork(SIGKILL);
	r = pid < 0 ? -errno : 0;
	if (pid == 0)
		writer_serve(pair[1], like);
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

/*
 * Disconnect from the writer, and kill it if it does not end within wait_ms. If it waits for the
 * disk, writer_reap() reaps it later.
 */
static void writer_disconnect(struct writer *w, int wait_ms)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->pid && !child_has_ended(w->pid, wait_ms)) {
		size_t i = 0;
		while (i < ARRAY_SIZE(w->killed) && w->killed[i])
			i++;
		if (!child_kill(w->pid, KILL_MS) && i < ARRAY_SIZE(w->killed))
			w->killed[i] = w->pid;
	}
	w->fd = -1;
	w->pid = 0;
	w->busy_ns = 0;
}

static void writer_reap(struct writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(w->killed); i++)
		if (w->killed[i] && child_has_ended(w->killed[i], 0))
			w->killed[i] = 0;
}

void writer_stop(struct writer *w)
{
	writer_disconnect(w, w->busy_ns ? 0 : STOP_MS);
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
		writer_disconnect(w, 0);
	}
	return r;
}

static int writer_send_order(struct writer *w, const struct store_piece *p)
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

static int writer_hand_over(struct writer *w, const struct store *like, const struct store_piece *p)
{
	writer_reap(w);
	int r = w->fd < 0 ? writer_start(w, like) : 0;
	if (r < 0)
		return r;
	r = writer_send_order(w, p);
	if (r < 0)
		writer_disconnect(w, 0);
	else
		w->busy_ns = monotonic_ns();
	return r;
}

static bool writer_has_died(int r)
{
	return r == -EPIPE || r == -ECONNRESET;
}

/*
 * If the writer died, send the piece to another one. The archive may then have records twice, but
 * each mark of a request once (archive/marked.h).
 */
int writer_put(struct writer *w, const struct store *like, const struct store_piece *p,
	       struct stored *ret)
{
	int r = -EPIPE;
	for (int tries = 0; tries < 3 && writer_has_died(r); tries++) {
		r = writer_hand_over(w, like, p);
		if (r == 0)
			r = writer_answer(w, true, ret);
	}
	return r;
}

int writer_send(struct writer *w, const struct store *like, const struct store_piece *p)
{
	int r = -EPIPE;
	for (int tries = 0; tries < 3 && writer_has_died(r); tries++)
		r = writer_hand_over(w, like, p);
	return r;
}
