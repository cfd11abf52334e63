/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.c - a process of its own for a collector whose source can hang */
#include "recorder/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/confine.h"
#include "base/system/close_all.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"

/*
 * Head of an answer through the socket pair; values, presence, places of names and names follow it,
 * and where they are new, the lines of devices that stand on others.
 */
struct answer {
	int result;
	uint32_t n_rows, names, below;
	uint32_t below_new, below_known;	/* flags */
	uint64_t bytes, cpu_ns;
	char why[SOURCE_WHY_MAX];
};
#define NAMES_MAX (16u << 20)
#define LATE_MS  100	/* for the rest of an answer that has begun to come */
#define AGAIN_MIN 60	/* after which a part that hung is read again */
#define STOP_MS   20	/* so long the kernel may take to end a worker that does not hang */

static int send_sample(int fd, const struct source *s, int result, uint64_t cpu_ns)
{
	const struct rows *rows = &s->rows;
	struct answer a = { .result = result, .bytes = s->bytes, .cpu_ns = cpu_ns,
			    .below = rows->below_new ? (uint32_t)rows->below.n : 0,
			    .below_new = rows->below_new, .below_known = rows->below_known };
	if (result == 0 && rows->names.n <= NAMES_MAX) {
		a.n_rows = (uint32_t)rows->n;
		a.names = (uint32_t)rows->names.n;
	}
	memcpy(a.why, s->why, sizeof(a.why));
	int r = stream_send(fd, &a, sizeof(a), INT64_MAX);
	if (r == 0)
		r = stream_send(fd, rows->value, a.n_rows * rows->n_metrics * sizeof(*rows->value),
				INT64_MAX);
	if (r == 0)
		r = stream_send(fd, rows->present,
				a.n_rows * rows_words(rows) * sizeof(*rows->present), INT64_MAX);
	if (r == 0)
		r = stream_send(fd, rows->name, a.n_rows * sizeof(*rows->name), INT64_MAX);
	if (r == 0)
		r = stream_send(fd, rows->names.p, a.names, INT64_MAX);
	return r == 0 ? stream_send(fd, rows->below.p, a.below, INT64_MAX) : r;
}

static int read_below(struct worker *w, struct rows *rows, const struct answer *a,
		      int64_t deadline_ns)
{
	if (!a->below_new)
		return 0;
	rows->below.n = 0;
	buf_reserve(&rows->below, a->below);
	int r = stream_receive(w->fd, rows->below.p, a->below, deadline_ns);
	if (r < 0)
		return r;
	rows->below.n = a->below;
	rows->below_new = true;
	rows->below_known = a->below_known;
	return 0;
}

