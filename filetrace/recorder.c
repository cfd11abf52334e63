/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - lines of events from many threads to one file, in the order in which they end */
#include "tracers/files/recorder.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/utf8.h"

#define WAITING_MAX (8u << 20)
#define ENOUGH      (256u << 10)	/* to be written at once */
#define GATHER_MS   20			/* else, so long others are waited for */
#define AGAIN_MS    1000
#define STATE_NS    1000000000		/* at least so long between two statements of losses */

/* To wake a writer for each line would cost more than to write it. */
static void gather(struct trace_recorder *r)
{
	struct timespec until = clock_after_ms(GATHER_MS);
	int late = 0;
	while (r->waiting.n < ENOUGH && !r->ending && late == 0)
		late = pthread_cond_timedwait(&r->enough, &r->lock, &until);
}

static void wait_to_try_again(struct trace_recorder *r)
{
	struct timespec until = clock_after_ms(AGAIN_MS);
	int late = 0;
	while (!r->ending && late == 0)
		late = pthread_cond_timedwait(&r->enough, &r->lock, &until);
}

/* Called with the lock, which it leaves to write; 0 or -errno. *done: what is written, in all. */
static int write_some(struct trace_recorder *r, const struct buf *text, size_t *done)
{
	pthread_mutex_unlock(&r->lock);
	ssize_t n = write(r->fd, text->p + *done, text->n - *done);
	int error = n < 0 ? -errno : 0;
	pthread_mutex_lock(&r->lock);
	if (n > 0)
		*done += (size_t)n;
	return error;
}

static uint64_t count_lines(struct str text)
{
	uint64_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static void note_error(struct trace_recorder *r, int error)
{
	if ((error != 0) != r->failing)
		r->failed(error);
	r->failing = error != 0;
	pthread_cond_broadcast(&r->written);
	if (error)
		r->error = error;
}

/* Takes the start of a line back that a full disk cut, from a file, so that all lines are whole. */
static void take_back_half_a_line(struct trace_recorder *r, const struct buf *text, size_t *done)
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

/* False: it failed, and the end was asked for. */
static bool write_all(struct trace_recorder *r, struct buf *text)
{
	size_t done = 0;
	if (r->terminal)
		utf8_make_lines_printable(text->p, text->n);
	while (done < text->n) {
		int error = write_some(r, text, &done);
		if (error == -EINTR)
			continue;
		note_error(r, error);
		if (error)
			take_back_half_a_line(r, text, &done);
		if (error && r->ending) {
			r->lost += count_lines(str_skip(buf_str(text), done));
			return false;
		}
		if (error)
			wait_to_try_again(r);
	}
	text->n = 0;
	return true;
}

static void *run(void *arg)
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
		gather(r);
		struct buf full = r->waiting;
		r->waiting = text;
		text = full;
		pthread_cond_broadcast(&r->written);
		good = write_all(r, &text);
	}
	r->lost += count_lines(buf_str(&r->waiting));
	pthread_mutex_unlock(&r->lock);
	buf_free(&text);
	return NULL;
}

/* Called with the lock; there is always room. */
static void add_line(struct trace_recorder *r, struct str line)
{
	if (r->waiting.n == 0)
		pthread_cond_signal(&r->filled);
	buf_add(&r->waiting, line);
	r->lines++;
	if (r->waiting.n >= ENOUGH)
		pthread_cond_signal(&r->enough);
}

static void state_losses(struct trace_recorder *r)
{
	struct buf line CLEANUP(buf_free) = { 0 };
	int64_t ns = monotonic_ns() - r->stated_at;
	uint64_t lost = r->lost + r->missed;
	const struct event e = {
		.op = OP_LOST, .start = clock_ns(CLOCK_REALTIME) - ns, .ns = ns,
		.lost = lost - r->stated, .calls32 = r->calls32 - r->stated32,
	};
	r->form->put(&line, &e, r->form->with_result);
	add_line(r, buf_str(&line));
	r->stated = lost;
	r->stated32 = r->calls32;
	r->stated_at += ns;
}

static void state_new_losses(struct trace_recorder *r)
{
	bool is_new = r->lost + r->missed != r->stated || r->calls32 != r->stated32;
	if (is_new && monotonic_ns() - r->stated_at >= STATE_NS)
		state_losses(r);
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
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* signals are the main thread's */
	int e = pthread_create(&r->writer, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -e;
}

void trace_recorder_put(struct trace_recorder *r, struct str line)
{
	pthread_mutex_lock(&r->lock);
	while (r->waiting.n + line.n > WAITING_MAX && !r->failing)
		pthread_cond_wait(&r->written, &r->lock);
	if (r->waiting.n + line.n > WAITING_MAX) {
		r->lost++;
	} else {
		state_new_losses(r);
		add_line(r, line);
	}
	pthread_mutex_unlock(&r->lock);
}

void trace_recorder_missed(struct trace_recorder *r, uint64_t records, uint64_t calls32)
{
	pthread_mutex_lock(&r->lock);
	r->missed = records;
	r->calls32 = calls32;
	state_new_losses(r);
	pthread_mutex_unlock(&r->lock);
}

uint64_t trace_recorder_end(struct trace_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	if (r->form)
		state_losses(r);
	r->ending = true;
	pthread_cond_signal(&r->filled);
	pthread_cond_signal(&r->enough);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->writer, NULL);
	buf_free(&r->waiting);
	pthread_cond_destroy(&r->filled);
	pthread_cond_destroy(&r->enough);
	pthread_cond_destroy(&r->written);
	pthread_mutex_destroy(&r->lock);
	return r->lost;
}
