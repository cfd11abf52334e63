/* SPDX-License-Identifier: BSD-3-Clause */
/* job_groups.c - the control groups of a job, by which the kernel says whose a socket is */
#include "tracers/tcp/job_groups.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "collectors/job_dirs.h"

#define GROUPS_MAX 65536

struct job_groups {
	char path[640];
	uint64_t *id;	/* inodes of its directories: the kernel's numbers of groups (5.5) */
	size_t n, cap;
};

static bool find(struct job_groups *g, const char *job)
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
		const struct job_dir *d = &dirs.job[i];
		found = d->v2 && strcmp(d->id, job) == 0;
		snprintf(g->path, sizeof(g->path), "/%s/%s", d->mount, d->dir);
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
	if (!find(g, job)) {
		free(g);
		return -ENOENT;
	}
	*ret = g;
	return 0;
}

static struct job_groups *looking;	/* nftw(3) hands nothing through */

static int take_directory(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	struct job_groups *g = looking;
	(void)path, (void)at;
	if (kind != FTW_D || g->n == GROUPS_MAX)
		return 0;
	g->id = vec_reserve(g->id, &g->cap, g->n + 1, sizeof(*g->id));
	g->id[g->n++] = st->st_ino;
	return 0;
}

void job_groups_look(struct job_groups *g)
{
	g->n = 0;
	looking = g;
	(void)nftw(g->path, take_directory, 16, FTW_PHYS);
}

bool job_groups_has(const struct job_groups *g, uint64_t cgroup)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->id[i] == cgroup)
			return true;
	return false;
}

void job_groups_free(struct job_groups *g)
{
	if (g)
		free(g->id);
	free(g);
}
