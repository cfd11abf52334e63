/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_call.c - handle a FUSE request from its arrival to its record and reply */
#include "filetrace/mount/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void call_begin(struct fs_call *c, fuse_req_t req, enum operation op)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	c->fs = fuse_req_userdata(req);
	c->req = req;
	c->as = (struct caller){ ctx->uid, ctx->gid, ctx->pid };
	c->umask = ctx->umask;
	c->e = (struct event){ .start = clock_ns(CLOCK_REALTIME), .op = op };
	c->began = monotonic_ns();
	c->handle = NULL;
	c->follow = false;
}

int call_enter(struct fs_call *c, fuse_ino_t number, const char *name)
{
	struct fs_node *node = node_of_number(&c->fs->nodes, number);
	pthread_rwlock_rdlock(&c->fs->nodes.paths);
	c->at = node_path(&c->fs->nodes, node, name, c->path, &c->follow);
	if (!name)
		c->e.is_dir = S_ISDIR(node->type);
	if (c->follow)
		node_opened_path(&c->fs->nodes, node, c->opened_as);
	if (c->at == 0)
		c->at = caller_enter(&c->as, c->umask);
	return c->at;
}

void call_leave(struct fs_call *c)
{
	if (c->at == 0)
		caller_leave(&c->as);
	pthread_rwlock_unlock(&c->fs->nodes.paths);
}

void call_enter_open(struct fs_call *c, struct handle *h)
{
	c->handle = h;
	c->e.is_dir = S_ISDIR(h->node->type);
	c->at = node_path(&c->fs->nodes, h->node, NULL, c->path, &c->follow);
	if (c->follow)
		snprintf(c->opened_as, sizeof(c->opened_as), "%s", h->path);
}

int call_stat(const struct fs_call *c, struct stat *st)
{
	int flags = c->follow ? 0 : AT_SYMLINK_NOFOLLOW;
	return fstatat(AT_FDCWD, c->path, st, flags) < 0 ? -errno : 0;
}

int call_entry(struct fs_call *c, fuse_ino_t parent, const char *name,
	       struct fuse_entry_param *entry)
{
	memset(entry, 0, sizeof(*entry));
	int r = call_stat(c, &entry->attr);
	if (r < 0)
		return r;
	struct nodes *n = &c->fs->nodes;
	struct fs_node *node = node_found(n, node_of_number(n, parent), name, &entry->attr);
	entry->ino = node_number(n, node);
	entry->generation = node->generation;
	entry->attr_timeout = entry->entry_timeout = c->fs->timeout;
	return 0;
}

/* Store the path of the file below the traced directory, or "" if the file has no path. */
static void call_put_shadow_path(const struct fs_call *c, struct buf *b)
{
	const char *path = c->follow ? c->opened_as : c->path;
	if (c->at < 0)
		path = c->handle ? c->handle->path : "";
	b->n = 0;
	if (!*path)
		return;
	buf_add(b, str_of(c->fs->shadow));
	if (strcmp(path, ".") == 0)
		return;
	buf_add_char(b, '/');
	buf_add(b, str_of(path));
}

/*
 * Find the executable of the process. A process that is exiting or inside execve(2) has no
 * executable to read while its files are closed. In this case use the executable recorded at the
 * open.
 */
static void call_put_executable(const struct fs_call *c, pid_t process, struct buf *to)
{
	const struct opener *by = c->handle ? &c->handle->by : NULL;
	bool closes = by && (c->e.op == OP_FLUSH || (c->e.op == OP_CLOSE && c->fs->with_owner));
	to->n = 0;
	if (!closes)
		caller_executable(process, to);
	if (by && to->n == 0 && (closes || (process != 0 && by->pid == (uint32_t)process)))
		buf_add(to, str_of(by->process));
}

/*
 * Set the caller. With --owner, the caller of a close is the opener, since the kernel does not name
 * the process that releases a file.
 */
static void call_set_caller(struct fs_call *c, pid_t process, struct buf *executable)
{
	const struct opener *by = c->handle ? &c->handle->by : NULL;
	bool owned = by && c->e.op == OP_CLOSE && c->fs->with_owner;
	c->e.uid = owned ? by->uid : c->as.uid;
	c->e.gid = owned ? by->gid : c->as.gid;
	c->e.pid = owned ? by->pid : (uint32_t)process;
	call_put_executable(c, process, executable);
	c->e.process = buf_str(executable);
	c->e.user = caller_user(c->e.uid);
	c->e.group = caller_group(c->e.gid);
}

