/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_tree.c - the processes of a user's run, from /proc/PID
 *
 * Parents are read before their children: what a child used is then missing for a moment, where its
 * parent waits for it in between, and is there at the next look. The other order would count it
 * twice.
 */
#include "collectors/job_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/system/proc_stat.h"
#include "base/vec.h"
#include "schema/types/job.h"

#define FRONTS_MAX    4096
#define PROCESSES_MAX 16384
#define GONE          UINT64_MAX	/* the start of a process that ended, or is no part of it */

/* Sums of one look. */
struct look {
	struct source *s;
	struct job_tree *t;
	struct job_tree_used used;
	uint64_t anon, threads;
	size_t front;
	size_t n_before;	/* of .seen are from the look before */
};

void job_tree_add(struct job_tree *t, pid_t front)
{
	if (t->n == FRONTS_MAX)
		return;
	t->front = vec_reserve(t->front, &t->cap, t->n + 1, sizeof(*t->front));
	t->front[t->n++] = (struct job_tree_front){ .pid = front };
}

static void keep_larger(struct job_tree_used *to, const struct job_tree_used *from)
{
	for (size_t i = 0; i < TREE_COUNTERS; i++)
		if (from->value[i] > to->value[i])
			to->value[i] = from->value[i];
}

void job_tree_end(struct job_tree *t, pid_t front, const struct job_tree_used *used)
{
	for (size_t i = 0; i < t->n; i++) {
		struct job_tree_front *f = &t->front[i];
		if (f->pid != front || f->ended)
			continue;
		keep_larger(&f->used, used);
		f->ended = true;
	}
}

/* A file of a process, read once. */
static bool read_file(struct source *s, pid_t pid, const char *leaf, struct str *ret)
{
	char path[64];
	snprintf(path, sizeof(path), "proc/%d/%s", (int)pid, leaf);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY);
	return fd >= 0 && source_read_fd(s, fd, ret) == 0;
}

static bool read_stat(struct source *s, pid_t pid, struct proc_stat *to)
{
	struct str text;
	return read_file(s, pid, "stat", &text) && proc_stat_take(text, STAT_START, to);
}

