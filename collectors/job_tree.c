/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_tree.c - sum up the processes of a user's run, from /proc/PID
 *
 * A "look" reads all processes of the run once, parents before children. If a parent waits for an
 * ended child after the parent was read, the child's use is missing until the next look. If
 * children were read before their parents, the use would be counted twice.
 */
#include "collectors/job_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/system/proc_stat.h"
#include "base/vec.h"
#include "collectors/key_lines.h"
#include "schema/types/job.h"

#define SUPERVISORS_MAX 4096
#define PROCESSES_MAX 16384
#define OPEN_MAX      256	/* number of processes whose files stay open */
/* The line "processes" is in the last 512 bytes of /proc/stat: fs/proc/stat.c. */
#define STAT_END      512

/* State and sums of one look. */
struct job_tree_look {
	struct source *s;
	struct job_tree *t;
	uint64_t anon, swap, threads;
	/* index of the supervisor whose processes are being read, see struct job_tree_supervisor */
	size_t supervisor;
	size_t n_before;	/* number of processes of the previous look at the start of .seen */
	bool grown;		/* new processes may have been forked since the last look */
	pid_t self, pid;	/* pids of the sampler and of the process being read */
	/* open files of the process being read; NULL if its files do not stay open */
	struct job_tree_open *open;
	/* CPU and waiting time of the supervisors, which are not part of the run */
	struct job_wait supervisors;
};

void job_tree_add(struct job_tree *t, pid_t supervisor)
{
	if (t->n == SUPERVISORS_MAX)
		return;
	t->supervisor = vec_reserve(t->supervisor, &t->cap, t->n + 1, sizeof(*t->supervisor));
	t->supervisor[t->n++] = (struct job_tree_supervisor){ .pid = supervisor };
	t->forks = 0;
}

static void keep_larger(struct job_tree_used *to, const struct job_tree_used *from)
{
	for (size_t i = 0; i < TREE_COUNTERS; i++)
		if (from->value[i] > to->value[i])
			to->value[i] = from->value[i];
}

void job_tree_end(struct job_tree *t, pid_t supervisor, const struct job_tree_used *used,
		  const struct job_tree_command *command)
{
	for (size_t i = 0; i < t->n; i++) {
		struct job_tree_supervisor *f = &t->supervisor[i];
		if (f->pid != supervisor || f->ended)
			continue;
		keep_larger(&f->used, used);
		job_waits_end(&t->waits, command->pid, &command->wait, &t->wait);
		f->ended = true;
	}
}

static void close_files(struct job_tree_open *o)
{
	for (size_t i = 0; i < TREE_FILES; i++)
		close_fd(&o->fd[i]);
}

void job_tree_free(struct job_tree *t)
{
	for (size_t i = 0; i < t->n_open; i++)
		close_files(&t->open[i]);
	job_waits_free(&t->waits);
	buf_free(&t->texts);
	free(t->open);
	free(t->seen);
	free(t->supervisor);
	*t = (struct job_tree){ .n = 0 };
}

/* Read a file of a process, and close the file. */
static bool job_tree_read_file(struct source *s, pid_t pid, const char *leaf, struct str *ret)
{
	char path[64];
	snprintf(path, sizeof(path), "proc/%d/%s", (int)pid, leaf);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY);
	return fd >= 0 && source_read_fd(s, fd, ret) == 0;
}

static struct job_tree_open *find_open(struct job_tree *t, pid_t pid)
{
	size_t at = t->next;
	for (size_t i = 0; i < t->n_open; i++, at++) {
		if (at >= t->n_open)
			at = 0;
		if (t->open[at].pid == pid) {
			t->next = at + 1;
			return &t->open[at];
		}
	}
	return NULL;
}

/*
 * Select the process to read. Returns false if this look has read the process already, which may
 * happen if its parent ends during the look. This is noticed only if the process's files stay open.
 */
static bool job_tree_select(struct job_tree_look *l, pid_t pid)
{
	struct job_tree *t = l->t;
	l->pid = pid;
	l->open = find_open(t, pid);
	if (!l->open && t->n_open < t->open_max) {
		t->open = vec_reserve(t->open, &t->cap_open, t->n_open + 1, sizeof(*t->open));
		l->open = &t->open[t->n_open++];
		*l->open = (struct job_tree_open){ .pid = pid, .fd = { -1, -1, -1, -1 } };
	}
	bool again = l->open && l->open->looked_at;
	if (l->open)
		l->open->looked_at = true;
	return !again;
}

