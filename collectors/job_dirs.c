/* SPDX-License-Identifier: BSD-3-Clause */
/* job_dirs.c - find the cgroups of jobs of batch schedulers */
#include "collectors/job_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/vec.h"
#include "collectors/job_layouts.h"
#include "collectors/job_names.h"
#include "collectors/job_owners.h"
#include "collectors/job_path.h"

struct job_walk {
	struct job_dirs *jobs;
	struct source *s;
	const struct job_layout *layout;
	const struct job_mount *tree;
	size_t skip;		/* offset in .path of the path below the mount point */
	struct job_path path;
};

void job_dirs_free(struct job_dirs *j)
{
	for (size_t i = 0; i < j->watches; i++)
		close_fd(&j->watch[i].fd);
	for (size_t i = 0; i < JOB_DEPTH; i++)
		names_free(&j->names[i]);
	free(j->job);
	*j = (struct job_dirs){ 0 };
}

/* Set the job's id and device. Returns false if the id is not known yet. */
static bool job_dirs_name(struct job_walk *w, struct job_dir *job, struct str id)
{
	struct job_dirs *j = w->jobs;
	int e = job_layout_name(w->s, w->layout, w->path.text, id, job->id, sizeof(job->id),
				&j->why);
	job->slot = e == -ENOENT;
	if (e < 0 && !job->slot)
		return false;

	bool taken = false;
	for (size_t i = 0; i < j->n; i++)
		taken |= strcmp(j->job[i].device, job->id) == 0;
	str_copy(job->device, sizeof(job->device), str_of(taken ? job->dir : job->id));
	return true;
}

/*
 * Returns true if the job is in the list. HTCondor creates a slot's directory again for each job,
 * perhaps between two walks, so a directory with another inode belongs to another job.
 */
static bool job_dirs_has(struct job_walk *w, const struct job_dir *new)
{
	struct job_dirs *j = w->jobs;
	size_t i = 0;
	while (i < j->n && (j->job[i].v2 != new->v2 || strcmp(j->job[i].dir, new->dir) != 0))
		i++;
	if (i < j->n && (j->job[i].seen || j->job[i].inode == new->inode)) {
		j->job[i].bare &= new->bare;
		return j->job[i].seen = true;
	}
	if (i < j->n)
		j->job[i] = j->job[--j->n];
	return false;
}

static void job_dirs_add(struct job_walk *w, struct str id)
{
	struct job_dirs *j = w->jobs;
	struct job_dir new = {
		.mount = w->tree->mount, .v2 = !w->tree->controller, .seen = true,
		.bare = w->tree->bare, .users = w->layout->users,
	};
	struct stat st;
	bool slot = w->layout->slot;
	int fd CLEANUP(close_fd) = slot ? files_open(&w->s->files, w->path.text, O_RDONLY) : -1;
	if (fd >= 0 && fstat(fd, &st) == 0)
		new.inode = st.st_ino;
	if (id.n == 0 || !str_copy(new.dir, sizeof(new.dir), str_of(w->path.text + w->skip)) ||
	    (w->layout->sluid && !job_is_sluid(id)))
		return;
	if (job_dirs_has(w, &new))
		return;
	if (j->n == JOB_DIRS_MAX) {
		j->full = true;
		return;
	}
	if (!job_dirs_name(w, &new, id)) {
		j->stale = true;	/* the id is not known yet: try again at the next call */
		return;
	}
	j->job = vec_reserve(j->job, &j->cap, j->n + 1, sizeof(*j->job));
	j->job[j->n++] = new;
}

static bool has_procs(int fd)
{
	struct stat st;
	return fstatat(fd, "cgroup.procs", &st, 0) == 0;
}

static void job_dirs_watch(struct job_dirs *j, int fd, const struct stat *st)
{
	for (size_t i = 0; i < j->watches; i++)
		if (j->watch[i].dev == st->st_dev && j->watch[i].inode == st->st_ino) {
			close_fd(&fd);
			return;
		}
	if (j->watches == JOB_WATCHES) {
		/* too many directories to watch: new jobs in this one are found at a rescan only */
		close_fd(&fd);
		return;
	}
	j->watch[j->watches].fd = fd;
	j->watch[j->watches].dev = st->st_dev;
	j->watch[j->watches].inode = st->st_ino;
	j->watch[j->watches].procs = has_procs(fd);
	j->watch[j->watches++].links = st->st_nlink;
}

/*
 * List the directory w->path in names[depth], and watch the directory. Skip a directory of an
 * ordinary user, who could fill it with names.
 */
