/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.c - a process of its own for a collector whose source can hang */
#include "agent/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/linux.h"
#include "base/log.h"

/* What goes back through the socket pair, before values, presence, places of names, names. */
struct answer {
	int result;
	uint32_t n_rows, names;
	uint64_t bytes, cpu_ns;
	char why[SAMPLE_WHY_MAX];
};
#define NAMES_MAX (16u << 20)
#define LATE_MS  100	/* for the rest of an answer that has begun to come */
#define AGAIN_MIN 60	/* after which a part that hung is read again */
#define STOP_MS   20	/* so long the kernel may take to end a worker that does not hang */

static int write_all(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p = (const char *)p + done;
		n -= (size_t)done;
	}
	return 0;
}

static int read_all(int fd, void *p, size_t n, int64_t deadline_ns)
{
	while (n) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		int64_t left = deadline_ns - monotonic_ns();
		int r = poll(&pfd, 1, left > 0 ? (int)(left / 1000000) + 1 : 0);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -ETIMEDOUT;
		ssize_t got = recv(fd, p, n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		p = (char *)p + got;
		n -= (size_t)got;
	}
	return 0;
}

static int send_sample(int fd, const struct sample *s, int result, uint64_t cpu_ns)
{
	struct answer a = { .result = result, .bytes = s->bytes, .cpu_ns = cpu_ns };
	if (result == 0 && s->names.n <= NAMES_MAX) {
		a.n_rows = (uint32_t)s->n_rows;
		a.names = (uint32_t)s->names.n;
	}
	memcpy(a.why, s->why, sizeof(a.why));
	int r = write_all(fd, &a, sizeof(a));
	if (r == 0)
		r = write_all(fd, s->value, a.n_rows * s->n_metrics * sizeof(*s->value));
	if (r == 0)
		r = write_all(fd, s->present, a.n_rows * sample_words(s) * sizeof(*s->present));
	if (r == 0)
		r = write_all(fd, s->name, a.n_rows * sizeof(*s->name));
	return r == 0 ? write_all(fd, s->names.p, a.names) : r;
}

static int read_sample(struct worker *w, struct sample *s, int64_t deadline_ns)
{
	struct answer a;
	int r = read_all(w->fd, &a, sizeof(a), deadline_ns);
	if (r < 0)
		return r;
	if (a.n_rows > SAMPLE_ROWS_MAX || a.names > NAMES_MAX)
		return -EPROTO;

	s->bytes = a.bytes;
	w->cpu_ns = a.cpu_ns;
	memcpy(s->why, a.why, sizeof(s->why));
	s->why[sizeof(s->why) - 1] = '\0';
	sample_reserve(s, a.n_rows);
	buf_reserve(&s->names, a.names);
	r = read_all(w->fd, s->value, a.n_rows * s->n_metrics * sizeof(*s->value), deadline_ns);
	if (r == 0)
		r = read_all(w->fd, s->present, a.n_rows * sample_words(s) * sizeof(*s->present),
			     deadline_ns);
	if (r == 0)
		r = read_all(w->fd, s->name, a.n_rows * sizeof(*s->name), deadline_ns);
	if (r == 0)
		r = read_all(w->fd, s->names.p, a.names, deadline_ns);
	if (r < 0)
		return r;
	s->n_rows = a.n_rows;
	s->names.n = a.names;
	return a.result;
}

/* Ends with the agent: by the signal, or by the end of the socket. */
static _Noreturn void serve(int fd, const struct collector *c, const struct sample *like,
			    struct parts *parts)
{
	int64_t before = 0;
	struct sample s;
	struct shared shared = { .files = { .rootfd = like->files.rootfd,
					    .in_root = like->files.in_root, .wait = true } };
	char rescan;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The agent's file lock, sockets and pipes must not live on in a worker that hangs. */
	close_all_but(fd, like->files.rootfd);
	prctl(PR_SET_NAME, c->name);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sample_init(&s, &like->files, c->metrics, c->n_metrics);
	s.data = c->data;
	s.shared = &shared;
	s.parts = parts;
	s.files.wait = true;	/* this process is there to wait */
	while (recv(fd, &rescan, 1, 0) == 1) {
		s.rescan = rescan;
		shared_clear(&shared, rescan);
		sample_clear(&s);
		int r = c->collect(&s);
		int64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (send_sample(fd, &s, r, (uint64_t)(now - before)) < 0)
			break;
		before = now;
	}
	_exit(0);
}

