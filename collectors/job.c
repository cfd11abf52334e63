/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job - resources used by each job of this node, from the job's cgroup
 *
 * A job's row lacks the keys that the kernel or the scheduler does not provide. The kernel removes
 * a job's cgroup before the scheduler's epilog runs; job_last.h keeps the values for the job's last
 * row.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "collectors/job_cells.h"
#include "collectors/job_cpus.h"
#include "collectors/job_dirs.h"
#include "collectors/job_ends.h"
#include "collectors/job_io.h"
#include "collectors/job_last.h"
#include "collectors/job_tree.h"
#include "collectors/job_values.h"
#include "schema/types/job.h"

struct job_state {
	struct job_dirs jobs;
	struct job_lasts last;
	struct job_ends ends;
	struct job_cell_reader cells;
	struct job_disks disks;
	struct job_io_reading io;
	uint64_t v1_counts;	/* mask of the I/O keys that the kernel counts in cgroups v1 */
	size_t kept;	/* largest number of jobs whose files stay open */
};

static uint64_t job_inode(int fd)
{
	struct stat st;
	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static int job_read_times(struct source *s, struct job_state *st, struct job_last *j)
{
	const struct job_place p = job_place_of(j);
	struct job_values got = { 0 };
	bool was_open = j->fd[0] >= 0;
	int r = job_values_read(s, &p, true, &got);
	if (r == -ENODEV || (r < 0 && j->inode && !was_open))
		return -ENODEV;		/* the job has ended */
	j->times = got.present;
	if (j->parent < JOB_PARENTS && !(j->group.known.present & 1))
		/* discard: these values were read at another time */
		st->last.parent[j->parent].group.known.present = 0;
	j->files |= got.present;
	job_last_times(&st->last, j, got.value, got.present,
		       was_open || j->fd[0] < 0 ? j->inode : job_inode(j->fd[0]));
	j->value[THROTTLED] = got.value[THROTTLED];
	return 0;
}

/* Find out which I/O keys the kernel counts in cgroups v1. */
static void job_look_at_v1(struct source *s, struct job_state *st)
{
	for (size_t i = 0; i < st->jobs.n; i++)
		if (!st->jobs.job[i].v2) {
			st->v1_counts |= job_io_v1_keys(s, st->jobs.job[i].mount);
			return;
		}
}

/* Read all values of a job except CPU times. The job may end during the reading. */
static void job_read_others(struct source *s, struct job_state *st, size_t i)
{
	struct job_last *j = &st->last.job[i];
	struct job_place p = job_place_of(j);
	struct job_values got = { .present = j->times };
	p.io = &st->io;
	p.zeros = j->v2 ? UINT64_MAX : st->v1_counts;
	st->io.n = st->io.is_full = 0;
	job_values_read(s, &p, false, &got);
	j->complete = got.present && (got.present & j->keys) == j->keys;
	if (!j->complete) {
		st->jobs.stale = true;
		return;
	}
	job_last_take_io(j, s, &st->disks, &st->io, &got);
	for (size_t k = THROTTLED + 1; k < AGE; k++)
		j->value[k] = got.value[k];
	j->present = j->keys = got.present;
	j->files |= got.present;
	j->read_ns = monotonic_ns();
	job_look_at_cpus(s, j);
	if (i >= st->kept)
		job_last_close(j);
}

/* Read a job's CPU times. If this fails, the job has ended. */
static void job_read_group(struct source *s, struct job_state *st, size_t i)
{
	struct job_last *j = job_lasts_see(&st->last, &st->jobs.job[i], i);
	if (job_read_times(s, st, j) == 0)
		return;
	job_last_fails(j);
	st->jobs.stale = true;
}

/* Read a job again. If the job has no process left, the values read now are its final values. */
static void read_ended(struct source *s, struct job_state *st, size_t i)
{
	struct job_last *j = &st->last.job[i];
	bool runs = job_ends_look(&st->ends, s, j);
	j->changed = false;
	j->ended &= !runs;
	if (job_read_times(s, st, j) < 0 || !j->times) {
		st->jobs.stale = true;
		return;
	}
	job_read_others(s, st, i);
	j->ended = j->complete && j->ran && !runs;
}

/* Read the jobs in which processes or steps came or went since the last call. */
static void read_changed(struct source *s, struct job_state *st)
{
	if (!job_ends_read(&st->ends, &st->last))
		return;
	for (size_t i = 0; i < st->last.n; i++)
		if (st->last.job[i].changed && !st->last.job[i].gone)
			read_ended(s, st, i);
}

/* Watch new jobs for the end of their last process. */
static void watch_new(struct source *s, struct job_state *st)
{
	st->ends.fd = s->shared ? s->shared->ended : 0;
	for (size_t i = 0; i < st->last.n && st->ends.fd > 0; i++) {
		struct job_last *j = &st->last.job[i];
		if (j->watched || !j->v2 || !j->seen)
			continue;
		j->ran = job_ends_look(&st->ends, s, j);
		j->watched = true;
	}
}

/* Read the CPU times of the jobs' parent cgroups; last: this is the reading after the jobs. */
static void read_parents(struct source *s, struct job_state *st, bool last)
{
	for (size_t i = 0; i < st->last.n_parents; i++) {
		struct job_parent *p = &st->last.parent[i];
		const struct job_place place = { p->mount, p->dir, p->v2, p->fd, p->line,
						 &p->group.known, (1 << JOB_TIMES) - 1 };
		struct job_values got = { 0 };
		int r = job_values_read(s, &place, true, &got);
		job_parent_times(p, &got, r, last);
	}
}

static void read_jobs(struct source *s, struct job_state *st)
{
	bool rescan = s->rescan;
	if (job_dirs_look(&st->jobs, s)) {
		/* look for files again, because the new job's cgroup may have other files */
		s->rescan = true;
		for (size_t i = 0; i < st->last.n; i++)
			st->last.job[i].keys = 0;
	}
	if (s->rescan) {
		job_disks_look_again(&st->disks);
		job_look_at_v1(s, st);
	}
	job_lasts_begin(&st->last);
	job_cells_read(&st->cells, source_loaded_program(s, PROGRAM_JOB), s, &st->last);
	read_parents(s, st, false);
	for (size_t i = 0; i < st->jobs.n; i++)
		if (!st->jobs.job[i].bare)
			job_read_group(s, st, i);
	read_parents(s, st, true);
	job_lasts_end(&st->last);
	for (size_t i = 0; i < st->last.n; i++)
		if (st->last.job[i].seen)
			job_read_others(s, st, i);
	for (size_t i = 0; i < st->last.n; i++)
		/* discard: .known is valid in its sample only */
		st->last.job[i].group.known.present = 0;
	watch_new(s, st);
	s->rescan = rescan;
}

static void job_free_state(void *state)
{
	struct job_state *st = state;
	job_dirs_free(&st->jobs);
	job_lasts_free(&st->last);
	job_ends_free(&st->ends);
	job_cells_free(&st->cells);
	job_disks_free(&st->disks);
	job_io_reading_free(&st->io);
}

/* Return how many jobs' files may stay open: they may use a quarter of the limit of open files. */
static size_t jobs_kept_open(void)
{
	return files_open_max() / 4 / JOB_FILES;
}

static int collect_groups(struct source *s)
{
	static const struct job_last_keys keys = { MEM_PEAK, AGE, WHOLE, CPUS };
	struct job_state *st = source_state(s, sizeof(*st));
	if (!s->end_state) {
		s->end_state = job_free_state;
		st->kept = jobs_kept_open();
	}
	read_changed(s, st);
	read_jobs(s, st);
	for (size_t i = 0; i < st->last.n; i++)
		if (st->last.job[i].gone)
			job_ends_forget(&st->ends, st->last.job[i].number);
		else if (st->last.job[i].seen && st->last.job[i].complete)
			job_last_put(&st->last.job[i], s, &keys);
	if (!s->shared || !s->shared->passing)
		job_lasts_put_gone(&st->last, s, &keys);
	return s->rows.n || st->jobs.scheduler ? 0 :
		source_absent(s, "no scheduler keeps jobs in control groups of this node");
}

static int job_collect(struct source *s)
{
	return s->shared && s->shared->tree ? job_tree_collect(s) : collect_groups(s);
}

static void job_reread(struct source *s, bool due)
{
	struct job_state *st = s->state;
	if (!st)
		return;
	s->rescan = false;
	read_changed(s, st);
	if (due || st->jobs.stale || job_dirs_changed(&st->jobs))
		read_jobs(s, st);
}

const struct collector job_collector = {
	.type    = &job_type,
	.collect = job_collect,
	.reread = job_reread,
	.needs   = PRIVILEGE_SEARCH,
	.program = PROGRAM_JOB,
};
