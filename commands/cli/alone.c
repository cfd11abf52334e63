/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alone.c - write the mark of a job without an agent; one of several commands writes all marks
 *
 * Each command stores a request for its mark in RUNTIME-DIR/marks. The command that gets the lock
 * of this folder writes the marks of all waiting commands with one sample, in a child process. If a
 * disk or a source of the sample hangs, the command abandons the child, and the requests stay for
 * the agent or the next command.
 */
#include "cli/alone.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "archive/explain.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/child.h"
#include "cli/command.h"
#include "recorder/requests.h"
#include "schema/marks.h"

/*
 * Deadlines in percent of the command's timeout: for writing the mark with a sample, and for
 * writing the mark without a sample.
 */
#define SAMPLE_UNTIL 85
#define GIVE_UP_AT   95
/* a sample is started only if at least this time is left before SAMPLE_UNTIL */
#define SAMPLE_MS    100
#define KILL_MS      20

struct attempt {
	const struct hook *hook;
	const struct config *config;
	struct spool spool;
	/* name of the file with the request, or "" if the request is not stored */
	char name[SPOOL_NAME_SIZE];
	bool marks_only;
};

static int64_t time_at(const struct hook *h, int hundredths)
{
	return h->start_ns + h->timeout_us * 10 * hundredths;
}

static int do_one(struct recorder *r, const struct hook *h)
{
	if (h->verb == CONTROL_RELEASE)
		return recorder_release(r, h->text);
	if (h->verb == CONTROL_ACQUIRE)
		return recorder_acquire(r, h->text);
	if (h->verb == CONTROL_MARK)
		return recorder_mark(r, h->text);
	return h->verb == CONTROL_BEGIN ? recorder_begin(r, h->text) : recorder_end(r, h->text);
}

/*
 * Write the marks of all requests with one sample. Returns the result of the request in the spool
 * file `name`, even if another command has already written the mark of this request.
 */
static int do_all(struct recorder *r, const char *name)
{
	struct request own = { .what = REQUEST_MARK };
	int e = recorder_drain(r, name, &own);
	r->ended.n = 0;
	buf_add(&r->ended, buf_str(&own.summary));
	buf_free(&own.summary);
	return e < 0 ? e : own.result;
}

static int alone_work(const struct attempt *t, int lock_ms)
{
	/* static, because it is too large for the stack limit of a hook */
	static struct recorder r;
	const struct hook *h = t->hook;
	char error[768];

	if (recorder_open(&r, t->config, &log_listener, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return -EIO;
	}
	recorder_set_lock_timeout(&r, lock_ms);
	r.marks_only = t->marks_only;
	r.spool = t->spool;
	int e = t->name[0] ? do_all(&r, t->name) : do_one(&r, h);
	if (h->verb == CONTROL_SUMMARY && r.ended.n)
		printf(STR_FMT "\n", STR_ARG(buf_str(&r.ended)));
	fflush(stdout);
	recorder_close(&r);
	return e;
}

/*
 * Wait until the child writes its result to the pipe fd. Returns the result; -ETIMEDOUT if until_ns
 * passed first; or -EIO if the child died.
 */
static int alone_wait_for(int fd, pid_t pid, int64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = until_ns - monotonic_ns();
	int e, r;
	do
		r = poll(&p, 1, left > 0 ? (int)(left / 1000000) + 1 : 0);
	while (r < 0 && errno == EINTR);
	if (r <= 0) {
		child_kill(pid, KILL_MS);
		return -ETIMEDOUT;
	}
	if (read(fd, &e, sizeof(e)) != sizeof(e))
		e = -EIO;
	child_kill(pid, KILL_MS);	/* the child has sent its result and only has to exit */
	return e;
}

static int alone_write_in_child(const struct attempt *t, int64_t until_ns)
{
	int ends[2];
	int lock_ms = (int)((until_ns - monotonic_ns()) / 1000000 * 8 / 10);
	if (pipe(ends) < 0)
		return -errno;
	pid_t pid = child_fork(SIGKILL);
	int e = -errno;
	if (pid == 0) {
		close(ends[0]);
		e = alone_work(t, lock_ms);
		_exit(write(ends[1], &e, sizeof(e)) == sizeof(e) ? 0 : 1);
	}
	close(ends[1]);
	if (pid > 0)
		e = alone_wait_for(ends[0], pid, until_ns);
	close(ends[0]);
	return e;
}

static int alone_report(const struct hook *h, const struct config *c, int e)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	bool done = control_explain(&text, h->verb, h->text, e);
	if (text.n && done) {
		log_notice(STR_FMT, STR_ARG(buf_str(&text)));
	} else if (e == -EINVAL) {
		log_error(STR_FMT, STR_ARG(buf_str(&text)));
	} else if (text.n) {
		explain_what_to_do(&text, c->dir, e, true);
		log_error("%s: " STR_FMT, c->dir, STR_ARG(buf_str(&text)));
	}
	return done ? EXIT_DONE : EXIT_FAILED;
}