/*
 * Read a file of the selected process, and keep it open. If an open file cannot be read, open it
 * again, because the pid may have been reused.
 */
static bool read_kept(struct job_tree_look *l, enum job_tree_file which, struct str *ret)
{
	static const char *const leaf[] = { "stat", "io", "status" };
	char path[64];
	int closed = -1, *fd = l->open ? &l->open->fd[which] : &closed;
	if (*fd >= 0 && source_read_fd(l->s, *fd, ret) == 0)
		return true;
	if (*fd >= 0)
		close_files(l->open);
	if (which == TREE_CHILDREN)
		snprintf(path, sizeof(path), "proc/%d/task/%d/children", (int)l->pid, (int)l->pid);
	else
		snprintf(path, sizeof(path), "proc/%d/%s", (int)l->pid, leaf[which]);
	*fd = files_open(&l->s->files, path, O_RDONLY);
	bool got = *fd >= 0 && source_read_fd(l->s, *fd, ret) == 0;
	close_fd(&closed);
	return got;
}

static bool read_stat(struct job_tree_look *l, struct proc_stat *to)
{
	struct str text;
	return read_kept(l, TREE_STAT, &text) && proc_stat_take(text, STAT_START, to);
}

/*
 * Add the counters in /proc/PID/stat: those of the children that the process waited for and, if
 * include_self is set, those of the process itself.
 */
static void add_stat(struct job_tree_used *u, const struct proc_stat *st, bool include_self)
{
	static const struct {
		size_t to, self, waited;
		bool ticks;
	} sums[] = {
		{ TREE_USER,       STAT_UTIME,  STAT_CUTIME,  true  },
		{ TREE_SYSTEM,     STAT_STIME,  STAT_CSTIME,  true  },
		{ TREE_PGFAULT,    STAT_MINFLT, STAT_CMINFLT, false },
		{ TREE_PGMAJFAULT, STAT_MAJFLT, STAT_CMAJFLT, false },
	};
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		uint64_t n = st->field[sums[i].waited] +
			     (include_self ? st->field[sums[i].self] : 0);
		u->value[sums[i].to] += sums[i].ticks ? n * 1000000 / hz : n;
	}
}

/*
 * The counters of a process include those of the children that it waited for (kernel/exit.c,
 * wait_task_zombie()).
 */
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

static void job_tree_add_io(struct job_tree_look *l, struct job_tree_used *u)
{
	struct str text;
	if (read_kept(l, TREE_IO, &text))
		job_tree_take_io(u, text);
}

static void job_tree_add_counts(struct job_tree_look *l, const struct job_tree_counts *c)
{
	struct job_tree_used *to = &l->t->supervisor[l->supervisor].now;
	for (size_t i = 0; i < TREE_COUNTERS; i++)
		to->value[i] += c->used.value[i];
}

/*
 * Get the counts that the last look read for this process. ran: a thread of the process may have
 * run since. Returns false if the counts may have changed since the last look.
 */
static bool job_tree_find_counts(const struct job_tree_look *l, bool ran,
				 struct job_tree_counts *ret)
{
	if (ran || !l->open || !l->open->has_counts)
		return false;
	*ret = l->open->counts;
	return true;
}

/*
 * Keep the counts of this process for the next look. known: the next job_waits_read() can tell if
 * the process has run since this look; otherwise the next look must read the counts again.
 */
static void job_tree_keep_counts(struct job_tree_look *l, bool known,
				 const struct job_tree_counts *c)
{
	if (!l->open)
		return;
	l->open->has_counts = known;
	if (known)
		l->open->counts = *c;
}

/* Returns true if the kernel counts the bytes of processes (CONFIG_TASK_IO_ACCOUNTING). */
static bool job_tree_has_io(struct source *s)
{
	struct str text;
	return job_tree_read_file(s, getpid(), "io", &text);
}