struct scratch {
	struct buf executable, path, line;
};

/* Fill in the caller and the path, which records and XRootD reports need. */
static void call_set_caller_and_path(struct fs_call *c, pid_t process, struct scratch *s)
{
	call_set_caller(c, process, &s->executable);
	if (c->e.op == OP_STATFS) {
		c->e.path = str_of(c->fs->mount);
		return;
	}
	call_put_shadow_path(c, &s->path);
	c->e.path = buf_str(&s->path);
}

static void call_put_record(const struct fs_call *c, struct scratch *s)
{
	struct fs *fs = c->fs;
	s->line.n = 0;
	fs->form.put(&s->line, &c->e, fs->form.with_result);
	trace_recorder_put(&fs->to, buf_str(&s->line));
}

static void call_count_transfer(const struct fs_call *c)
{
	struct xrootd_sender *to = c->fs->xrootd;
	if (!to || !c->handle || c->e.result)
		return;
	if (c->e.op == OP_READ || c->e.op == OP_COPY)
		sender_read(to, c->handle, c->e.done);
	else if (c->e.op == OP_WRITE)
		sender_written(to, c->handle, c->e.done);
	else if (c->e.op == OP_CLOSE)
		sender_closed(to, c->handle);
}

static bool call_opens_file(const struct fs_call *c)
{
	return c->fs->xrootd && c->handle && (c->e.op == OP_OPEN || c->e.op == OP_CREAT);
}

/* Return the buffers of this thread, which are reused for each request. */
static struct scratch *call_get_scratch(void);

/*
 * Return true if the process belongs to the job of --job. During execve(2) the kernel closes files
 * with exec_update_lock held. open(2) of /proc/PID/environ, and since Linux 6.18 readlink(2) of
 * exe, would wait for this lock forever. A flush therefore uses the answer found at the open.
 */
static bool call_is_in_job(const struct fs_call *c, pid_t process)
{
	if (!c->fs->job)
		return true;
	if (c->e.op == OP_FLUSH && c->handle)
		return c->handle->by.in_job;
	return caller_in_job(process, str_of(c->fs->job));
}

void call_end(struct fs_call *c, int result)
{
	c->e.ns = monotonic_ns() - c->began;
	bool recorded = c->fs->recorded & OPERATION(c->e.op) && c->e.ns >= c->fs->slow;
	bool opens = call_opens_file(c);
	c->e.result = -result;
	call_count_transfer(c);
	if (!recorded && !opens)
		return;
	pid_t process = caller_process(c->as.thread);
	if (c->fs->pid && process != c->fs->pid)
		return;
	if (!call_is_in_job(c, process))
		return;
	struct scratch *s = call_get_scratch();
	call_set_caller_and_path(c, process, s);
	if (recorded)
		call_put_record(c, s);
	if (opens)
		sender_opened(c->fs->xrootd, c->handle, &c->e);
}

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;

static void call_free_scratch(void *arg)
{
	struct scratch *s = arg;
	buf_free(&s->executable);
	buf_free(&s->path);
	buf_free(&s->line);
	free(s);
}

static void call_make_scratch_key(void)
{
	if (pthread_key_create(&scratch_key, call_free_scratch) != 0)
		abort();
}

static struct scratch *call_get_scratch(void)
{
	pthread_once(&scratch_once, call_make_scratch_key);
	struct scratch *s = pthread_getspecific(scratch_key);
	if (!s) {
		s = xrealloc(NULL, sizeof(*s));
		memset(s, 0, sizeof(*s));
		pthread_setspecific(scratch_key, s);
	}
	return s;
}

void reply_result(struct fs_call *c, int result)
{
	call_end(c, result);
	fuse_reply_err(c->req, -result);
}

void reply_entry(struct fs_call *c, int result, const struct fuse_entry_param *entry)
{
	call_end(c, result);
	if (result < 0)
		fuse_reply_err(c->req, -result);
	else if (fuse_reply_entry(c->req, entry) == -ENOENT)	/* the caller was interrupted */
		node_forget(&c->fs->nodes, node_of_number(&c->fs->nodes, entry->ino), 1);
}
