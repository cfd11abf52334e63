/* SPDX-License-Identifier: BSD-3-Clause */
/* job_ends.c - detect the end of the last process of a job or step with inotify(7) */
#include "collectors/job_ends.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "base/vec.h"
#include "collectors/job_names.h"
#include "collectors/job_path.h"

/* A search for the directories with a job's processes. */
struct job_ends_watcher {
	struct job_ends *ends;
	struct source *s;
	uint64_t job;
	size_t n_watched;
	bool runs;
	struct job_path path;
};

static void job_ends_drop(struct job_ends *e, size_t i)
{
	inotify_rm_watch(e->fd, e->watch[i].wd);
	e->watch[i] = e->watch[--e->n];
}

void job_ends_free(struct job_ends *e)
{
	while (e->n)
		job_ends_drop(e, e->n - 1);
	free(e->watch);
	for (size_t i = 0; i < ARRAY_SIZE(e->names); i++)
		names_free(&e->names[i]);
	*e = (struct job_ends){ 0 };
}

void job_ends_forget(struct job_ends *e, uint64_t job)
{
	for (size_t i = e->n; i-- > 0; )
		if (e->watch[i].job == job)
			job_ends_drop(e, i);
}

static struct job_end *job_ends_find(const struct job_ends *e, int wd)
{
	size_t i = 0;
	while (i < e->n && e->watch[i].wd != wd)
		i++;
	return i < e->n ? &e->watch[i] : NULL;
}

/* Watch a directory or file. Watching the same one twice has no effect. */
static void job_ends_watch(struct job_ends_watcher *l, int fd, uint32_t what)
{
	struct job_ends *e = l->ends;
	char path[32];

	if (l->n_watched == JOB_ENDS_OF_JOB)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int wd = inotify_add_watch(e->fd, path, what);
	if (wd < 0)
		return;
	struct job_end *w = job_ends_find(e, wd);
	if (!w && e->n == JOB_ENDS_MAX) {
		inotify_rm_watch(e->fd, wd);
		return;
	}
	if (!w) {
		e->watch = vec_reserve(e->watch, &e->cap, e->n + 1, sizeof(*e->watch));
		w = &e->watch[e->n++];
	}
	*w = (struct job_end){ .wd = wd, .job = l->job, .wanted = true };
	l->n_watched++;
}

/* Check if a cgroup has processes. Start to watch the file before reading it, to miss no change. */
static void job_ends_watch_group(struct job_ends_watcher *l)
{
	struct str text, line;
	size_t here = l->path.n;
	int fd CLEANUP(close_fd) = job_path_enter(&l->path, STR("cgroup.events")) ?
		files_open(&l->s->files, l->path.text, O_RDONLY) : -1;
	job_path_leave(&l->path, here);
	if (fd < 0)
		return;
	job_ends_watch(l, fd, IN_MODIFY);
	if (source_read_fd(l->s, fd, &text) < 0)
		return;
	while (str_take_line(&text, &line))
		l->runs |= str_eq(line, STR("populated 1"));
}

static void job_ends_walk(struct job_ends_watcher *l, struct str pattern, size_t depth)
{
	struct names *names = &l->ends->names[depth];
	struct str part = pattern, id;
	size_t here = l->path.n;
	bool last = !str_take_until(&pattern, '/', &part);
	int fd CLEANUP(close_fd) = files_open(&l->s->files, l->path.text, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return;
	job_ends_watch(l, fd, IN_CREATE | IN_DELETE | IN_ONLYDIR);
	if (names_read(names, fd, "", NAMES_OF_DIRECTORIES) < 0)
		return;
	for (size_t i = 0; i < names->n; i++) {
		struct str name = str_of(names->name[i]);
		if (!job_name_matches(part, name, &id) || !job_path_enter(&l->path, name))
			continue;
		if (last)
			job_ends_watch_group(l);
		else
			job_ends_walk(l, pattern, depth + 1);
		job_path_leave(&l->path, here);
	}
}

bool job_ends_look(struct job_ends *e, struct source *s, const struct job_last *j)
{
	struct job_ends_watcher l = { .ends = e, .s = s, .job = j->number };

	for (size_t i = 0; i < e->n; i++)
		e->watch[i].wanted = e->watch[i].job != j->number;
	l.path.n = (size_t)snprintf(l.path.text, sizeof(l.path.text), "%s/%s", j->mount, j->dir);
	if (j->users)
		job_ends_walk(&l, str_of(j->users), 0);
	else
		job_ends_watch_group(&l);
	for (size_t i = e->n; i-- > 0; )
		if (!e->watch[i].wanted)
			job_ends_drop(e, i);
	return l.runs;
}

static bool job_ends_handle_event(struct job_ends *e, struct job_lasts *l,
				  const struct inotify_event *event)
{
	struct job_end *w = job_ends_find(e, event->wd);
	bool all = event->mask & IN_Q_OVERFLOW, any = false;

	if (w && (event->mask & IN_IGNORED)) {
		*w = e->watch[--e->n];
		return false;
	}
	for (size_t i = 0; i < l->n && (w || all); i++) {
		struct job_last *j = &l->job[i];
		if (!all && j->number != w->job)
			continue;
		any = j->changed = true;
		j->ended &= !all && !(event->mask & IN_CREATE);
		j->ran |= (event->mask & IN_MODIFY) != 0;
	}
	return any;
}

bool job_ends_read(struct job_ends *e, struct job_lasts *l)
{
	union {
		struct inotify_event event;
		char bytes[4096];
	} buf;
	bool any = false;
	ssize_t n;

	if (e->fd <= 0)
		return false;
	while ((n = read(e->fd, &buf, sizeof(buf))) > 0) {
		const char *p = buf.bytes, *end = p + n;
		while (p < end) {
			const struct inotify_event *event = (const void *)p;
			any |= job_ends_handle_event(e, l, event);
			p += sizeof(*event) + event->len;
		}
	}
	return any;
}