/* Returns true if the kernel reports swapped memory (VmSwap, since Linux 2.6.34). */
static bool job_tree_has_swap(struct source *s)
{
	struct str text;
	uint16_t at = 0;
	if (!job_tree_read_file(s, getpid(), "status", &text))
		return false;
	struct key_lines lines = key_lines_of(text);
	return key_lines_find(&lines, STR("VmSwap"), &at);
}

/* Add the anonymous memory of a process: resident (reported since Linux 4.5) and swapped out. */
static void add_memory(struct job_tree_look *l, struct job_tree_process *p)
{
	struct str text;
	uint64_t kb;
	if (!read_kept(l, TREE_STATUS, &text))
		return;
	p->status = l->t->texts.n;
	p->n_status = text.n;
	buf_add(&l->t->texts, text);
	struct key_lines lines = key_lines_of(text);
	if (key_lines_find(&lines, STR("RssAnon"), &l->t->rss_anon) &&
	    key_lines_take_u64(&lines, &kb))
		l->anon += kb * 1024;
	if (key_lines_find(&lines, STR("VmSwap"), &l->t->vm_swap) &&
	    key_lines_take_u64(&lines, &kb))
		l->swap += kb * 1024;
}

static void note_children(struct job_tree_look *l, struct str children)
{
	struct job_tree *t = l->t;
	uint64_t child;
	while (str_take_u64(&children, &child) && t->n_seen - l->n_before < PROCESSES_MAX) {
		if ((pid_t)child == l->self)
			continue;
		t->seen = vec_reserve(t->seen, &t->cap_seen, t->n_seen + 1, sizeof(*t->seen));
		t->seen[t->n_seen++] = (struct job_tree_process){
			.pid = (pid_t)child, .supervisor = l->supervisor,
		};
	}
}

static void note_children_of_threads(struct job_tree_look *l)
{
	char leaf[64], first[16];
	struct str text;
	snprintf(first, sizeof(first), "%d", (int)l->pid);
	snprintf(leaf, sizeof(leaf), "proc/%d/task", (int)l->pid);
	int fd = files_open(&l->s->files, leaf, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d)); ) {
		if (e->d_name[0] == '.' || strcmp(e->d_name, first) == 0)
			continue;
		snprintf(leaf, sizeof(leaf), "task/%.32s/children", e->d_name);
		if (job_tree_read_file(l->s, l->pid, leaf, &text))
			note_children(l, text);
	}
	if (d)
		closedir(d);
	else
		close_fd(&fd);
}

/*
 * List the children of all threads. If there are more than 4 threads, check only the first one,
 * because the others rarely have children; at a rescan, check all.
 */
static void note_all_children(struct job_tree_look *l, uint64_t threads)
{
	struct str text;
	if (read_kept(l, TREE_CHILDREN, &text))
		note_children(l, text);
	if (threads > 1 && (l->s->rescan || threads <= 4))
		note_children_of_threads(l);
}

/*
 * Read the counts of the selected process. Returns false if the process has ended or is not part of
 * the run.
 */
static bool job_tree_read_counts(struct job_tree_look *l, struct job_tree_counts *ret)
{
	struct job_tree *t = l->t;
	struct proc_stat st;
	bool ran = job_waits_read(&t->waits, l->s, l->pid, &t->wait);
	*ret = (struct job_tree_counts){ 0 };
	if (job_tree_find_counts(l, ran, ret))
		return true;
	if (!read_stat(l, &st) || str_eq(st.name, STR(JOB_TREE_HELPER)))
		return false;
	ret->start = st.field[STAT_START];
	ret->threads = st.field[STAT_THREADS];
	add_stat(&ret->used, &st, true);
	job_tree_add_io(l, &ret->used);
	job_tree_keep_counts(l, job_waits_find(&t->waits, l->s, l->pid, ret->threads, &t->wait),
			     ret);
	return true;
}

static void job_tree_read_process(struct job_tree_look *l, size_t i)
{
	struct job_tree_counts c;
	struct job_tree_process *p = &l->t->seen[i];
	p->start = JOB_TREE_GONE;
	if (!job_tree_select(l, p->pid) || !job_tree_read_counts(l, &c))
		return;
	p->start = c.start;
	l->threads += c.threads;
	job_tree_add_counts(l, &c);
	add_memory(l, p);
	if (l->grown)
		note_all_children(l, c.threads);
}

