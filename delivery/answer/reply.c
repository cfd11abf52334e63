/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.c - answer a request with the records of the asker's runs in an archive */
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

#define PIECE_BYTES     (FRAME_MAX / 2)	/* number of bytes to collect before sending */
/* a run is found if it started at most 31 days before the requested time */
#define RUN_MAX_US      2678400000000
/* how long before the deadline to stop reading files, in nanoseconds */
#define STOP_READING_NS 5000000000
/* time reserved for sending the last frame, which reports missing data, in nanoseconds */
#define LAST_FRAME_NS   2000000000

struct reply {
	int fd;
	int64_t deadline_ns;
	const struct asker *asker;
	const struct answer_request *q;
	struct archive_file *file;
	size_t n;
	/*
	 * for each file: .skipped: the file need not be read; .damaged: the file cannot be read to
	 * its end
	 */
	bool *skipped, *damaged;
	uint64_t *records;	/* number of records read in the first pass, for each file */
	struct words jobs;	/* ids of the asker's jobs, read from the indexes */
	struct visible visible;	/* selects the asker's records of the current host */
	struct buf out;
	bool host_sent;		/* the frame with the hostname was sent */
	uint64_t bytes, rows_out, marks_out;
	size_t unreadable;	/* number of files that could not be read */
};

/*
 * Return true if the job in an index may belong to the asker. Indexes have no uids, so a run
 * without a user name may belong to the asker, too.
 */
static bool reply_job_may_be_askers(const struct reply *p, const struct index_job *j)
{
	struct buf user CLEANUP(buf_free) = { 0 };
	buf_add_unescaped(&user, j->user);
	return p->asker->all || (user.n ? str_eq(buf_str(&user), p->asker->user) : j->begun);
}

static void reply_add_jobs(struct reply *p, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct index_job j;
	struct str text;
	if (index_read(path, &b, &text) < 0)
		return;
	while (index_next_job(&text, &j))
		if (reply_job_may_be_askers(p, &j))
			words_add(&p->jobs, j.id);
}

/* Return true if the file's index shows that none of the jobs is in the file. */
static bool reply_index_lacks_jobs(const struct reply *p, const char *path)
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

static bool reply_is_late(const struct reply *p)
{
	return monotonic_ns() > p->deadline_ns - STOP_READING_NS;
}

/*
 * Choose the files to read, by their times and indexes. Returns 0, or -ETIMEDOUT if too little time
 * is left before the deadline.
 */
static int reply_choose_files(struct reply *p)
{
	p->skipped = xrealloc(NULL, (p->n + 1) * sizeof(*p->skipped));
	p->records = xrealloc(NULL, (p->n + 1) * sizeof(*p->records));
	memset(p->records, 0, (p->n + 1) * sizeof(*p->records));
	p->damaged = memset(xrealloc(NULL, (p->n + 1) * sizeof(*p->damaged)), 0,
			    (p->n + 1) * sizeof(*p->damaged));
	for (size_t i = 0; i < p->n && !reply_is_late(p); i++) {
		p->skipped[i] = !archive_may_hold_near(p->file, p->n, i, p->q->since,
							    p->q->until, RUN_MAX_US);
		if (!p->skipped[i] && p->q->job.n == 0)
			reply_add_jobs(p, p->file[i].path);
	}
	for (size_t i = 0; i < p->n && !reply_is_late(p); i++)
		p->skipped[i] = p->skipped[i] || reply_index_lacks_jobs(p, p->file[i].path);
	return reply_is_late(p) ? -ETIMEDOUT : 0;
}

static int reply_send_frame(struct reply *p, enum answer_frame kind, struct str bytes)
{
	return frame_send(p->fd, (char)kind, bytes, p->deadline_ns - LAST_FRAME_NS);
}

static int reply_send_host(struct reply *p, const struct archive_file *of, int64_t usec)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	answer_put_host(&b, usec / 1000000, str_of(of->host));
	p->host_sent = true;
	return reply_send_frame(p, ANSWER_HOST, buf_str(&b));
}

/*
 * Send the collected bytes. Returns 0, -EFBIG if the answer becomes too large, or another -errno.
 */
static int reply_send_data(struct reply *p)
{
	p->bytes += p->out.n;
	if (p->bytes > ANSWER_BYTES_MAX)
		return -EFBIG;
	int r = frame_send_all(p->fd, ANSWER_DATA, buf_str(&p->out),
			       p->deadline_ns - LAST_FRAME_NS);
	p->out.n = 0;
	return r;
}

static int reply_put_record(struct reply *p, const struct archive_file *of,
			    const struct record_source *source, const struct record *r)
{
	visible_put(&p->visible, source, r, &p->out);
	int e = p->out.n && !p->host_sent ? reply_send_host(p, of, r->usec) : 0;
	return e == 0 && p->out.n >= PIECE_BYTES ? reply_send_data(p) : e;
}

/* Count file i as unreadable, and close all runs, because the remaining records are missing. */
static void reply_note_unreadable(struct reply *p, size_t i)
{
	p->unreadable += !p->damaged[i];
	p->damaged[i] = true;
	visible_gap(&p->visible);
}