/* A word of printable ASCII, as a device's name is made when it is added. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] <= ' ' || name.p[i] >= 0x7f)
			return false;
	return true;
}

static bool is_below(struct str lines)
{
	for (size_t i = 0; i < lines.n; i++)
		if (lines.p[i] != '\n' && (lines.p[i] < ' ' || lines.p[i] >= 0x7f))
			return false;
	return lines.n == 0 || lines.p[lines.n - 1] == '\n';
}

/* A library of a vendor's in a worker may be bad: what it says goes into our records. */
static int check_sample(struct source *s)
{
	struct rows *r = &s->rows;
	for (size_t i = 0; i < r->n; i++) {
		const struct row_name *name = &r->name[i];
		if (name->n == 0 || name->at > r->names.n || name->n > r->names.n - name->at ||
		    !is_name(rows_device(r, i)))
			return -EPROTO;
		r->reopened |= name->reopened;
	}
	for (char *c = s->why; *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
	return is_below(buf_str(&r->below)) ? 0 : -EPROTO;
}

static int read_sample(struct worker *w, struct source *s, int64_t deadline_ns)
{
	struct rows *rows = &s->rows;
	struct answer a;
	int r = stream_receive(w->fd, &a, sizeof(a), deadline_ns);
	if (r < 0)
		return r;
	if (a.n_rows > ROWS_OF_TYPE_MAX || a.names > NAMES_MAX || a.below > NAMES_MAX)
		return -EPROTO;

	s->bytes = a.bytes;
	w->cpu_ns = a.cpu_ns;
	memcpy(s->why, a.why, sizeof(s->why));
	s->why[sizeof(s->why) - 1] = '\0';
	rows_reserve(rows, a.n_rows);
	buf_reserve(&rows->names, a.names);
	r = stream_receive(w->fd, rows->value, a.n_rows * rows->n_metrics * sizeof(*rows->value),
			   deadline_ns);
	if (r == 0)
		r = stream_receive(w->fd, rows->present,
				   a.n_rows * rows_words(rows) * sizeof(*rows->present),
				   deadline_ns);
	if (r == 0)
		r = stream_receive(w->fd, rows->name, a.n_rows * sizeof(*rows->name), deadline_ns);
	if (r == 0)
		r = stream_receive(w->fd, rows->names.p, a.names, deadline_ns);
	if (r == 0)
		r = read_below(w, rows, &a, deadline_ns);
	if (r < 0)
		return r;
	rows->n = a.n_rows;
	rows->names.n = a.names;
	r = check_sample(s);
	return r < 0 || a.result > 0 ? -EPROTO : a.result;
}

/* A worker reads what its collector may, and starts, makes and reaches nothing. */
static void confine_worker(const struct collector *c, const struct files *root)
{
	char tree[64];
	struct confined unused;
	struct stat here, system;
	snprintf(tree, sizeof(tree), "/proc/self/fd/%d", root->rootfd);
	const struct confine_path captured[] = { { tree, CONFINE_READ } };
	const struct confine_path own[] = {
		{ "/proc", CONFINE_READ }, { "/sys", CONFINE_READ }, { "/dev", CONFINE_CHANGE },
	};
	if (fstat(root->rootfd, &here) == 0 && stat("/", &system) == 0 &&
	    !files_are_one(&here, &system))
		confine(captured, ARRAY_SIZE(captured), MAY_COUNT, &unused);
	else
		confine(own, ARRAY_SIZE(own), MAY_COUNT, &unused);
	if (privileges_keep(privileges_here(collector_needs(c))) < 0)
		return;		/* the agent's hold these */
}

/* Ends with the agent: by the signal, or by the end of the socket. */
static _Noreturn void serve(int fd, const struct collector *c, const struct source *like,
			    struct parts *parts)
{
	int64_t before = 0;
	struct source s;
	struct shared shared = { .files = { .rootfd = like->files.rootfd,
					    .in_root = like->files.in_root, .wait = true },
				 .job_owners = like->shared->job_owners };
	char rescan;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The agent's file lock, sockets and pipes must not live on in a worker that hangs. */
	close_all_but(fd, like->files.rootfd);
	prctl(PR_SET_NAME, c->type->name);
	confine_worker(c, &like->files);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	source_init(&s, &like->files, c->type->metrics, c->type->n_metrics);
	s.data = c->data;
	s.shared = &shared;
	s.parts = parts;
	s.files.wait = true;	/* this process is there to wait */
	while (recv(fd, &rescan, 1, 0) == 1) {
		s.rescan = rescan;
		shared_clear(&shared, rescan);
		source_clear(&s);
		int r = c->collect(&s);
		int64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (send_sample(fd, &s, r, (uint64_t)(now - before)) < 0)
			break;
		s.rows.below_new = false;
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

static int start(struct worker *w, const struct collector *c, const struct source *s)
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
	*w = (struct worker){ .pid = pid, .fd = pair[0], .type = c->type->name, .parts = parts,
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
	say_warning(w->listener, "%s: %s does not answer; it is left out for %d minutes", w->type,
		    name, AGAIN_MIN);
}

static bool is_readable(const struct worker *w, int64_t deadline_ns)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };
	int64_t left = deadline_ns - monotonic_ns();
	return poll(&pfd, 1, left > 0 ? (int)(left / 1000000) + 1 : 0) == 1;
}

/* 0: it owes nothing (any more), or has been let go. */
static int settle(struct worker *w, struct source *s)
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
	source_clear(s);
	return r == -ETIMEDOUT ? -EBUSY : 0;
}

int worker_ask(struct worker *w, const struct collector *c, struct source *s)
{
	char rescan = (char)s->rescan;

	w->cpu_ns = 0;
	if (w->parts && w->parts->n_hung && monotonic_ns() >= w->again_ns)
		w->parts->n_hung = 0;
	if (settle(w, s) < 0)
		return -EBUSY;
	if (w->fd >= 0 && stream_send(w->fd, &rescan, 1, INT64_MAX) == 0)
		return 0;
	let_go(w);
	if (w->pid)
		return -EBUSY;
	int r = start(w, c, s);
	return r < 0 ? r : stream_send(w->fd, &rescan, 1, INT64_MAX);
}

int worker_answer(struct worker *w, struct source *s, int64_t deadline_ns)
{
	if (w->until_ns && !is_readable(w, deadline_ns)) {
		w->owes = true;
		return -ETIMEDOUT;
	}
	w->until_ns = 0;
	int r = read_sample(w, s, deadline_ns);
	if (r == -ETIMEDOUT || r == -EPROTO || r == -EPIPE || r == -ECONNRESET) {
		source_clear(s);
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