/* Survives the worker; without it, one part that hangs costs the whole type each time. */
static struct parts *share_parts(void)
{
	void *p = mmap(NULL, sizeof(struct parts), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int start(struct worker *w, const struct collector *c, const struct sample *s)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;

	struct parts *parts = w->parts ? w->parts : share_parts();
	w->parts = parts;
	pid_t pid = fork();
	if (pid < 0) {
		int r = -errno;
		close(pair[0]);
		close(pair[1]);
		return r;
	}
	if (pid == 0)
		serve(pair[1], c, s, parts);
	close(pair[1]);
	*w = (struct worker){ .pid = pid, .fd = pair[0], .type = c->name, .parts = parts,
			      .again_ns = w->again_ns };
	if (c->start_ms)
		w->until_ns = monotonic_ns() + c->start_ms * INT64_C(1000000);
	return 0;
}

static void let_go(struct worker *w)
{
	if (w->fd >= 0) {
		close(w->fd);
		w->fd = -1;
		kill(w->pid, SIGKILL);
	}
	if (w->pid && waitpid(w->pid, NULL, WNOHANG) != 0)
		w->pid = 0;
}

/* The next worker leaves out what this one hangs on. */
static void note_hung(struct worker *w)
{
	struct parts *p = w->parts;
	if (!p || !p->reading[0] || p->n_hung >= PARTS_HUNG_MAX)
		return;
	char *name = p->hung[p->n_hung];
	memcpy(name, p->reading, PART_NAME_MAX);
	name[PART_NAME_MAX - 1] = '\0';
	p->reading[0] = '\0';
	p->n_hung++;
	w->again_ns = monotonic_ns() + AGAIN_MIN * INT64_C(60000000000);
	log_warning("%s: %s does not answer; it is left out for %d minutes", w->type, name,
		    AGAIN_MIN);
}

static bool is_readable(const struct worker *w, int64_t deadline_ns)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };
	int64_t left = deadline_ns - monotonic_ns();
	return poll(&pfd, 1, left > 0 ? (int)(left / 1000000) + 1 : 0) == 1;
}

/* 0: it owes nothing (any more), or has been let go. */
static int settle(struct worker *w, struct sample *s)
{
	int64_t now = monotonic_ns();
	if (!w->owes || w->fd < 0)
		return 0;
	if (!is_readable(w, now)) {
		if (now < w->until_ns)
			return -EBUSY;
		let_go(w);
		return 0;
	}
	w->owes = false;
	int r = worker_answer(w, s, now + LATE_MS * INT64_C(1000000));
	sample_clear(s);
	return r == -ETIMEDOUT ? -EBUSY : 0;
}

int worker_ask(struct worker *w, const struct collector *c, struct sample *s)
{
	char rescan = (char)s->rescan;

	w->cpu_ns = 0;
	if (w->parts && w->parts->n_hung && monotonic_ns() >= w->again_ns)
		w->parts->n_hung = 0;
	if (settle(w, s) < 0)
		return -EBUSY;
	if (w->fd >= 0 && write_all(w->fd, &rescan, 1) == 0)
		return 0;
	let_go(w);
	if (w->pid)
		return -EBUSY;
	int r = start(w, c, s);
	return r < 0 ? r : write_all(w->fd, &rescan, 1);
}

int worker_answer(struct worker *w, struct sample *s, int64_t deadline_ns)
{
	if (w->until_ns && !is_readable(w, deadline_ns)) {
		w->owes = true;
		return -ETIMEDOUT;
	}
	w->until_ns = 0;
	int r = read_sample(w, s, deadline_ns);
	if (r == -ETIMEDOUT || r == -EPROTO || r == -EPIPE || r == -ECONNRESET) {
		sample_clear(s);
		if (r == -ETIMEDOUT)
			note_hung(w);
		let_go(w);
	}
	return r;
}

void worker_stop(struct worker *w)
{
	struct timespec pause = { 0, 1000000 };
	let_go(w);
	for (int i = 0; w->pid && i < STOP_MS; i++) {
		nanosleep(&pause, NULL);
		let_go(w);
	}
}

void worker_free(struct worker *w)
{
	worker_stop(w);
	if (w->parts)
		munmap(w->parts, sizeof(*w->parts));
	w->parts = NULL;
}
