/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.c - the answer to a request: records of the asker's own runs, out of an archive */
#include "answer/reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "archive/index.h"
#include "archive/input.h"
#include "base/clock.h"
#include "base/system/frame.h"
#include "base/vec.h"
#include "base/words.h"

#define PIECE    (FRAME_MAX / 2)	/* so many bytes are sent together */
#define MONTH_US 2678400000000	/* a run of the time may have begun so long before */
#define END_NS   5000000000	/* so long before the deadline no more is read */

struct reply {
	int fd;
	int64_t deadline_ns;
	const struct asker *asker;
	const struct answer_request *q;
	struct archive_file *file;
	size_t n;
	bool *passed_over;	/* of each file */
	struct words jobs;	/* which indexes give to the asker */
	struct visible visible;	/* of the present host */
	struct buf out;
	bool headed;		/* the host was named */
	uint64_t bytes, rows_out, marks_out;
	size_t unreadable;	/* files */
};

/* A run without a user may be the asker's by its number, which indexes do not have. */
static bool may_be_own(const struct reply *p, const struct index_job *j)
{
	return p->asker->all || (j->user.n ? str_eq(j->user, p->asker->user) : j->begun);
}

static void note_jobs(struct reply *p, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct index_job j;
	struct str text;
	if (index_read(path, &b, &text) < 0)
		return;
	while (index_next_job(&text, &j))
		if (may_be_own(p, &j))
			words_add(&p->jobs, j.id);
}

/* Whether an index says that none of the jobs is there. */
static bool lacks_jobs(const struct reply *p, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct index_job j;
	struct str text;
	if (p->q->job.n)
		return index_excludes(path, p->q->job);
	if (index_read(path, &b, &text) < 0)
		return false;
	while (index_next_job(&text, &j))
		if (words_find(&p->jobs, j.id) != WORDS_NONE)
			return false;
	return true;
}

static void choose_files(struct reply *p)
{
	p->passed_over = xrealloc(NULL, (p->n + 1) * sizeof(*p->passed_over));
	for (size_t i = 0; i < p->n; i++) {
		p->passed_over[i] = !archive_may_hold_near(p->file, p->n, i, p->q->since,
							    p->q->until, MONTH_US);
		if (!p->passed_over[i] && p->q->job.n == 0)
			note_jobs(p, p->file[i].path);
	}
	for (size_t i = 0; i < p->n; i++)
		p->passed_over[i] |= lacks_jobs(p, p->file[i].path);
}

static int send_frame(struct reply *p, enum answer_frame kind, struct str bytes)
{
	return frame_send(p->fd, (char)kind, bytes, p->deadline_ns);
}

static int send_host(struct reply *p, const struct archive_file *of, int64_t usec)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	answer_put_host(&b, usec / 1000000, str_of(of->host));
	p->headed = true;
	return send_frame(p, ANSWER_HOST, buf_str(&b));
}

/* Sends what has come together; -EFBIG: it is too much for one answer. */
static int send_data(struct reply *p)
{
	p->bytes += p->out.n;
	if (p->bytes > ANSWER_BYTES_MAX)
		return -EFBIG;
	int r = frame_send_all(p->fd, ANSWER_DATA, buf_str(&p->out), p->deadline_ns);
	p->out.n = 0;
	return r;
}

static int put_record(struct reply *p, const struct archive_file *of,
		      const struct record_source *source, const struct record *r)
{
	visible_put(&p->visible, source, r, &p->out);
	int e = p->out.n && !p->headed ? send_host(p, of, r->usec) : 0;
	return e == 0 && p->out.n >= PIECE ? send_data(p) : e;
}

static int read_records(struct reply *p, const struct archive_file *of, struct input *in)
{
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, NULL);
	const struct record *r;
	int e = 0;
	visible_file(&p->visible);
	while (e == 0 && record_next(&source, &r) > 0) {
		if (p->visible.again)
			e = put_record(p, of, &source, r);
		else
			visible_look(&p->visible, &source, r);
		if (monotonic_ns() > p->deadline_ns - END_NS)
			e = -ETIMEDOUT;
	}
	record_source_end(&source);
	return e;
}

static int read_file(struct reply *p, size_t i)
{
	struct input *in;
	if (p->passed_over[i] || input_open(p->file[i].path, &in) < 0) {
		p->unreadable += !p->passed_over[i] && p->visible.again;
		visible_gap(&p->visible);
		return 0;
	}
	int e = read_records(p, &p->file[i], in);
	input_free(in);
	return e;
}

static int read_files(struct reply *p, size_t first, size_t end)
{
	int e = 0;
	for (size_t i = first; e == 0 && i < end; i++)
		e = read_file(p, i);
	return e;
}

/* A blank line at the end shows that the last record is whole. */
static int answer_host(struct reply *p, size_t first, size_t end)
{
	p->visible = (struct visible){ .asker = p->asker, .wanted = p->q };
	p->headed = false;
	int e = read_files(p, first, end);
	if (e == 0 && visible_turn(&p->visible))
		e = read_files(p, first, end);
	if (e == 0 && p->headed) {
		buf_add_char(&p->out, '\n');
		e = send_data(p);
	}
	p->rows_out += p->visible.rows_out;
	p->marks_out += p->visible.marks_out;
	visible_free(&p->visible);
	return e;
}

static int answer_hosts(struct reply *p)
{
	int e = 0;
	for (size_t i = 0, end; e == 0 && i < p->n; i = end) {
		bool any = false;
		for (end = i; end < p->n && strcmp(p->file[end].host, p->file[i].host) == 0; end++)
			any |= !p->passed_over[end];
		if (any)
			e = answer_host(p, i, end);
	}
	return e;
}

static const char *explain(int e)
{
	switch (e) {
	case -EFBIG:
		return "it has more than 1 GB: ask for less time by --since and --until";
	case -ETIMEDOUT:
		return "it takes too long: ask for less time by --since and --until";
	default:
		return strerror(-e);
	}
}

/* For people: nothing where nothing was left out. */
static void put_left_out(const struct reply *p, struct buf *b)
{
	if (p->rows_out)
		buf_addf(b, "%llu rows of other jobs and users",
			 (unsigned long long)p->rows_out);
	if (p->marks_out)
		buf_addf(b, "%s%llu marks of others", b->n ? ", " : "",
			 (unsigned long long)p->marks_out);
	if (p->unreadable)
		buf_addf(b, "%s%zu files that cannot be read", b->n ? ", " : "", p->unreadable);
}

static int send_end(struct reply *p, int e)
{
	struct buf said CLEANUP(buf_free) = { 0 }, b CLEANUP(buf_free) = { 0 };
	if (e < 0)
		buf_add(&said, str_of(explain(e)));
	else
		put_left_out(p, &said);
	answer_put_end(&b, e == 0, buf_str(&said));
	return send_frame(p, ANSWER_END, buf_str(&b));
}

static void free_reply(struct reply *p)
{
	archive_list_free(p->file, p->n);
	free(p->passed_over);
	words_free(&p->jobs);
	buf_free(&p->out);
}

int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns)
{
	struct reply p = { .fd = fd, .asker = asker, .q = q, .deadline_ns = deadline_ns };
	int r = send_frame(&p, ANSWER_ARCHIVE, str_of(dir));
	if (r < 0)
		return r;
	int e = archive_list(dir, &p.file, &p.n, NULL);
	if (e == 0) {
		choose_files(&p);
		e = answer_hosts(&p);
	}
	r = send_end(&p, e);
	free_reply(&p);
	return r;
}
