/* SPDX-License-Identifier: BSD-3-Clause */
/* job_groups.c - tell if a socket belongs to a job, by the job's cgroups */
#include "collectors/job_groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/privileges.h"
#include "collectors/job_dirs.h"

#define NUMBERS_MAX (1u << 20)

struct job_groups {
	/* path of the cgroup (v2), or a pattern for all its controllers (v1) */
	char path[640];
	bool v2;
	/* sorted: ids of the job's cgroups (v2), or inodes of its sockets (v1) */
	uint64_t *number;
	size_t n, cap;
};

/*
 * Set .path. For v1, escape what glob(3) would take for a pattern: an array job of OpenPBS or
 * Torque is named "12[3].server".
 */
static void groups_set_job(struct job_groups *g, const struct job_dir *d)
{
	size_t n = (size_t)snprintf(g->path, sizeof(g->path), d->v2 ? "/%s/" : "/%s/*/", d->mount);
	g->v2 = d->v2;
	for (const char *c = d->dir; *c && n + 3 < sizeof(g->path); c++) {
		if (!d->v2 && strchr("*?[\\", *c))
			g->path[n++] = '\\';
		g->path[n++] = *c;
	}
	g->path[n] = '\0';
}

static bool groups_find_job(struct job_groups *g, const char *job)
{
	struct shared shared = { .ended = 0 };
	struct source s;
	struct job_dirs dirs = { .n = 0 };
	struct files root;
	bool found = false;

	if (files_open_root(&root, "/") < 0)
		return false;
	source_init(&s, &root, NULL, 0);
	s.shared = &shared;
	s.rescan = true;
	job_dirs_look(&dirs, &s);
	for (size_t i = 0; i < dirs.n && !found; i++) {
		found = strcmp(dirs.job[i].id, job) == 0;
		if (found)
			groups_set_job(g, &dirs.job[i]);
	}
	job_dirs_free(&dirs);
	source_free(&s);
	files_free(&root);
	return found;
}

int job_groups_open(struct job_groups **ret, const char *job)
{
	struct job_groups *g = xrealloc(NULL, sizeof(*g));
	*g = (struct job_groups){ .n = 0 };
	if (!groups_find_job(g, job)) {
		free(g);
		return -ENOENT;
	}
	*ret = g;
	return 0;
}

uint64_t job_groups_number(const struct job_groups *g)
{
	struct stat st;
	return g->v2 && stat(g->path, &st) == 0 ? st.st_ino : 0;
}

static void groups_add_number(struct job_groups *g, uint64_t number)
{
	if (g->n == NUMBERS_MAX)
		return;
	g->number = vec_reserve(g->number, &g->cap, g->n + 1, sizeof(*g->number));
	g->number[g->n++] = number;
}

/* Add the socket's inode from a link to "socket:[4711]" in /proc/PID/fd. */
static void groups_add_link(struct job_groups *g, int dir, const char *name)
{
	char text[64];
	uint64_t inode;
	ssize_t n = readlinkat(dir, name, text, sizeof(text));
	struct str link = { text, n > 0 ? (size_t)n : 0 };

	if (str_take_prefix(&link, STR("socket:[")) && str_take_u64(&link, &inode))
		groups_add_number(g, inode);
}

static void groups_add_process(struct job_groups *g, uint64_t pid)
{
	char path[48];
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	DIR *dir = opendir(path);

	if (!dir)
		return;		/* the process has ended, so it has no sockets */
	for (const struct dirent *d; (d = readdir(dir)); )
		groups_add_link(g, dirfd(dir), d->d_name);
	closedir(dir);
}

static void groups_add_processes(struct job_groups *g, const char *group)
{
	char path[700];
	struct str text, line;
	uint64_t pid;
	struct buf b CLEANUP(buf_free) = { 0 };

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || files_read_fd(fd, FILE_TO_END, &b, &text) < 0)
		return;
	while (str_take_line(&text, &line))
		if (str_take_u64(&line, &pid))
			groups_add_process(g, pid);
}

/* global, because nftw(3) passes no argument to its callback */
static struct job_groups *visited;

static int groups_visit_directory(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)at;
	if (kind == FTW_D && visited->v2)
		groups_add_number(visited, st->st_ino);
	else if (kind == FTW_D)
		groups_add_processes(visited, path);
	return 0;
}

/*
 * Visit the job's cgroup under every v1 controller, because a scheduler may use only some
 * controllers.
 */
static void groups_visit_controllers(const char *pattern)
{
	glob_t found;
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			(void)nftw(found.gl_pathv[i], groups_visit_directory, 16, FTW_PHYS);
	globfree(&found);
}

static int groups_compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/*
 * With cgroups v1, reading /proc/PID/fd of other users' processes needs CAP_SYS_PTRACE
 * (proc_pid_fd(5)).
 */
uint64_t job_groups_needs(const struct job_groups *g)
{
	return g->v2 ? PRIVILEGE_SEARCH : PRIVILEGE_SEARCH | PRIVILEGE_PTRACE;
}

void job_groups_look(struct job_groups *g)
{
	g->n = 0;
	visited = g;
	/* without the capabilities, only the sockets of this user are found */
	(void)!privileges_use(job_groups_needs(g));
	if (g->v2)
		(void)nftw(g->path, groups_visit_directory, 16, FTW_PHYS);
	else
		groups_visit_controllers(g->path);
	privileges_rest();
	if (g->n)
		qsort(g->number, g->n, sizeof(*g->number), groups_compare_numbers);
}

bool job_groups_has(const struct job_groups *g, const struct socket_seen *s)
{
	uint64_t number = g->v2 ? s->cgroup : s->inode;
	return number && g->n &&
	       bsearch(&number, g->number, g->n, sizeof(number), groups_compare_numbers);
}

void job_groups_free(struct job_groups *g)
{
	if (g)
		free(g->number);
	free(g);
}