/*
 * Read the counts of a supervisor. Returns false if the supervisor has ended, even if it remains as
 * a zombie. A killed supervisor runs once more, and is a zombie until its parent waits for it.
 */
static bool job_tree_read_supervisor_counts(struct job_tree_look *l, struct job_tree_supervisor *f,
					    struct job_tree_counts *ret)
{
	struct job_waits *w = &l->t->waits;
	struct proc_stat st;
	bool ran = job_waits_read(w, l->s, f->pid, &l->supervisors);
	*ret = (struct job_tree_counts){ 0 };
	if (job_tree_find_counts(l, ran, ret))
		return true;
	if (!read_stat(l, &st) || st.state == 'Z' || st.state == 'X' ||
	    (f->start && f->start != st.field[STAT_START]))
		return false;
	f->start = st.field[STAT_START];
	add_stat(&ret->used, &st, false);
	job_tree_add_io(l, &ret->used);
	job_tree_keep_counts(l, job_waits_find(w, l->s, f->pid, 1, &l->supervisors), ret);
	return true;
}

static void job_tree_read_supervisor(struct job_tree_look *l, struct job_tree_supervisor *f)
{
	struct job_tree_counts c;
	size_t first = l->t->n_seen;
	f->now = (struct job_tree_used){ { 0 } };
	l->supervisor = (size_t)(f - l->t->supervisor);
	if (f->ended || f->lost)
		return;
	job_tree_select(l, f->pid);
	f->lost = !job_tree_read_supervisor_counts(l, f, &c);
	if (f->lost)
		return;
	job_tree_add_counts(l, &c);
	if (!l->grown)
		return;
	note_all_children(l, 1);
	for (size_t i = first; i < l->t->n_seen; i++)
		job_tree_read_process(l, i);
}

/* Read the same processes as the previous look, because there are no new ones. */
static void job_tree_read_again(struct job_tree_look *l)
{
	struct job_tree *t = l->t;
	for (size_t i = 0; i < t->n_seen; i++) {
		l->supervisor = t->seen[i].supervisor;
		const struct job_tree_supervisor *f = &t->supervisor[l->supervisor];
		if (f->ended)
			t->seen[i].start = JOB_TREE_GONE;
		else if (!f->lost && t->seen[i].start != JOB_TREE_GONE)
			job_tree_read_process(l, i);
	}
}

/* Get the number of processes and threads created on this node since boot. Returns 0 if unknown. */
static uint64_t job_tree_count_forks(struct source *s)
{
	struct str text;
	uint16_t at = 0;
	uint64_t n;
	if (source_read_shared(s, "proc/stat", &text) < 0)
		return 0;
	struct key_lines l =
		key_lines_of(str_skip(text, text.n > STAT_END ? text.n - STAT_END : 0));
	return key_lines_find(&l, STR("processes"), &at) && key_lines_take_u64(&l, &n) ? n : 0;
}

/*
 * Returns true if processes may have been forked since the last look. If the number of forks has
 * never changed, returns true, because the kernel may not count forks.
 */
static bool note_forks(struct job_tree *t, struct source *s)
{
	uint64_t before = t->forks;
	t->forks = job_tree_count_forks(s);
	t->counts_forks |= before && t->forks && t->forks != before;
	return s->rescan || !before || !t->counts_forks || t->forks != before;
}

/*
 * Drop the processes of the previous look, except those of lost supervisors, which are to be
 * killed.
 */
static void forget_before(const struct job_tree_look *l)
{
	struct job_tree *t = l->t;
	size_t kept = 0;
	for (size_t i = 0; i < t->n_seen; i++)
		if (i >= l->n_before || t->supervisor[t->seen[i].supervisor].lost)
			t->seen[kept++] = t->seen[i];
	t->n_seen = kept;
}

/* Close the files of processes that this look did not read. */
static void close_others(struct job_tree *t)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n_open; i++) {
		if (!t->open[i].looked_at) {
			close_files(&t->open[i]);
			continue;
		}
		t->open[kept] = t->open[i];
		t->open[kept++].looked_at = false;
	}
	t->n_open = kept;
}

/*
 * Return how many processes' files may stay open: they may use a quarter of the limit of open
 * files.
 */
