/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.c - list the processes in /proc */
#include "base/system/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/vec.h"

#define KEPT_FDS_MAX 1024

int processes_open(struct processes *ps, const struct files *root)
{
	ps->fds_max = files_open_max() / 2;
	if (ps->fds_max > KEPT_FDS_MAX)
		ps->fds_max = KEPT_FDS_MAX;

	int fd = files_open(root, "proc", O_RDONLY | O_DIRECTORY);
	ps->dir = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

void process_close(struct processes *ps, struct process *p)
{
	ps->fds -= p->fd >= 0;
	close_fd(&p->fd);
}

void processes_free(struct processes *ps)
{
	for (size_t i = 0; i < ps->now.n; i++)
		process_close(ps, &ps->now.p[i]);
	free(ps->now.p);
	free(ps->before.p);
	close_fd(&ps->dir);
	ps->now = ps->before = (struct process_table){ 0 };
}

/* Add the process of a directory entry; `end` is the end of all entries. */
static void processes_add(struct process_table *t, const struct dirent64 *e, const char *end)
{
	struct process p = { .inode = e->d_ino, .fd = -1 };
	uint64_t pid;
	if (e->d_name[0] < '1' || e->d_name[0] > '9' || t->n == PROCESSES_MAX)
		return;
	const char *after = str_u64_at(e->d_name, end, &pid);
	if (!after || *after != '\0' || pid > UINT32_MAX)
		return;
	p.pid = (uint32_t)pid;
	memcpy(p.name, e->d_name, (size_t)(after - e->d_name) + 1);
	t->p = vec_reserve(t->p, &t->cap, t->n + 1, sizeof(*t->p));
	t->p[t->n++] = p;
}

static int processes_list(struct processes *ps)
{
	long got;
	if (lseek(ps->dir, 0, SEEK_SET) < 0)
		return -errno;
	while ((got = syscall(SYS_getdents64, ps->dir, ps->entries, sizeof(ps->entries))) > 0)
		for (long at = 0; at < got; ) {
			const struct dirent64 *e = (const void *)(ps->entries + at);
			processes_add(&ps->now, e, ps->entries + got);
			at += e->d_reclen;
		}
	return got < 0 ? -errno : 0;
}

/*
 * Copy the data about each process that is still alive from .before to .now. A reused pid has
 * another inode: the kernel drops the old /proc/PID when its process is reaped (fs/proc/base.c,
 * proc_flush_pid()), even while a file below it is open.
 */
static void processes_carry_over(struct processes *ps)
{
	struct process *old = ps->before.p, *end = old ? old + ps->before.n : NULL;
	for (size_t i = 0; i < ps->now.n; i++) {
		struct process *p = &ps->now.p[i];
		while (old < end && old->pid < p->pid)
			process_close(ps, old++);
		if (old == end || old->pid != p->pid)
			continue;
		if (old->inode == p->inode)
			*p = *old;
		else
			process_close(ps, old);
		old++;
	}
	while (old < end)
		process_close(ps, old++);
}

static int processes_compare_pids(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Sort the processes of a captured folder; the kernel lists pids in order. */
static void processes_sort(struct process_table *t)
{
	size_t i = 1;
	while (i < t->n && t->p[i - 1].pid < t->p[i].pid)
		i++;
	if (i < t->n)
		qsort(t->p, t->n, sizeof(*t->p), processes_compare_pids);
}

int processes_look(struct processes *ps, const struct files *root)
{
	struct process_table spare = ps->before;
	ps->before = ps->now;
	ps->now = spare;
	ps->now.n = 0;

	/* the last open may have failed because too many files were open */
	int r = ps->dir < 0 ? processes_open(ps, root) : 0;
	if (r == 0)
		r = processes_list(ps);
	if (root->in_root)
		processes_sort(&ps->now);
	processes_carry_over(ps);
	return r;
}

int process_owner(const struct processes *ps, const struct process *p, uid_t *ret)
{
	struct stat st;
	if (fstatat(ps->dir, p->name, &st, 0) < 0)
		return -errno;
	*ret = st.st_uid;
	return 0;
}

static int processes_open_status(const struct files *root, const struct process *p)
{
	char path[32];
	snprintf(path, sizeof(path), "proc/%s/status", p->name);
	return files_open(root, path, O_RDONLY);
}

int process_status(struct processes *ps, const struct files *root, struct process *p,
		   struct buf *b, struct str *ret)
{
	/* descriptor that is closed at the end of this call, or -1 */
	int passing CLEANUP(close_fd) = -1;
	int fd = p->fd >= 0 ? p->fd : processes_open_status(root, p);
	if (fd < 0)
		return fd;
	if (p->fd < 0 && ps->fds < ps->fds_max) {
		p->fd = fd;
		ps->fds++;
	}
	if (p->fd < 0)
		passing = fd;

	b->n = 0;
	buf_reserve(b, PROCESS_STATUS_MAX);
	ssize_t got = pread(fd, b->p, PROCESS_STATUS_MAX, 0);
	int r = got < 0 ? -errno : got == PROCESS_STATUS_MAX ? -EFBIG : 0;
	if (r < 0) {
		process_close(ps, p);
		return r;
	}
	b->n = (size_t)got;
	*ret = buf_str(b);
	return 0;
}
