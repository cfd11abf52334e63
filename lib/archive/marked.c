/* SPDX-License-Identifier: BSD-3-Clause */
/* marked.c - drop marks of a request that are already in the archive */
#include "archive/marked.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/names.h"
#include "base/vec.h"
#include "schema/marks.h"

#define READ_FIRST 65536
#define READ_MAX   (16u << 20)	/* limit of bytes to read from one file */
/* us; tolerance in comparing times, because older dialects write whole seconds */
#define MARGIN_US  1000000

static const char key[] = " " MARK_REQUEST_KEY;

/* Marks with a request id that are about to be written. */
struct marked_wanted {
	size_t n, cap;
	struct request_mark {
		struct str request, job;
		enum mark_kind kind;
		/* the mark is in the archive already, or occurs earlier in the text */
		bool there;
	} *mark;
	int64_t since_us;	/* time of the oldest of the requests for these marks */
};

static void marked_free_wanted(struct marked_wanted *w)
{
	free(w->mark);
}

/* Take the next line of the text that is a mark with a request id. */
static bool marked_next_mark(struct str *text, struct str *line)
{
	while (text->n) {
		const char *at = memmem(text->p, text->n, key, sizeof(key) - 1);
		if (!at)
			return false;
		const char *before = memrchr(text->p, '\n', (size_t)(at - text->p));
		*text = str_skip(*text, (size_t)((before ? before + 1 : text->p) - text->p));
		if (str_take_line(text, line) && str_peek(*line) == '%')
			return true;
	}
	return false;
}

static struct request_mark marked_parse(struct str line)
{
	struct mark mark = mark_parse(str_skip(line, 1));
	return (struct request_mark){ mark_request(line), mark.subject, mark.kind, false };
}

static struct request_mark *marked_find(const struct marked_wanted *w,
					const struct request_mark *mark)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->mark[i].kind == mark->kind && str_eq(w->mark[i].job, mark->job) &&
		    str_eq(w->mark[i].request, mark->request))
			return &w->mark[i];
	return NULL;
}

/* List the marks with a request id in the records. Returns true if a mark occurs twice. */
static bool marked_list_wanted(struct marked_wanted *w, struct str groups)
{
	struct str line;
	bool twice = false;
	w->since_us = INT64_MAX;
	while (marked_next_mark(&groups, &line)) {
		struct request_mark mark = marked_parse(line);
		int64_t usec = mark_request_usec(mark.request);
		if (mark.request.n && marked_find(w, &mark))
			twice = true;
		if (!mark.request.n || marked_find(w, &mark))
			continue;
		w->mark = vec_reserve(w->mark, &w->cap, w->n + 1, sizeof(*w->mark));
		w->mark[w->n++] = mark;
		w->since_us = usec < w->since_us ? usec : w->since_us;
	}
	return twice;
}

static bool marked_look_in(struct marked_wanted *w, struct str text)
{
	struct str line;
	bool any = false;
	while (marked_next_mark(&text, &line)) {
		const struct request_mark mark = marked_parse(line);
		struct request_mark *m = marked_find(w, &mark);
		if (m)
			any = m->there = true;
	}
	return any;
}

/* Returns the TIME of the first record that begins in the text, or INT64_MAX if there is none. */
static int64_t marked_first_time(struct str text)
{
	int64_t usec;
	while (text.n) {
		const char *at = memmem(text.p, text.n, "\n\n", 2);
		text = at ? str_skip(text, (size_t)(at + 2 - text.p)) : (struct str){ text.p, 0 };
		struct str rest = text;
		if (str_take_time(&rest, &usec) && str_peek(rest) == ' ')
			return usec;
	}
	return INT64_MAX;
}

/*
 * Search a file for the marks, from its end backwards. Returns true if older files need not be
 * searched: the text read so far has records from before the oldest request, READ_MAX bytes were
 * read, or reading failed.
 */
