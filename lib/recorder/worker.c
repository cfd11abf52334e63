/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.c - run a collector whose source can hang in a separate process */
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
#include "base/system/child.h"
#include "base/system/confine.h"
#include "base/system/close_all.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"

/*
 * Start of a reply. The values, the presence bits, the offsets of the names, the names and, if they
 * have changed, the "$below" lines follow.
 */
struct worker_reply {
	int result;
	uint32_t n_rows, names, below;
	/* .below_new and .below_known of the sample's rows */
	uint32_t below_new, below_known;
	uint64_t bytes, cpu_ns;
	char why[SOURCE_WHY_MAX];
};
#define NAMES_MAX (16u << 20)
#define LATE_MS  100	/* ms: timeout for the rest of a reply whose first bytes have arrived */
#define HUNG_RETRY_MIN 60	/* minutes until a part of a source that hung is read again */
/* ms: timeout for the end of a killed worker; a worker that hangs in the kernel takes longer */
#define STOP_MS   20

static int worker_send_sample(int fd, const struct source *s, int result, uint64_t cpu_ns)
{
	const struct rows *rows = &s->rows;
	struct worker_reply a = { .result = result, .bytes = s->bytes, .cpu_ns = cpu_ns,
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

static int worker_read_below(struct worker *w, struct rows *rows, const struct worker_reply *a,
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

/* Return true for a word of printable ASCII, as every device name is. */
static bool worker_is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] <= ' ' || name.p[i] >= 0x7f)
			return false;
	return true;
}

static bool worker_is_below(struct str lines)
{
	for (size_t i = 0; i < lines.n; i++)
		if (lines.p[i] != '\n' && (lines.p[i] < ' ' || lines.p[i] >= 0x7f))
			return false;
	return lines.n == 0 || lines.p[lines.n - 1] == '\n';
}

/* Validate a sample: a vendor's library in the worker may have corrupted it. */
static int worker_check_sample(struct source *s)
{
	struct rows *r = &s->rows;
	for (size_t i = 0; i < r->n; i++) {
		const struct row_name *name = &r->name[i];
		if (name->n == 0 || name->at > r->names.n || name->n > r->names.n - name->at ||
		    !worker_is_name(rows_device(r, i)))
			return -EPROTO;
		r->reopened |= name->reopened;
	}
	for (char *c = s->why; *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
	return worker_is_below(buf_str(&r->below)) ? 0 : -EPROTO;
}

static int worker_read_sample(struct worker *w, struct source *s, int64_t deadline_ns)
{
	struct rows *rows = &s->rows;
	struct worker_reply a;
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
		r = worker_read_below(w, rows, &a, deadline_ns);
	if (r < 0)
		return r;
	rows->n = a.n_rows;
	rows->names.n = a.names;
	r = worker_check_sample(s);
	return r < 0 || a.result > 0 ? -EPROTO : a.result;
}

/*
 * Confine a worker. It may read what its collector needs, but not start programs, create files or
 * open connections.
 */
static void worker_confine(const struct collector *c, const struct files *root)
{
	char tree[64];
	struct confined unused;
	struct stat here, system;
	snprintf(tree, sizeof(tree), "/proc/self/fd/%d", root->rootfd);
	const struct confine_path captured[] = { { tree, CONFINE_READ } };
	const struct confine_path system_paths[] = {
		{ "/proc", CONFINE_READ }, { "/sys", CONFINE_READ }, { "/dev", CONFINE_CHANGE },
	};
	if (fstat(root->rootfd, &here) == 0 && stat("/", &system) == 0 &&
	    !files_are_one(&here, &system))
		confine(captured, ARRAY_SIZE(captured), MAY_COUNT, &unused);
	else
		confine(system_paths, ARRAY_SIZE(system_paths), MAY_COUNT, &unused);
	if (privileges_keep(privileges_here(collector_needs(c))) < 0)
		return;		/* if this fails, the worker keeps the agent's capabilities */
}

/* Take and send a sample for each request. Exits when the agent closes the socket or is killed. */
static _Noreturn void worker_serve(int fd, const struct collector *c, const struct source *like,
				   struct worker_parts *parts)
{
	int64_t before = 0;
	struct source s;
	struct shared shared = { .files = { .rootfd = like->files.rootfd,
					    .in_root = like->files.in_root, .wait = true },
				 .job_owners = like->shared->job_owners };
	char rescan;

	/* a worker that hangs must not keep the agent's file lock, sockets and pipes open */
	close_all_but(fd, like->files.rootfd);
	prctl(PR_SET_NAME, c->type->name);
	worker_confine(c, &like->files);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	source_init(&s, &like->files, c->type->metrics, c->type->n_metrics);
	s.data = c->data;
	s.shared = &shared;
	s.parts = parts;
	s.files.wait = true;	/* the worker may block, unlike the agent */
	while (recv(fd, &rescan, 1, 0) == 1) {
		s.rescan = rescan;
		shared_clear(&shared, rescan);
		source_clear(&s);
		int r = c->collect(&s);
		int64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (worker_send_sample(fd, &s, r, (uint64_t)(now - before)) < 0)
			break;
		s.rows.below_new = false;
		before = now;
	}
	_exit(0);
}

/*
 * Create memory shared with the worker. After the worker was killed, the memory shows which part of
 * a source hung, so that later samples leave out only this part.
 */
static struct worker_parts *worker_share_parts(void)
{
	void *p = mmap(NULL, sizeof(struct worker_parts), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int worker_start(struct worker *w, const struct collector *c, const struct source *s)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;

	struct worker_parts *parts = w->parts ? w->parts : worker_share_parts();
	w->parts = parts;
	pid_t pid = child_fork(SIGKILL);
	if (pid < 0) {
		int r = -errno;
		close(pair[0]);
		close(pair[1]);
		return r;
	}
	if (pid == 0)
		worker_serve(pair[1], c, s, parts);
	close(pair[1]);
	w->pid = pid;
	w->fd = pair[0];
	w->answer_due = false;
	w->type = c->type->name;
	w->start_deadline_ns = c->start_ms ? monotonic_ns() + c->start_ms * INT64_C(1000000) : 0;
	return 0;
}

static void worker_disconnect(struct worker *w)
{
	if (w->fd >= 0) {
		close(w->fd);
		w->fd = -1;
		kill(w->pid, SIGKILL);
	}
	if (w->pid && waitpid(w->pid, NULL, WNOHANG) != 0)
		w->pid = 0;
}

/* Remember the part of the source that hangs. The next worker leaves it out. */
static void worker_note_hung(struct worker *w)
{
	struct worker_parts *p = w->parts;
	if (!p || !p->reading[0] || p->n_hung >= PARTS_HUNG_MAX)
		return;
	char *name = p->hung[p->n_hung];
	memcpy(name, p->reading, PART_NAME_MAX);
	name[PART_NAME_MAX - 1] = '\0';
	p->reading[0] = '\0';
	p->n_hung++;
	w->retry_ns = monotonic_ns() + HUNG_RETRY_MIN * INT64_C(60000000000);
	say_warning(w->listener, "%s: %s does not answer; it is left out for %d minutes", w->type,
		    name, HUNG_RETRY_MIN);
}

static bool worker_is_readable(const struct worker *w, int64_t deadline_ns)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };
	int64_t left = deadline_ns - monotonic_ns();
	return poll(&pfd, 1, left > 0 ? (int)(left / 1000000) + 1 : 0) == 1;
}