static uint64_t ticks_us(uint64_t ticks)
{
	return ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* own: the process itself, too, not only those that it waited for. */
static void add_stat(struct look *l, const struct proc_stat *st, bool own)
{
	static const struct {
		size_t to, own, waited;
		bool ticks;
	} sums[] = {
		{ TREE_USER,       STAT_UTIME,  STAT_CUTIME,  true  },
		{ TREE_SYSTEM,     STAT_STIME,  STAT_CSTIME,  true  },
		{ TREE_PGFAULT,    STAT_MINFLT, STAT_CMINFLT, false },
		{ TREE_PGMAJFAULT, STAT_MAJFLT, STAT_CMAJFLT, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		uint64_t n = st->field[sums[i].waited] + (own ? st->field[sums[i].own] : 0);
		l->used.value[sums[i].to] += sums[i].ticks ? ticks_us(n) : n;
	}
}

/* kernel/exit.c, wait_task_zombie(), adds the bytes of a child to its parent's. */
void job_tree_take_io(struct job_tree_used *u, struct str io)
{
	struct str line;
	uint64_t n;
	while (str_take_line(&io, &line))
		if (str_take_prefix(&line, STR("read_bytes:")) && str_take_u64(&line, &n))
			u->value[TREE_RD_BYTES] += n;
		else if (str_take_prefix(&line, STR("write_bytes:")) && str_take_u64(&line, &n))
			u->value[TREE_WR_BYTES] += n;
}

static void add_io(struct look *l, pid_t pid)
{
	struct str text;
	if (read_file(l->s, pid, "io", &text))
		job_tree_take_io(&l->used, text);
}

/* A kernel without CONFIG_TASK_IO_ACCOUNTING has no such file: then no bytes are known. */
static bool counts_io(struct source *s)
{
	struct str text;
	return read_file(s, getpid(), "io", &text);
}

/* Resident pages that are of no file and not shared. */
static void add_memory(struct look *l, pid_t pid)
{
	struct str text;
	uint64_t size, resident, shared;
	if (read_file(l->s, pid, "statm", &text) && str_take_u64(&text, &size) &&
	    str_take_u64(&text, &resident) && str_take_u64(&text, &shared) && resident > shared)
		l->anon += (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void note_children(struct look *l, pid_t pid, const char *task)
{
	struct job_tree *t = l->t;
	char leaf[48];
	struct str text;
	uint64_t child;
	snprintf(leaf, sizeof(leaf), "task/%s/children", task);
	if (!read_file(l->s, pid, leaf, &text))
		return;
	while (str_take_u64(&text, &child) && t->n_seen - l->n_before < PROCESSES_MAX) {
		if ((pid_t)child == getpid())
			continue;
		t->seen = vec_reserve(t->seen, &t->cap_seen, t->n_seen + 1, sizeof(*t->seen));
		t->seen[t->n_seen++] = (struct job_tree_process){ (pid_t)child, 0, l->front };
	}
}

/*
 * A process with many threads rarely has children of others than the first; those are looked for
 * when devices are.
 */
static void note_all_children(struct look *l, pid_t pid, uint64_t threads)
{
	char path[48], first[16];
	snprintf(first, sizeof(first), "%d", (int)pid);
	note_children(l, pid, first);
	if (threads < 2 || !(l->s->rescan || threads <= 4))
		return;
	snprintf(path, sizeof(path), "proc/%d/task", (int)pid);
	int fd = files_open(&l->s->files, path, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d)); )
		if (e->d_name[0] != '.' && strcmp(e->d_name, first) != 0)
			note_children(l, pid, e->d_name);
	if (d)
		closedir(d);
	else
		close_fd(&fd);
}

static void look_at_process(struct look *l, size_t i)
{
	struct proc_stat st;
	pid_t pid = l->t->seen[i].pid;
	l->t->seen[i].start = GONE;
	if (!read_stat(l->s, pid, &st) || str_eq(st.name, STR(JOB_TREE_ASIDE)))
		return;
	l->t->seen[i].start = st.field[STAT_START];
	uint64_t threads = st.field[STAT_THREADS];
	l->threads += threads;
	add_stat(l, &st, true);
	add_io(l, pid);
	add_memory(l, pid);
	note_all_children(l, pid, threads);
}

/* A killed process stays, as a zombie, until its parent waits for it. */
static bool is_there(struct look *l, struct job_tree_front *f, struct proc_stat *st)
{
	if (!read_stat(l->s, f->pid, st) || st->state == 'Z' || st->state == 'X' ||
	    (f->start && f->start != st->field[STAT_START]))
		return false;
	f->start = st->field[STAT_START];
	return true;
}

static void look_at_front(struct look *l, struct job_tree_front *f)
{
	struct proc_stat st;
	size_t first = l->t->n_seen;
	l->used = (struct job_tree_used){ { 0 } };
	l->front = (size_t)(f - l->t->front);
	f->lost = f->lost || (!f->ended && !is_there(l, f, &st));
	if (f->ended || f->lost)
		return;
	add_stat(l, &st, false);
	add_io(l, f->pid);
	note_all_children(l, f->pid, 1);
	for (size_t i = first; i < l->t->n_seen; i++)
		look_at_process(l, i);
	keep_larger(&f->used, &l->used);
}

/* Of a lost front the look before is kept: those processes are to be killed. */
static void forget_before(const struct look *l)
{
	struct job_tree *t = l->t;
	size_t kept = 0;
	for (size_t i = 0; i < t->n_seen; i++)
		if (i >= l->n_before || t->front[t->seen[i].front].lost)
			t->seen[kept++] = t->seen[i];
	t->n_seen = kept;
}

int job_tree_collect(struct source *s)
{
	struct job_tree *t = s->shared->tree;
	struct look l = { .s = s, .t = t, .n_before = t->n_seen };
	uint64_t sum[TREE_COUNTERS] = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		look_at_front(&l, &t->front[i]);
		for (size_t k = 0; k < TREE_COUNTERS; k++)
			sum[k] += t->front[i].used.value[k];
	}
	forget_before(&l);
	struct row row = rows_add(&s->rows, str_of(t->id));
	row_set(row, CPU, sum[TREE_USER] + sum[TREE_SYSTEM]);
	row_set(row, USER, sum[TREE_USER]);
	row_set(row, SYSTEM, sum[TREE_SYSTEM]);
	row_set(row, ANON, l.anon);
	row_set(row, PGFAULT, sum[TREE_PGFAULT]);
	row_set(row, PGMAJFAULT, sum[TREE_PGMAJFAULT]);
	t->counts_io = t->counts_io || counts_io(s);
	if (t->counts_io) {
		row_set(row, RD_BYTES, sum[TREE_RD_BYTES]);
		row_set(row, WR_BYTES, sum[TREE_WR_BYTES]);
	}
	row_set(row, PIDS, l.threads);
	return 0;
}

/* A process that has the pid of an ended one has another start; 0: it was listed right now. */
static void kill_process(struct source *s, const struct job_tree_process *p)
{
	struct proc_stat st;
	if (read_stat(s, p->pid, &st) && (!p->start || st.field[STAT_START] == p->start))
		kill(p->pid, SIGKILL);
}

void job_tree_kill_lost(struct job_tree *t, struct source *s, bool all)
{
	struct look l = { .s = s, .t = t };
	for (size_t i = 0; i < t->n && all; i++)
		t->front[i].lost = !t->front[i].ended;
	for (size_t i = 0; i < t->n_seen; i++) {
		const struct job_tree_process p = t->seen[i];
		l.front = p.front;
		if (!t->front[p.front].lost)
			continue;
		note_all_children(&l, p.pid, 2);	/* children since the last look */
		kill_process(s, &p);
	}
}