static bool marked_look_in_file(struct marked_wanted *w, int fd, off_t size, bool *any)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = READ_FIRST;
	for (;; n *= 4) {
		n = (off_t)n < size ? n : (size_t)size;
		b.n = 0;
		buf_reserve(&b, n);
		ssize_t got = pread(fd, b.p, n, size - (off_t)n);
		if (got <= 0)
			return got < 0;
		b.n = (size_t)got;
		bool before = marked_first_time(buf_str(&b)) < w->since_us - MARGIN_US;
		if (!before && (off_t)n < size && n < READ_MAX)
			continue;
		*any |= marked_look_in(w, buf_str(&b));
		return before || n >= READ_MAX;
	}
}

/* Search closed files for the marks, newest file first. */
static void marked_look_in_closed(struct marked_wanted *w, const struct archive *a, bool *any)
{
	struct names names CLEANUP(names_free) = { 0 };
	struct stat st;
	bool before = false;
	if (names_read(&names, a->dirfd, "", NAMES_OF_ALL) < 0)
		return;
	for (size_t i = names.n; i-- > 0 && !before; ) {
		if (!str_is_u64(str_of(names.name[i])))
			continue;
		int fd CLEANUP(close_fd) = openat(a->dirfd, names.name[i], O_RDONLY | O_CLOEXEC |
						  O_NOFOLLOW | O_NONBLOCK);
		if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (a->fd < 0 || st.st_ino != a->inode)
			before = marked_look_in_file(w, fd, st.st_size, any);
	}
}

static bool marked_is_known(const struct marked_wanted *w, struct str line)
{
	if (str_peek(line) != '%')
		return false;
	const struct request_mark mark = marked_parse(line), *m = marked_find(w, &mark);
	return m && m->there;
}

/* Remove a job from the line "TIME JOBS ..." at offset `head` of the text. */
static void marked_remove_job(struct buf *to, size_t head, struct str job)
{
	struct buf new CLEANUP(buf_free) = { 0 };
	struct str rest = str_skip(buf_str(to), head), line, time, jobs, id;
	size_t n = 0;
	if (!str_take_line(&rest, &line) || !str_take_word(&line, &time) ||
	    !str_take_word(&line, &jobs))
		return;
	buf_addf(&new, STR_FMT " ", STR_ARG(time));
	while (str_take_item(&jobs, &id))
		if (!str_eq(id, job))
			buf_addf(&new, "%s" STR_FMT, n++ ? "," : "", STR_ARG(id));
	buf_addf(&new, "%s" STR_FMT "\n" STR_FMT, n ? "" : "-", STR_ARG(line), STR_ARG(rest));
	to->n = head;
	buf_add(to, buf_str(&new));
}

/*
 * Copy the records, without marks that are in the archive already. A mark that occurs twice is
 * copied once.
 */
static void marked_copy_new(struct marked_wanted *w, struct str groups, struct buf *to)
{
	struct str line;
	size_t head = 0;
	bool blank = false;
	while (str_take_line(&groups, &line)) {
		struct mark mark = mark_parse(str_skip(line, line.n > 0));
		if (blank)
			head = to->n;
		blank = line.n == 0;
		if (marked_is_known(w, line)) {
			if (mark.kind == MARK_END)
				marked_remove_job(to, head, mark.subject);
			continue;
		}
		if (str_peek(line) == '%')
			marked_look_in(w, line);
		buf_addf(to, STR_FMT "\n", STR_ARG(line));
	}
}

bool marked_already(const struct archive *a, struct str groups, struct buf *to)
{
	struct marked_wanted w CLEANUP(marked_free_wanted) = { 0 };
	bool any = marked_list_wanted(&w, groups), before = false;
	if (w.n == 0)
		return false;
	if (a->fd >= 0)
		before = marked_look_in_file(&w, a->fd, a->size, &any);
	if (!before)
		marked_look_in_closed(&w, a, &any);
	if (any)
		marked_copy_new(&w, groups, to);
	return any;
}
