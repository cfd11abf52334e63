/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c - run pieces of work in parallel processes, and collect the results in order */
#include "report/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/child.h"

#define CPUS_MAX 16
#define CHUNK    (256u << 10)

struct head {
	size_t piece, n;
};

struct worker {
	pid_t pid;
	int fd;	/* descriptor of the worker's pipe, or -1 after the worker has ended */
	struct buf in;		/* bytes received but not parsed yet */
};

struct spreading {
	const struct spread *s;
	size_t first, end;
	size_t next;		/* the next piece to pass to take() */
	/* results of finished pieces that wait for earlier pieces */
	struct buf *result;
	bool *done;
	atomic_size_t *claimed;	/* next piece to start; in memory shared by all processes */
	struct worker worker[CPUS_MAX];
	unsigned n;
};

unsigned spread_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > CPUS_MAX ? CPUS_MAX : (unsigned)n;
}

static void work_on(const struct spreading *g, int fd)
{
	struct buf out = { 0 };
	for (size_t i; (i = atomic_fetch_add(g->claimed, 1)) < g->end; ) {
		struct head head = { i, 0 };
		out.n = 0;
		buf_add(&out, (struct str){ (const char *)&head, sizeof(head) });
		g->s->work(g->s->arg, i, &out);
		head.n = out.n - sizeof(head);
		memcpy(out.p, &head, sizeof(head));
		if (files_write(fd, buf_str(&out)) < 0)
			_exit(1);
	}
	_exit(0);
}

static void start_worker(struct spreading *g)
{
	int pipe_fd[2];
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return;
	pid_t pid = child_fork(SIGKILL);
	if (pid == 0)
		work_on(g, pipe_fd[1]);
	close(pipe_fd[1]);
	if (pid < 0)
		close(pipe_fd[0]);
	else
		g->worker[g->n++] = (struct worker){ .pid = pid, .fd = pipe_fd[0] };
}

static void take_turn(struct spreading *g)
{
	for (; g->next < g->end && g->done[g->next - g->first]; g->next++) {
		struct buf *b = &g->result[g->next - g->first];
		g->s->take(g->s->arg, g->next, buf_str(b));
		buf_free(b);
	}
}

static void take_results(struct spreading *g, struct worker *w)
{
	struct str rest = buf_str(&w->in);
	struct head head;
	while (rest.n >= sizeof(head)) {
		memcpy(&head, rest.p, sizeof(head));
		if (rest.n - sizeof(head) < head.n)
			break;
		rest = str_skip(rest, sizeof(head));
		buf_add(&g->result[head.piece - g->first], (struct str){ rest.p, head.n });
		g->done[head.piece - g->first] = true;
		rest = str_skip(rest, head.n);
	}
	if (rest.n < w->in.n)
		memmove(w->in.p, rest.p, rest.n);
	w->in.n = rest.n;
	take_turn(g);
}

static void hear_worker(struct spreading *g, struct worker *w)
{
	buf_reserve(&w->in, CHUNK);
	ssize_t got = read(w->fd, w->in.p + w->in.n, CHUNK);
	if (got < 0 && errno == EINTR)
		return;
	if (got <= 0) {
		close_fd(&w->fd);
		return;
	}
	w->in.n += (size_t)got;
	take_results(g, w);
}

static void hear_workers(struct spreading *g)
{
	struct pollfd poll_fd[CPUS_MAX];
	for (;;) {
		nfds_t n = 0;
		for (unsigned i = 0; i < g->n; i++) {
			poll_fd[i] = (struct pollfd){ .fd = g->worker[i].fd, .events = POLLIN };
			n += g->worker[i].fd >= 0;
		}
		if (n == 0)
			return;
		if (poll(poll_fd, g->n, -1) < 0)
			continue;
		for (unsigned i = 0; i < g->n; i++)
			if (g->worker[i].fd >= 0 && poll_fd[i].revents)
				hear_worker(g, &g->worker[i]);
	}
}

static void end_workers(struct spreading *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		while (waitpid(g->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		buf_free(&g->worker[i].in);
	}
}

/* Perform all pieces that no child has finished. */
static void do_rest(struct spreading *g)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	for (; g->next < g->end; take_turn(g)) {
		out.n = 0;
		g->s->work(g->s->arg, g->next, &out);
		g->s->take(g->s->arg, g->next++, buf_str(&out));
	}
}

static void *share(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void spread_run(const struct spread *s, size_t first, size_t end, unsigned processes)
{
	struct spreading g = { .s = s, .first = first, .end = end, .next = first };
	size_t n = end - first;

	g.result = memset(xrealloc(NULL, n * sizeof(*g.result)), 0, n * sizeof(*g.result));
	g.done = memset(xrealloc(NULL, n * sizeof(*g.done)), 0, n * sizeof(*g.done));
	if (n > 1 && processes > 1)
		g.claimed = share(sizeof(*g.claimed));
	if (g.claimed) {
		atomic_init(g.claimed, first);
		for (unsigned i = 0; i < processes && i < n && i < CPUS_MAX; i++)
			start_worker(&g);
		hear_workers(&g);
		end_workers(&g);
		munmap(g.claimed, sizeof(*g.claimed));
	}
	do_rest(&g);
	free(g.result);
	free(g.done);
}
