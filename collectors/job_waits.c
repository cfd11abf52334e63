/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_waits.c - measure how long the threads of a run waited for a CPU, from
 * /proc/PID/task/TID/schedstat
 *
 * The kernel drops a thread's counts when the thread ends, and adds them to no other thread. So
 * each look, which reads all threads of the run once, adds what each thread counted since the last
 * look. The waiting time of a thread between the last look and the thread's end is missing.
 */
#include "collectors/job_waits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/vec.h"

#define TASKS_MAX 1024
#define SCHEDSTAT_BYTES_MAX 64	/* three numbers of 20 digits each */

bool job_wait_take(struct str text, struct job_wait *ret, uint64_t *slices)
{
	struct job_wait got;
	if (!str_take_u64(&text, &got.cpu_ns) || !str_take_u64(&text, &got.wait_ns) ||
	    !str_take_u64(&text, slices) || (!got.cpu_ns && !got.wait_ns && !*slices))
		return false;
	*ret = got;
	return true;
}

/* Read and parse an open schedstat file. */
static bool job_waits_read_fd(int fd, struct job_wait *ret, uint64_t *slices)
{
	char text[SCHEDSTAT_BYTES_MAX];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	return n > 0 && job_wait_take((struct str){ text, (size_t)n }, ret, slices);
}

static int job_waits_open(struct source *s, pid_t pid, pid_t tid)
{
	char path[64];
	snprintf(path, sizeof(path), "proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	return files_open(&s->files, path, O_RDONLY);
}

bool job_waits_are_counted(struct job_waits *w, struct source *s)
{
	struct job_wait now;
	uint64_t slices;
	if (w->tried)
		return w->counted;
	int fd CLEANUP(close_fd) = job_waits_open(s, getpid(), getpid());
	w->counted = fd >= 0 && job_waits_read_fd(fd, &now, &slices);
	w->tried = true;
	w->max = files_open_max() / 4 < TASKS_MAX ? files_open_max() / 4 : TASKS_MAX;
	return w->counted;
}

/* Add the growth between two readings of a thread. */
static void job_wait_add_growth(struct job_wait *sum, const struct job_wait *from,
				const struct job_wait *to)
{
	if (to->cpu_ns > from->cpu_ns)
		sum->cpu_ns += to->cpu_ns - from->cpu_ns;
	if (to->wait_ns > from->wait_ns)
		sum->wait_ns += to->wait_ns - from->wait_ns;
}

/*
 * Read the counters of a thread, and add their growth since the last reading to *sum. Returns 1 if
 * the thread ran since that reading, 0 if it did not, or -1 if it has ended.
 */
static int job_waits_read_task(struct job_wait_task *task, struct job_wait *sum)
{
	struct job_wait now;
	uint64_t slices;
	if (!job_waits_read_fd(task->fd, &now, &slices))
		return -1;
	bool ran = now.cpu_ns != task->last.cpu_ns || slices != task->slices;
	job_wait_add_growth(sum, &task->last, &now);
	task->last = now;
	task->slices = slices;
	return ran;
}

static void job_waits_add(struct job_waits *w, const struct job_wait_task *task)
{
	struct job_wait_tasks *t = &w->now;
	t->task = vec_reserve(t->task, &t->cap, t->n + 1, sizeof(*t->task));
	t->task[t->n++] = *task;
}

static bool job_waits_is_of(const struct job_waits *w, size_t i, pid_t pid)
{
	return i < w->before.n && w->before.task[i].pid == pid && w->before.task[i].fd >= 0;
}

/* Find the process's first thread in .before. Returns its index, or .before.n if there is none. */
static size_t job_waits_find_before(const struct job_waits *w, pid_t pid)
{
	size_t at = w->next;
	for (size_t i = 0; i < w->before.n; i++, at++) {
		if (at >= w->before.n)
			at = 0;
		if (job_waits_is_of(w, at, pid))
			return at;
	}
	return w->before.n;
}

bool job_waits_read(struct job_waits *w, struct source *s, pid_t pid, struct job_wait *sum)
{
	bool ran = false;
	size_t first, i;
	if (!job_waits_are_counted(w, s))
		return true;
	first = job_waits_find_before(w, pid);
	for (i = first; job_waits_is_of(w, i, pid); i++) {
		struct job_wait_task *task = &w->before.task[i];
		int r = job_waits_read_task(task, sum);
		ran |= r != 0;
		if (r < 0)
			continue;
		job_waits_add(w, task);
		task->fd = -1;
	}
	w->next = i;
	return ran || i == first;
}

static bool job_waits_has(const struct job_waits *w, size_t from, pid_t tid)
{
	while (from < w->now.n && w->now.task[from].tid != tid)
		from++;
	return from < w->now.n;
}

static void job_waits_open_task(struct job_waits *w, struct source *s, pid_t pid, pid_t tid,
				struct job_wait *sum)
{
	struct job_wait_task task = { .pid = pid, .tid = tid };
	if (w->now.n >= w->max)
		return;
	task.fd = job_waits_open(s, pid, tid);
	if (task.fd < 0)
		return;
	if (job_waits_read_task(&task, sum) < 0)
		close_fd(&task.fd);
	else
		job_waits_add(w, &task);
}

static void job_waits_list(struct job_waits *w, struct source *s, pid_t pid, size_t from,
			   struct job_wait *sum)
{
	char path[64];
	snprintf(path, sizeof(path), "proc/%d/task", (int)pid);
	int fd = files_open(&s->files, path, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d)); ) {
		struct str name = str_of(e->d_name);
		uint64_t tid;
		if (str_take_u64(&name, &tid) && !job_waits_has(w, from, (pid_t)tid))
			job_waits_open_task(w, s, pid, (pid_t)tid, sum);
	}
	if (d)
		closedir(d);
	else
		close_fd(&fd);
}

