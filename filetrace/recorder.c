/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - write event lines from many threads to one file, in the order of their arrival */
#include "filetrace/recorder.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/utf8.h"

#define WAITING_BYTES_MAX (8u << 20)
/* number of waiting bytes at which the writer writes at once */
#define WRITE_BYTES      (256u << 10)
/* how long the writer waits for WRITE_BYTES bytes, in milliseconds */
#define GATHER_MS   20
#define RETRY_MS    1000
/* least time between two OP_LOST records, in nanoseconds */
#define STATEMENT_NS    1000000000

/*
 * Wait until there is enough to write. Waking the writer for each line would cost more than writing
 * the line.
 */
static void recorder_wait_for_lines(struct trace_recorder *r)
{
	struct timespec until = clock_after_ms(GATHER_MS);
	int late = 0;
	while (r->waiting.n < WRITE_BYTES && !r->ending && late == 0)
		late = pthread_cond_timedwait(&r->enough, &r->lock, &until);
}

static void recorder_wait_for_retry(struct trace_recorder *r)
{
	struct timespec until = clock_after_ms(RETRY_MS);
	int late = 0;
	while (!r->ending && late == 0)
		late = pthread_cond_timedwait(&r->enough, &r->lock, &until);
}

/*
 * Call write(2) once. The caller holds the lock; it is released during the call. *done counts the
 * bytes of text written so far. Returns 0 or -errno.
 */
static int recorder_write_once(struct trace_recorder *r, const struct buf *text, size_t *done)
{
	pthread_mutex_unlock(&r->lock);
	ssize_t n = write(r->fd, text->p + *done, text->n - *done);
	int error = n < 0 ? -errno : 0;
	pthread_mutex_lock(&r->lock);
	if (n > 0)
		*done += (size_t)n;
	return error;
}

static uint64_t recorder_count_lines(struct str text)
{
	uint64_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static void recorder_set_error(struct trace_recorder *r, int error)
{
	if ((error != 0) != r->failing)
		r->failed(error);
	r->failing = error != 0;
	pthread_cond_broadcast(&r->written);
	if (error)
		r->error = error;
}

/* If a full disk cut a line short, truncate a regular file to its last complete line. */
static void recorder_truncate_partial_line(struct trace_recorder *r, const struct buf *text,
					   size_t *done)
{
	struct stat st;
	size_t half = 0;
	while (half < *done && text->p[*done - half - 1] != '\n')
		half++;
	if (half && fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    ftruncate(r->fd, st.st_size - (off_t)half) == 0 &&
	    lseek(r->fd, 0, SEEK_END) >= 0)
		*done -= half;
}

/* Write all of text, retrying after errors. Returns false if a write fails once .ending is set. */
static bool recorder_write_all(struct trace_recorder *r, struct buf *text)
{
	size_t done = 0;
	if (r->terminal)
		utf8_make_lines_printable(text->p, text->n);
	while (done < text->n) {
		int error = recorder_write_once(r, text, &done);
		if (error == -EINTR)
			continue;
		recorder_set_error(r, error);
		if (error)
			recorder_truncate_partial_line(r, text, &done);
		if (error && r->ending) {
			r->lost += recorder_count_lines(str_skip(buf_str(text), done));
			return false;
		}
		if (error)
			recorder_wait_for_retry(r);
	}
	text->n = 0;
	return true;
}

static void *recorder_run_writer(void *arg)
{
	struct trace_recorder *r = arg;
	struct buf text = { 0 };
	bool good = true;
	pthread_mutex_lock(&r->lock);
	while (good && (r->waiting.n || !r->ending)) {
		if (r->waiting.n == 0) {
			pthread_cond_wait(&r->filled, &r->lock);
			continue;
		}
		recorder_wait_for_lines(r);
		struct buf full = r->waiting;
		r->waiting = text;
		text = full;
		pthread_cond_broadcast(&r->written);
		good = recorder_write_all(r, &text);
	}
	r->lost += recorder_count_lines(buf_str(&r->waiting));
	pthread_mutex_unlock(&r->lock);
	buf_free(&text);
	return NULL;
}

/* Queue a line. The caller holds the lock and has made sure that there is room. */
static void recorder_queue_line(struct trace_recorder *r, struct str line)
{
	if (r->waiting.n == 0)
		pthread_cond_signal(&r->filled);
	buf_add(&r->waiting, line);
	if (r->waiting.n >= WRITE_BYTES)
		pthread_cond_signal(&r->enough);
}

static void recorder_state_losses(struct trace_recorder *r)
{
	struct buf line CLEANUP(buf_free) = { 0 };
	int64_t ns = monotonic_ns() - r->stated_at;
	uint64_t lost = r->lost + r->missed;
	const struct event e = {
		.op = OP_LOST, .start = clock_ns(CLOCK_REALTIME) - ns, .ns = ns,
		.lost = lost - r->stated, .calls32 = r->calls32 - r->stated32,
	};
	r->form->put(&line, &e, r->form->with_result);
	recorder_queue_line(r, buf_str(&line));
	r->stated = lost;
	r->stated32 = r->calls32;
	r->stated_at += ns;
}

static void recorder_state_new_losses(struct trace_recorder *r)
{
	bool is_new = r->lost + r->missed != r->stated || r->calls32 != r->stated32;
	if (is_new && monotonic_ns() - r->stated_at >= STATEMENT_NS)
		recorder_state_losses(r);
}

int trace_recorder_start(struct trace_recorder *r, int fd, const struct trace_recorder_form *form,
			 void (*failed)(int error))
{
	sigset_t all, before;
	*r = (struct trace_recorder){ .fd = fd, .terminal = isatty(fd), .failed = failed,
				.form = form, .stated_at = monotonic_ns() };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->filled, NULL);
	pthread_cond_init(&r->enough, NULL);
	pthread_cond_init(&r->written, NULL);
	sigfillset(&all);
	/* block all signals in the new thread: the main thread handles them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int e = pthread_create(&r->writer, NULL, recorder_run_writer, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -e;
}

void trace_recorder_put(struct trace_recorder *r, struct str line)
{
	pthread_mutex_lock(&r->lock);
	while (r->waiting.n + line.n > WAITING_BYTES_MAX && !r->failing)
		pthread_cond_wait(&r->written, &r->lock);
	if (r->waiting.n + line.n > WAITING_BYTES_MAX) {
		r->lost++;
	} else {
		recorder_state_new_losses(r);
		recorder_queue_line(r, line);
		r->lines++;
	}
	pthread_mutex_unlock(&r->lock);
}

void trace_recorder_missed(struct trace_recorder *r, uint64_t records, uint64_t calls32)
{
	pthread_mutex_lock(&r->lock);
	r->missed = records;
	r->calls32 = calls32;
	recorder_state_new_losses(r);
	pthread_mutex_unlock(&r->lock);
}

uint64_t trace_recorder_end(struct trace_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	uint64_t lost = r->lost;
	bool stated = r->form && (r->lost || r->missed || r->calls32);
	if (stated)
		recorder_state_losses(r);
	r->ending = true;
	pthread_cond_signal(&r->filled);
	pthread_cond_signal(&r->enough);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->writer, NULL);
	if (stated && r->lost > lost)
		r->lost--;	/* the OP_LOST record was not written: it does not count as lost */
	uint64_t unwritten = r->lost - lost;
	r->lines -= unwritten < r->lines ? unwritten : r->lines;
	buf_free(&r->waiting);
	pthread_cond_destroy(&r->filled);
	pthread_cond_destroy(&r->enough);
	pthread_cond_destroy(&r->written);
	pthread_mutex_destroy(&r->lock);
	return r->lost;
}
