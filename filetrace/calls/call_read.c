/* SPDX-License-Identifier: BSD-3-Clause */
/* call_read.c - records of system calls, as the kernel's programs made them, as events */
#include "tracers/files/calls/call_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracers/files/calls/call_kinds.h"

/* A call that a signal ends has one of these inside the kernel: include/linux/errno.h */
#define RESTART_FIRST 512	/* ERESTARTSYS */
#define RESTART_LAST  516	/* ERESTART_RESTARTBLOCK */

#define ERRNO_MAX 4095	/* MAX_ERRNO, include/linux/err.h */
#define TIME_BITS 61	/* of nanoseconds: 73 years, which CLOCK_MONOTONIC does not reach */

static void keep_path(struct call_reader *c, uint64_t id, const struct buf *text)
{
	char **at = &c->path[id % CALL_PATHS].text;
	free(*at);
	*at = xstrdup(text->n ? buf_str(text) : STR("/"));
	c->path[id % CALL_PATHS].id = id;
}

/* "c\0b\0a\0" is /a/b/c. */
static int take_path(struct call_reader *c, struct str record)
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
	keep_path(c, r.id, &c->from);
	return -EAGAIN;
}

/* "" where the file has none. */
static struct str path_of(const struct call_reader *c, uint64_t id)
{
	bool known = id && c->path[id % CALL_PATHS].id == id;
	return known ? str_of(c->path[id % CALL_PATHS].text) : STR("");
}

/* The text that a call was given, below the directory that it begins at. */
static struct str join(const struct call_reader *c, uint64_t base, struct str text, struct buf *b)
{
	struct str dir = path_of(c, base);
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

static int result_of(long long result)
{
	if (result >= 0)
		return 0;
	return -result >= RESTART_FIRST && -result <= RESTART_LAST ? EINTR : (int)-result;
}

static void take_opened(struct event *e, const struct call_record *r, const struct call_name *by)
{
	e->flags = r->flags | by->flags;
	e->op = r->created ? OP_CREAT : OP_OPEN;
	e->mode = r->created ? r->mode & ~r->umask & 07777 : e->flags & 0777;
}

/* Values that some operations have, and others do not show. */
static void take_values(struct event *e, const struct call_record *r, const struct call_name *by)
{
	e->flags = r->flags | by->flags;
	e->mode = r->mode & ~r->umask & 07777;
	e->size = r->size;
	e->asked = r->asked;
	e->done = r->result > 0 ? (uint64_t)r->result : 0;
	e->position = e->op == OP_LSEEK ? e->done : r->position;
	if (e->op == OP_ACCESS)
		e->flags &= R_OK | W_OK | X_OK;
	if (by->kind.opens)
		take_opened(e, r, by);
	e->is_dir = S_ISDIR(r->file_mode) || e->op == OP_MKDIR ||
		    (e->op == OP_UNLINK && e->flags & AT_REMOVEDIR) ||
		    (e->result == 0 && by->flags == X_OK);
}

static int take_call(struct call_reader *c, struct str record, struct event *ret)
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
		.uid = r.uid, .gid = r.gid, .pid = r.pid, .process = path_of(c, r.exe),
		.op = by->kind.op, .result = result_of(r.result),
	};
	text.n = strnlen(text.p, r.n);
	take_values(&e, &r, by);
	e.path = join(c, r.file, text, &c->from);
	e.text = by->kind.text ? to : join(c, r.to_file, to, &c->to);
	*ret = e;
	return 0;
}

int call_read(struct call_reader *c, struct str record, struct event *ret)
{
	unsigned kind;
	if (record.n < sizeof(kind))
		return -EBADMSG;
	memcpy(&kind, record.p, sizeof(kind));
	return kind == RECORD_CALL ? take_call(c, record, ret) :
	       kind == RECORD_PATH ? take_path(c, record) : -EBADMSG;
}

void call_reader_free(struct call_reader *c)
{
	for (size_t i = 0; i < CALL_PATHS; i++)
		free(c->path[i].text);
	buf_free(&c->from);
	buf_free(&c->to);
	memset(c, 0, sizeof(*c));
}
