/* SPDX-License-Identifier: BSD-3-Clause */
/* call_read.c - convert records of system calls from the BPF programs to events */
#include "filetrace/calls/call_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "filetrace/calls/call_kinds.h"

/*
 * Results that the kernel uses internally for a call that a signal interrupts:
 * include/linux/errno.h
 */
#define RESTART_FIRST 512	/* ERESTARTSYS */
#define RESTART_LAST  516	/* ERESTART_RESTARTBLOCK */

#define ERRNO_MAX 4095	/* Linux: MAX_ERRNO in include/linux/err.h */
/* limit of a time in bits: 2^61 ns are 73 years, more than CLOCK_MONOTONIC reaches */
#define TIME_BITS 61

static void calls_store_path(struct call_reader *c, uint64_t id, const struct buf *text)
{
	char **at = &c->path[id % CALL_PATHS].text;
	free(*at);
	*at = xstrdup(text->n ? buf_str(text) : STR("/"));
	c->path[id % CALL_PATHS].id = id;
}

/* Store a path under its id. The names in the record come last to first: "c\0b\0a\0" is /a/b/c. */
static int calls_read_path(struct call_reader *c, struct str record)
{
	struct path_record r;
	if (record.n < sizeof(r))
		return -EBADMSG;
	memcpy(&r, record.p, sizeof(r));
	struct str names = str_skip(record, sizeof(r));
	if (r.id == 0 || r.n > names.n || r.n > CALL_TEXT + 256 ||
	    (r.n && names.p[r.n - 1] != '\0'))
		return -EBADMSG;
	c->from.n = 0;
	for (size_t end = r.n, at; end; end = at) {
		at = end - 1;
		while (at && names.p[at - 1] != '\0')
			at--;
		buf_add_char(&c->from, '/');
		buf_add(&c->from, (struct str){ names.p + at, end - 1 - at });
	}
	calls_store_path(c, r.id, &c->from);
	return -EAGAIN;
}

/* Return a path by its id, or "" if the id is 0 or no longer known. */
static struct str calls_path_of(const struct call_reader *c, uint64_t id)
{
	bool known = id && c->path[id % CALL_PATHS].id == id;
	return known ? str_of(c->path[id % CALL_PATHS].text) : STR("");
}

/*
 * Return the path argument of a call as an absolute path. base is the id of the directory from
 * which a relative path starts.
 */
static struct str calls_join_path(const struct call_reader *c, uint64_t base, struct str text,
				  struct buf *b)
{
	struct str dir = calls_path_of(c, base);
	b->n = 0;
	if (text.n == 0)
		return dir;
	if (str_peek(text) == '/')
		return text;
	while (str_take_prefix(&text, STR("./")))
		;
	buf_add(b, dir);
	if (!str_ends(dir, STR("/")))
		buf_add_char(b, '/');
	buf_add(b, text);
	return buf_str(b);
}

static int calls_result_of(long long result)
{
	if (result >= 0)
		return 0;
	return -result >= RESTART_FIRST && -result <= RESTART_LAST ? EINTR : (int)-result;
}

static void calls_set_opened(struct event *e, const struct call_record *r,
			     const struct call_name *by)
{
	e->flags = r->flags | by->flags;
	e->op = r->created ? OP_CREAT : OP_OPEN;
	e->mode = r->created ? r->mode & ~r->umask & 07777 : e->flags & 0777;
}

/* Set the values of the operation, including those that its output line does not show. */
static void calls_set_values(struct event *e, const struct call_record *r,
			     const struct call_name *by)
{
	e->flags = r->flags | by->flags;
	e->mode = r->mode & ~r->umask & 07777;
	e->size = r->size;
	e->requested = r->requested;
	e->done = r->result > 0 ? (uint64_t)r->result : 0;
	e->position = e->op == OP_LSEEK ? e->done : r->position;
	if (e->op == OP_ACCESS)
		e->flags &= R_OK | W_OK | X_OK;
	if (by->kind.opens)
		calls_set_opened(e, r, by);
	e->is_dir = S_ISDIR(r->file_mode) || e->op == OP_MKDIR ||
		    (e->op == OP_UNLINK && e->flags & AT_REMOVEDIR) ||
		    (e->result == 0 && by->flags == X_OK);
}

static int calls_read_call(struct call_reader *c, struct str record, struct event *ret)
{
	struct call_record r;
	if (record.n < sizeof(r))
		return -EBADMSG;
	memcpy(&r, record.p, sizeof(r));
	struct str text = str_skip(record, sizeof(r));
	const struct call_name *by = call_name(r.number);
	if (!by || r.n > text.n || r.to_n > text.n - r.n || text.n > 2 * CALL_TEXT ||
	    (r.start | r.ns) >> TIME_BITS || r.result < -ERRNO_MAX)
		return -EBADMSG;
	struct str to = { text.p + r.n, strnlen(text.p + r.n, r.to_n) };
	struct event e = {
		.start = c->epoch + (int64_t)r.start, .ns = (int64_t)r.ns,
		.uid = r.uid, .gid = r.gid, .pid = r.pid, .process = calls_path_of(c, r.exe),
		.op = by->kind.op, .result = calls_result_of(r.result),
	};
	text.n = strnlen(text.p, r.n);
	calls_set_values(&e, &r, by);
	e.path = calls_join_path(c, r.file, text, &c->from);
	e.text = by->kind.text ? to : calls_join_path(c, r.to_file, to, &c->to);
	*ret = e;
	return 0;
}

int call_read(struct call_reader *c, struct str record, struct event *ret)
{
	unsigned kind;
	if (record.n < sizeof(kind))
		return -EBADMSG;
	memcpy(&kind, record.p, sizeof(kind));
	return kind == RECORD_CALL ? calls_read_call(c, record, ret) :
	       kind == RECORD_PATH ? calls_read_path(c, record) : -EBADMSG;
}

void call_reader_free(struct call_reader *c)
{
	for (size_t i = 0; i < CALL_PATHS; i++)
		free(c->path[i].text);
	buf_free(&c->from);
	buf_free(&c->to);
	memset(c, 0, sizeof(*c));
}