static bool alone_mark_is_written(const struct attempt *t)
{
	return !spool_has(&t->spool, t->name);
}

/*
 * Write the marks of all commands; the caller holds the lock. Returns 0 or an error of the
 * recorder. If this command's own mark was not written, returns -EAGAIN, sets *why to the error,
 * and the next attempt will be without a sample.
 */
static int alone_write_all_marks(struct attempt *t, int *why)
{
	int64_t sample_until = time_at(t->hook, SAMPLE_UNTIL);
	int64_t until = time_at(t->hook, GIVE_UP_AT);
	t->marks_only = t->marks_only ||
			sample_until - monotonic_ns() < SAMPLE_MS * INT64_C(1000000);
	int e = alone_write_in_child(t, t->marks_only ? until : sample_until);
	if (alone_mark_is_written(t))
		return e;
	*why = e;
	t->marks_only = true;
	return -EAGAIN;
}

/*
 * Write the mark before the deadline: try once with a sample, and then once without a sample. While
 * another command has the lock, check repeatedly whether that command has written the mark.
 */
static int alone_write_mark(struct attempt *t, int *why)
{
	struct timespec pause = { 0, 1000000 };
	int64_t until = time_at(t->hook, GIVE_UP_AT);
	int e = -EAGAIN;
	for (int tries = 0; tries < 2 && e == -EAGAIN && monotonic_ns() < until; ) {
		if (alone_mark_is_written(t))
			return 0;
		if (spool_lock(&t->spool, 0) == 0) {
			e = alone_mark_is_written(t) ? 0 : alone_write_all_marks(t, why);
			tries += e == -EAGAIN;
			spool_unlock(&t->spool);
			continue;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 8000000)
			pause.tv_nsec *= 2;
	}
	return e;
}

static int alone_report_left(const struct hook *h, const struct config *c, int why)
{
	struct str rest = h->text, id = mark_without_request(h->text);
	if (h->verb != CONTROL_MARK)
		str_take_word(&rest, &id);
	log_warning("%s: %s; \"" STR_FMT "\" is left in %s/marks: the agent or the next hook "
		    "records it", c->dir, why == 0 ? "another process holds its lock" :
		    why == -ETIMEDOUT ? "no answer in time" : strerror(-why), STR_ARG(id),
		    h->runtime_dir);
	return EXIT_WAITS;
}

int alone_mark(const struct hook *h, const struct config *c)
{
	struct attempt t = { .hook = h, .config = c, .spool = { .dirfd = -1, .lockfd = -1,
							.listener = &log_listener } };
	struct request q = { .text = h->text, .usec = h->start_us };
	bool leaves = control_is_marked(h->verb, &q.what) && !h->elsewhere;
	int why = 0;

	if (leaves && request_check(&q) < 0)
		return alone_report(h, c, -EINVAL);
	if (leaves && spool_open(&t.spool, h->runtime_dir) == 0 &&
	    request_leave(&t.spool, &q, t.name) < 0)
		t.name[0] = '\0';
	if (!t.name[0]) {
		spool_close(&t.spool);
		return alone_report(h, c, alone_write_in_child(&t, time_at(h, GIVE_UP_AT)));
	}
	hook_note_left();
	int e = alone_write_mark(&t, &why);
	spool_close(&t.spool);
	return e == -EAGAIN ? alone_report_left(h, c, why) : alone_report(h, c, e);
}