static bool job_dirs_list(struct job_walk *w, size_t depth)
{
	struct names *names = &w->jobs->names[depth];
	struct stat st;
	int fd = job_open_known(w->s, w->path.text, &st);
	if (fd < 0)
		return false;
	if (names_read(names, fd, "", NAMES_OF_DIRECTORIES) < 0) {
		close_fd(&fd);
		return false;
	}
	job_dirs_watch(w->jobs, fd, &st);
	return true;
}

/* Watch the closest existing ancestor of a missing directory. */
static void watch_parent(struct job_walk *w)
{
	struct stat st;
	int fd = -1;
	while (fd < 0 && w->path.n > 0) {
		fd = job_open_known(w->s, w->path.text, &st);
		if (fd == -EACCES)
			return;
		const char *path = w->path.text, *slash = memrchr(path, '/', w->path.n);
		if (fd < 0)
			job_path_leave(&w->path, slash ? (size_t)(slash - path) : 0);
	}
	if (fd >= 0)
		job_dirs_watch(w->jobs, fd, &st);
}

/*
 * Find the jobs below w->path. path is the part of the pattern that is still to be matched; its
 * last component contains {job}.
 */
static void job_dirs_walk(struct job_walk *w, struct str path, size_t depth)
{
	struct str part, id;
	size_t here = w->path.n;
	bool last = !str_take_until(&path, '/', &part);
	if (last)
		part = path;
	if (!last && !str_has(part, '*')) {
		if (job_may_enter(w->s, w->path.text) && job_path_enter(&w->path, part))
			job_dirs_walk(w, path, depth + 1);
		job_path_leave(&w->path, here);
		return;
	}

	const struct names *names = &w->jobs->names[depth];
	if (!job_dirs_list(w, depth)) {
		watch_parent(w);
		job_path_leave(&w->path, here);
		return;
	}
	w->jobs->scheduler |= last && !w->layout->common && !w->tree->bare;
	for (size_t i = 0; i < names->n; i++) {
		struct str name = str_of(names->name[i]);
		if (!job_name_matches(part, name, &id) || !job_path_enter(&w->path, name))
			continue;
		if (last)
			job_dirs_add(w, id);
		else
			job_dirs_walk(w, path, depth + 1);
		job_path_leave(&w->path, here);
	}
}

static void job_dirs_walk_tree(struct job_dirs *j, struct source *s, const struct job_mount *tree)
{
	struct job_walk w = { .jobs = j, .s = s, .tree = tree };
	int version = tree->controller ? JOB_V1 : JOB_V2;
	for (size_t i = 0; i < n_job_layouts; i++) {
		w.layout = &job_layouts[i];
		if (!(w.layout->versions & version) || (w.layout->common && !job_owners_any(s)))
			continue;
		w.path.n = (size_t)snprintf(w.path.text, sizeof(w.path.text),
					    tree->controller ? "%s/%s" : "%s", tree->mount,
					    tree->controller);
		w.skip = w.path.n + 1;
		job_dirs_walk(&w, str_of(w.layout->path), 0);
	}
}

/*
 * A directory has changed if its link count differs or its file cgroup.procs has gone. Both are
 * checked, because a removed cgroup keeps its link count.
 */
bool job_dirs_changed(const struct job_dirs *j)
{
	struct stat st;
	for (size_t i = 0; i < j->watches; i++)
		if (fstat(j->watch[i].fd, &st) < 0 || st.st_nlink != j->watch[i].links ||
		    (j->watch[i].procs && !has_procs(j->watch[i].fd)))
			return true;
	return false;
}

bool job_dirs_look(struct job_dirs *j, struct source *s)
{
	if (j->walked && !s->rescan && !j->stale && !job_dirs_changed(j))
		return false;

	for (size_t i = 0; i < j->watches; i++)
		close_fd(&j->watch[i].fd);
	for (size_t i = 0; i < j->n; i++)
		j->job[i].seen = false;
	j->watches = 0;
	j->stale = j->scheduler = j->full = false;
	j->walked = true;
	for (size_t i = 0; i < n_job_mounts; i++)
		/* use a mount that shows no values of jobs only if no other mount shows the jobs */
		if (!job_mounts[i].bare || !j->scheduler)
			job_dirs_walk_tree(j, s, &job_mounts[i]);

	size_t kept = 0;
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].seen)
			j->job[kept++] = j->job[i];
	j->n = kept;
	s->why[0] = '\0';
	return true;
}
