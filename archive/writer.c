/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c - a process of its own that writes the archive */
#include "archive/writer.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
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
	int64_t usec;
	uint64_t marked, fresh, rotate;
	uint64_t unwaited;		/* the answer is left in memory and not sent */
	uint64_t header, group;		/* bytes */
};

/* The writer fills .answer, then sets .answered; the agent clears it before the next request. */
struct writer_memory {
	_Atomic bool answered;
	struct stored answer;
};

/* There is one at a time, since each is answered: most come whole with the first call. */
static int take_order(int fd, struct buf *text, struct piece *p, bool *unwaited)
{
	struct order o;
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
	*unwaited = o.unwaited;
	*p = (struct piece){
		.usec = o.usec, .marked = o.marked, .fresh = o.fresh, .rotate = o.rotate,
		.header = { header, o.header }, .group = { header + o.header, o.group },
	};
	return r;
}

static int send_answer(int fd, struct writer_memory *m, const struct stored *done, bool unwaited)
{
	if (!unwaited)
		return stream_send(fd, done, sizeof(*done), INT64_MAX);
	m->answer = *done;
	atomic_store(&m->answered, true);
	return 0;
}

/* Ends with the agent, by the end of the socket or, where it is stopped or hangs, by the signal. */
static _Noreturn void serve(int fd, const struct store *like, struct writer_memory *m)
{
	struct store s;
	struct buf text = { 0 };
	struct piece p;
	struct stored done;
	bool unwaited = false;
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
	while (take_order(fd, &text, &p, &unwaited) == 0) {
		store_put(&s, &p, &done);
		if (send_answer(fd, m, &done, unwaited) < 0)
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

static void unshare(struct writer_memory *m)
{
	if (m)
		munmap(m, sizeof(*m));
}

/* Each has its own: one that was left hanging may still answer. NULL: all answers are sent. */
static struct writer_memory *share_memory(void)
{
	void *p = mmap(NULL, sizeof(struct writer_memory), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

int writer_start(struct writer *w, const struct store *like)
{
	int pair[2];
	int r = make_pair(pair);
	if (r < 0)
		return r;
	struct writer_memory *m = share_memory();
	pid_t pid = fork();
	r = pid < 0 ? -errno : 0;
	if (pid == 0)
		serve(pair[1], like, m);
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		unshare(m);
		return r;
	}
	*w = (struct writer){
		.pid = pid, .fd = pair[0], .memory = m, .listener = like->place.listener,
	};
	return 0;
}

/* The kernel may not let go of one that is at the disk; who adopts it takes its status. */
static void let_go(struct writer *w, int patience_ms)
{
	struct timespec pause = { 0, 1000000 };
	if (w->fd >= 0)
		close(w->fd);
	while (w->pid && waitpid(w->pid, NULL, WNOHANG) == 0 && patience_ms-- > 0)
		nanosleep(&pause, NULL);
	if (w->pid && patience_ms < 0)
		kill(w->pid, SIGKILL);
	for (int i = 0; w->pid && patience_ms < 0 && i < KILL_MS; i++) {
		if (waitpid(w->pid, NULL, WNOHANG) != 0)
			break;
		nanosleep(&pause, NULL);
	}
	unshare(w->memory);
	*w = (struct writer){ .fd = -1 };
}

void writer_stop(struct writer *w)
{
	let_go(w, w->busy_ns ? 0 : STOP_MS);
}

static bool has_answered(const struct writer *w)
{
	return w->unwaited && atomic_load(&w->memory->answered);
}

bool writer_is_busy(const struct writer *w)
{
	return w->busy_ns && !has_answered(w);
}

/* The writer has had the piece for a while, and most of the time has answered. */
static int look_in_memory(const struct writer *w, int64_t deadline, struct stored *ret)
{
	int64_t pause_ns = 100000;
	while (!has_answered(w)) {
		if (waitpid(w->pid, NULL, WNOHANG) != 0 && !has_answered(w))
			return -EPIPE;
		if (monotonic_ns() >= deadline)
			return -ETIMEDOUT;
		clock_pause(&pause_ns);
	}
	*ret = w->memory->answer;
	return 0;
}

int writer_answer(struct writer *w, bool wait, struct stored *ret)
{
	int64_t deadline = wait ? w->busy_ns + ANSWER_MS * INT64_C(1000000) : 0;
	int r = w->unwaited ? look_in_memory(w, deadline, ret) :
		wait ? stream_receive_timed(w->fd, ret, sizeof(*ret), deadline) :
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
		.usec = p->usec, .marked = p->marked, .fresh = p->fresh, .rotate = p->rotate,
		.unwaited = w->unwaited, .header = p->header.n, .group = p->group.n,
	};
	struct iovec part[] = {
		{ &o, sizeof(o) },
		{ (void *)p->header.p, p->header.n },
		{ (void *)p->group.p, p->group.n },
	};
	return stream_send_parts(w->fd, part, ARRAY_SIZE(part),
				 monotonic_ns() + SEND_MS * INT64_C(1000000));
}

static int hand_over(struct writer *w, const struct store *like, const struct piece *p, bool wait)
{
	int r = w->fd < 0 ? writer_start(w, like) : 0;
	if (r < 0)
		return r;
	w->unwaited = !wait && w->memory;
	if (w->unwaited)
		atomic_store(&w->memory->answered, false);
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
		r = hand_over(w, like, p, true);
		if (r == 0)
			r = writer_answer(w, true, ret);
	}
	return r;
}

int writer_send(struct writer *w, const struct store *like, const struct piece *p)
{
	int r = -EPIPE;
	for (int tries = 0; tries < 3 && has_died(r); tries++)
		r = hand_over(w, like, p, false);
	return r;
}