bool job_waits_find(struct job_waits *w, struct source *s, pid_t pid, uint64_t threads,
		    struct job_wait *sum)
{
	size_t from = w->now.n;
	if (!w->counted)
		return false;
	while (from > 0 && w->now.task[from - 1].pid == pid)
		from--;
	size_t known = w->now.n - from;
	if (threads == 1 && known == 0)
		job_waits_open_task(w, s, pid, pid, sum);
	else if (threads > 1 && (known != threads || s->rescan))
		job_waits_list(w, s, pid, from, sum);
	return known == threads && w->now.n - from == known;
}

/* Find the last reading of a process's first thread. Returns NULL if there is none. */
static struct job_wait_task *job_waits_find_first(struct job_waits *w, pid_t pid)
{
	size_t n = w->n_ended < JOB_WAITS_ENDED ? w->n_ended : JOB_WAITS_ENDED;

	for (size_t i = 0; i < w->before.n; i++)
		if (w->before.task[i].pid == pid && w->before.task[i].tid == pid)
			return &w->before.task[i];
	for (size_t i = 1; i <= n; i++) {
		struct job_wait_task *task = &w->ended[(w->n_ended - i) % JOB_WAITS_ENDED];
		if (task->pid == pid)
			return task;
	}
	return NULL;
}

void job_waits_end(struct job_waits *w, pid_t pid, const struct job_wait *final,
		   struct job_wait *sum)
{
	struct job_wait_task *task = job_waits_find_first(w, pid);
	struct job_wait last = task ? task->last : (struct job_wait){ 0 };

	if (task)
		task->last = *final;	/* a later call must not add `final` again */
	job_wait_add_growth(sum, &last, final);
}

void job_waits_finish(struct job_waits *w)
{
	const struct job_wait_tasks spare = w->before;
	for (size_t i = 0; i < spare.n; i++) {
		struct job_wait_task *task = &spare.task[i];
		if (task->fd < 0)
			continue;
		close_fd(&task->fd);
		if (task->tid == task->pid)
			w->ended[w->n_ended++ % JOB_WAITS_ENDED] = *task;
	}
	w->before = w->now;
	w->now = (struct job_wait_tasks){ spare.task, 0, spare.cap };
	w->next = 0;
}

void job_waits_free(struct job_waits *w)
{
	job_waits_finish(w);
	job_waits_finish(w);
	free(w->now.task);
	free(w->before.task);
	*w = (struct job_waits){ .max = 0 };
}