/*
 * Receive a late reply and discard it. Returns 0 if no reply is outstanding any more, also because
 * the worker was disconnected; or -EBUSY if the worker is still starting, or did not send its whole
 * reply.
 */
static int worker_settle(struct worker *w, struct source *s)
{
	int64_t now = monotonic_ns();
	if (!w->answer_due || w->fd < 0)
		return 0;
	if (!worker_is_readable(w, now)) {
		if (now < w->start_deadline_ns)
			return -EBUSY;
		worker_disconnect(w);
		return 0;
	}
	w->answer_due = false;
	int r = worker_answer(w, s, now + LATE_MS * INT64_C(1000000));
	source_clear(s);
	return r == -ETIMEDOUT ? -EBUSY : 0;
}

int worker_ask(struct worker *w, const struct collector *c, struct source *s)
{
	char rescan = (char)s->rescan;

	w->cpu_ns = 0;
	if (w->parts && w->parts->n_hung && monotonic_ns() >= w->retry_ns)
		w->parts->n_hung = 0;
	if (worker_settle(w, s) < 0)
		return -EBUSY;
	if (w->fd >= 0 && stream_send(w->fd, &rescan, 1, INT64_MAX) == 0)
		return 0;
	worker_disconnect(w);
	if (w->pid)
		return -EBUSY;
	int r = worker_start(w, c, s);
	return r < 0 ? r : stream_send(w->fd, &rescan, 1, INT64_MAX);
}

int worker_answer(struct worker *w, struct source *s, int64_t deadline_ns)
{
	if (w->start_deadline_ns && !worker_is_readable(w, deadline_ns)) {
		w->answer_due = true;
		return -ETIMEDOUT;
	}
	w->start_deadline_ns = 0;
	int r = worker_read_sample(w, s, deadline_ns);
	if (r == -ETIMEDOUT || r == -EPROTO || r == -EPIPE || r == -ECONNRESET) {
		source_clear(s);
		if (r == -ETIMEDOUT)
			worker_note_hung(w);
		worker_disconnect(w);
	}
	return r;
}

void worker_stop(struct worker *w)
{
	struct timespec pause = { 0, 1000000 };
	worker_disconnect(w);
	for (int i = 0; w->pid && i < STOP_MS; i++) {
		nanosleep(&pause, NULL);
		worker_disconnect(w);
	}
}

void worker_free(struct worker *w)
{
	worker_stop(w);
	if (w->parts)
		munmap(w->parts, sizeof(*w->parts));
	w->parts = NULL;
}