/*
 * Read the records of file i. The second pass leaves out records that were written after the first
 * pass read the file, because the owners of their runs are unknown.
 */
static int reply_read_records(struct reply *p, size_t i, struct input *in)
{
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, NULL);
	const struct record *r;
	uint64_t most = p->visible.second_pass ? p->records[i] : UINT64_MAX, n = 0;
	int e = 0, more = 0;
	visible_file(&p->visible, i);
	for (; e == 0 && n < most && (more = record_next(&source, &r)) > 0; n++) {
		if (p->visible.second_pass)
			e = reply_put_record(p, &p->file[i], &source, r);
		else
			visible_look(&p->visible, &source, r);
		if (reply_is_late(p))
			e = -ETIMEDOUT;
	}
	record_source_end(&source);
	if (more < 0 || p->damaged[i])
		reply_note_unreadable(p, i);
	p->records[i] = n;
	return e;
}

static int reply_read_file(struct reply *p, size_t i)
{
	struct input *in;
	if (p->skipped[i] || input_open(p->file[i].path, &in) < 0) {
		if (p->skipped[i])
			visible_gap(&p->visible);
		else
			reply_note_unreadable(p, i);
		return 0;
	}
	int e = reply_read_records(p, i, in);
	input_free(in);
	return e;
}

static int reply_read_files(struct reply *p, size_t first, size_t end)
{
	int e = 0;
	for (size_t i = first; e == 0 && i < end; i++)
		e = reply_read_file(p, i);
	return e;
}

/*
 * Send the asker's records of one host, whose files have the indexes first to end - 1. A blank line
 * at the end shows that the last record is complete.
 */
static int reply_answer_host(struct reply *p, size_t first, size_t end)
{
	p->visible = (struct visible){ .asker = p->asker, .wanted = p->q };
	p->host_sent = false;
	int e = reply_read_files(p, first, end);
	if (e == 0 && visible_turn(&p->visible))
		e = reply_read_files(p, first, end);
	if (e == 0 && p->host_sent) {
		buf_add_char(&p->out, '\n');
		e = reply_send_data(p);
	}
	p->rows_out += p->visible.rows_out;
	p->marks_out += p->visible.marks_out;
	visible_free(&p->visible);
	return e;
}

static int reply_answer_hosts(struct reply *p)
{
	int e = 0;
	for (size_t i = 0, end; e == 0 && i < p->n; i = end) {
		bool any = false;
		for (end = i; end < p->n && strcmp(p->file[end].host, p->file[i].host) == 0; end++)
			any |= !p->skipped[end];
		if (any)
			e = reply_answer_host(p, i, end);
	}
	return e;
}

static const char *reply_explain(int e)
{
	switch (e) {
	case -EFBIG:
		return "the answer exceeds 1 GB: select a shorter time with --since and --until";
	case -ETIMEDOUT:
		return "the answer takes too long: select a shorter time with --since and --until";
	default:
		return strerror(-e);
	}
}

/* Append a text that tells a human reader what was left out; nothing if the answer is complete. */
static void reply_put_left_out(const struct reply *p, struct buf *b)
{
	if (p->rows_out)
		buf_addf(b, "%llu rows of other jobs and users",
			 (unsigned long long)p->rows_out);
	if (p->marks_out)
		buf_addf(b, "%s%llu marks of other jobs", b->n ? ", " : "",
			 (unsigned long long)p->marks_out);
	if (p->unreadable)
		buf_addf(b, "%s%zu files that cannot be read", b->n ? ", " : "",
			 p->unreadable);
}

static int reply_send_end(struct reply *p, int e)
{
	struct buf text CLEANUP(buf_free) = { 0 }, b CLEANUP(buf_free) = { 0 };
	if (e < 0)
		buf_add(&text, str_of(reply_explain(e)));
	else
		reply_put_left_out(p, &text);
	answer_put_end(&b, e == 0, buf_str(&text));
	return frame_send(p->fd, ANSWER_END, buf_str(&b), p->deadline_ns);
}

static void reply_free(struct reply *p)
{
	archive_list_free(p->file, p->n);
	free(p->skipped);
	free(p->records);
	free(p->damaged);
	words_free(&p->jobs);
	buf_free(&p->out);
}

int reply_refuse(int fd, const char *dir, struct str why, int64_t deadline_ns)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	answer_put_end(&b, false, why);
	int r = frame_send(fd, ANSWER_ARCHIVE, str_of(dir), deadline_ns);
	return r < 0 ? r : frame_send(fd, ANSWER_END, buf_str(&b), deadline_ns);
}

int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns)
{
	struct reply p = { .fd = fd, .asker = asker, .q = q, .deadline_ns = deadline_ns };
	int r = reply_send_frame(&p, ANSWER_ARCHIVE, str_of(dir));
	if (r < 0)
		return r;
	int e = archive_list(dir, &p.file, &p.n, NULL);
	if (e == 0)
		e = reply_choose_files(&p);
	if (e == 0)
		e = reply_answer_hosts(&p);
	r = reply_send_end(&p, e);
	reply_free(&p);
	return r;
}