static size_t job_tree_open_max(void)
{
	size_t n = files_open_max() / 4 / TREE_FILES;
	return n < OPEN_MAX ? n : OPEN_MAX;
}

/* Set the keys that only some kernels have. */
static void job_tree_set_optional(const struct job_tree_look *l, struct row row,
				  const uint64_t *sum)
{
	struct job_tree *t = l->t;
	t->counts_io = t->counts_io || job_tree_has_io(l->s);
	t->counts_swap = t->counts_swap || job_tree_has_swap(l->s);
	if (t->counts_io) {
		row_set(row, RD_BYTES, sum[TREE_RD_BYTES]);
		row_set(row, WR_BYTES, sum[TREE_WR_BYTES]);
	}
	if (t->counts_swap)
		row_set(row, SWAP, l->swap);
	if (job_waits_are_counted(&t->waits, l->s)) {
		row_set(row, CPU_WAIT, t->wait.wait_ns / 1000);
		row_set(row, CPU_WAIT_OF, t->wait.cpu_ns / 1000);
	}
}

int job_tree_collect(struct source *s)
{
	struct job_tree *t = s->shared->tree;
	struct job_tree_look l = { .s = s, .t = t, .self = getpid(), .grown = note_forks(t, s) };
	uint64_t sum[TREE_COUNTERS] = { 0 };

	if (!t->open_max)
		t->open_max = job_tree_open_max();
	l.n_before = l.grown ? t->n_seen : 0;
	t->texts.n = 0;
	for (size_t i = 0; i < t->n_seen; i++)
		t->seen[i].n_status = 0;
	for (size_t i = 0; i < t->n; i++)
		job_tree_read_supervisor(&l, &t->supervisor[i]);
	if (!l.grown)
		job_tree_read_again(&l);
	for (size_t i = 0; i < t->n; i++) {
		keep_larger(&t->supervisor[i].used, &t->supervisor[i].now);
		uint64_t peak = t->supervisor[i].used.value[TREE_MEM_PEAK];
		uint64_t before = sum[TREE_MEM_PEAK];
		for (size_t k = 0; k < TREE_COUNTERS; k++)
			sum[k] += t->supervisor[i].used.value[k];
		/* use the largest peak: the processes had their peaks at different times */
		sum[TREE_MEM_PEAK] = peak > before ? peak : before;
	}
	forget_before(&l);
	close_others(t);
	job_waits_finish(&t->waits);
	struct row row = rows_add(&s->rows, str_of(t->id));
	row_set(row, CPU, sum[TREE_USER] + sum[TREE_SYSTEM]);
	row_set(row, USER, sum[TREE_USER]);
	row_set(row, SYSTEM, sum[TREE_SYSTEM]);
	if (sum[TREE_MEM_PEAK])
		row_set(row, MEM_PEAK, sum[TREE_MEM_PEAK] > l.anon ? sum[TREE_MEM_PEAK] : l.anon);
	row_set(row, ANON, l.anon);
	row_set(row, PGFAULT, sum[TREE_PGFAULT]);
	row_set(row, PGMAJFAULT, sum[TREE_PGMAJFAULT]);
	row_set(row, PIDS, l.threads);
	job_tree_set_optional(&l, row, sum);
	return 0;
}

/*
 * Kill a process, unless its start time shows that the pid was reused. Start time 0: the process
 * was listed just now, so there is nothing to compare.
 */
static void kill_process(struct job_tree_look *l, const struct job_tree_process *p)
{
	struct proc_stat st;
	if (read_stat(l, &st) && (!p->start || st.field[STAT_START] == p->start))
		kill(p->pid, SIGKILL);
}

void job_tree_kill_lost(struct job_tree *t, struct source *s, bool all)
{
	struct job_tree_look l = { .s = s, .t = t, .self = getpid() };
	for (size_t i = 0; i < t->n && all; i++)
		t->supervisor[i].lost = !t->supervisor[i].ended;
	for (size_t i = 0; i < t->n_seen; i++) {
		const struct job_tree_process p = t->seen[i];
		l.supervisor = p.supervisor;
		if (!t->supervisor[p.supervisor].lost)
			continue;
		job_tree_select(&l, p.pid);
		/* also kill children that were forked after the last look */
		note_all_children(&l, 2);
		kill_process(&l, &p);
	}
}
