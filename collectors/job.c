/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job - what each job of this node used, from its control group, whatever else runs on the node
 *
 * A row needs all keys that other rows have. A key that this kernel, or the scheduler's choice of
 * controllers, does not have is missing from all jobs of the node. A job's group is gone with the
 * job, before a scheduler's epilog: a last row says what is known of it, see job_last.h.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "collectors/job_cells.h"
#include "collectors/job_dirs.h"
#include "collectors/job_ends.h"
#include "collectors/job_last.h"
#include "collectors/job_tree.h"
#include "collectors/job_values.h"
#include "schema/types/job.h"

struct state {
	struct job_dirs jobs;
	struct job_lasts last;
	struct job_ends ends;
	struct job_cell_reader cells;
	size_t kept;	/* of so many jobs files may stay open */
};

static uint64_t inode_of(int fd)
{
	struct stat st;
	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static int read_times(struct source *s, struct state *st, struct job_last *j)
{
	const struct job_place p = job_place_of(j);
	struct job_values got = { 0 };
	bool was_open = j->fd[0] >= 0;
	int r = job_values_read(s, &p, true, &got);
	if (r == -ENODEV || (r < 0 && j->inode && !was_open))
		return -ENODEV;		/* the job ended, maybe while we read */
	j->times = got.present;
	if (j->parent < JOB_PARENTS && !(j->group.known.present & 1))
		st->last.parent[j->parent].group.known.present = 0;	/* not of one moment */
	j->files |= got.present;
	job_last_times(&st->last, j, got.value, got.present,
		       was_open || j->fd[0] < 0 ? j->inode : inode_of(j->fd[0]));
	j->value[THROTTLED] = got.value[THROTTLED];
	return 0;
}

/* The values that are no times; the job may end while we read. */
static void read_others(struct source *s, struct state *st, size_t i)
{
	struct job_last *j = &st->last.job[i];
	const struct job_place p = job_place_of(j);
	struct job_values got = { .present = j->times };
	job_values_read(s, &p, false, &got);
	j->complete = got.present && (got.present & j->keys) == j->keys;
	if (!j->complete) {
		st->jobs.stale = true;
		return;
	}
	for (size_t k = THROTTLED + 1; k < AGE; k++)
		j->value[k] = got.value[k];
	j->present = j->keys = got.present;
	j->files |= got.present;
	j->read_ns = monotonic_ns();
	if (i >= st->kept)
		job_last_close(j);
}

/* In a pass. */
static void read_job(struct source *s, struct state *st, size_t i)
{
	struct job_last *j = job_lasts_see(&st->last, &st->jobs.job[i], i);
	if (read_times(s, st, j) == 0)
		return;
	job_last_fails(j);
	st->jobs.stale = true;
}

/* Reads a job in which nothing may run any more: such a reading has all that the job used. */
static void read_ended(struct source *s, struct state *st, size_t i)
{
	struct job_last *j = &st->last.job[i];
	bool runs = job_ends_look(&st->ends, s, j);
	j->changed = false;
	j->ended &= !runs;
	if (read_times(s, st, j) < 0 || !j->times) {
		st->jobs.stale = true;
		return;
	}
	read_others(s, st, i);
	j->ended = j->complete && j->ran && !runs;
}

/* Of the jobs of which a process or a step came or went since the last time. */
static void read_changed(struct source *s, struct state *st)
{
	if (!job_ends_read(&st->ends, &st->last))
		return;
	for (size_t i = 0; i < st->last.n; i++)
		if (st->last.job[i].changed && !st->last.job[i].gone)
			read_ended(s, st, i);
}

/* A process that is there now may be gone at the next event. */
static void watch_new(struct source *s, struct state *st)
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

/* At both ends of a pass: of the parents that the program did not read, with all their jobs. */
static void read_parents(struct source *s, struct state *st, bool last)
{
	for (size_t i = 0; i < st->last.n_parents; i++) {
		struct job_parent *p = &st->last.parent[i];
		const struct job_place place = { p->mount, p->dir, p->v2, p->fd, p->line,
						 &p->group.known, (1 << JOB_TIMES) - 1 };
		struct job_values got = { 0 };
		int r = job_values_read(s, &place, true, &got);
		bool known = r >= 0 && (got.present & 1);
		memcpy(p->last, got.value, sizeof(p->last));
		if (!last || !p->known)
			memcpy(p->first, got.value, sizeof(p->first));
		p->known = known;
	}
}

static void read_jobs(struct source *s, struct state *st)
{
	bool rescan = s->rescan;
	if (job_dirs_look(&st->jobs, s)) {
		s->rescan = true;	/* files that were not there may have come */
		for (size_t i = 0; i < st->last.n; i++)
			st->last.job[i].keys = 0;
	}
	job_lasts_begin(&st->last);
	job_cells_read(&st->cells, source_loaded_program(s, PROGRAM_JOB), s, &st->last);
	read_parents(s, st, false);
	for (size_t i = 0; i < st->jobs.n; i++)
		if (!st->jobs.job[i].bare)
			read_job(s, st, i);
	read_parents(s, st, true);
	job_lasts_end(&st->last);
	for (size_t i = 0; i < st->last.n; i++)
		if (st->last.job[i].seen)
			read_others(s, st, i);
	for (size_t i = 0; i < st->last.n; i++)
		st->last.job[i].group.known.present = 0;	/* later readings are of files */
	watch_new(s, st);
	s->rescan = rescan;
}

static void end(void *state)
{
	struct state *st = state;
	job_dirs_free(&st->jobs);
	job_lasts_free(&st->last);
	job_ends_free(&st->ends);
	job_cells_free(&st->cells);
}

/* A quarter of what may be open; the files of more jobs are opened each time. */
static size_t jobs_kept_open(void)
{
	return files_open_max() / 4 / JOB_FILES;
}

static int collect_groups(struct source *s)
{
	static const struct job_last_keys keys = { .peak = MEM_PEAK, .age = AGE, .whole = WHOLE };
	struct state *st = source_state(s, sizeof(*st));
	if (!s->end_state) {
		s->end_state = end;
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

static int collect(struct source *s)
{
	return s->shared && s->shared->tree ? job_tree_collect(s) : collect_groups(s);
}

static void reread(struct source *s, bool due)
{
	struct state *st = s->state;
	if (!st)
		return;
	s->rescan = false;
	read_changed(s, st);
	if (due || st->jobs.stale || job_dirs_changed(&st->jobs))
		read_jobs(s, st);
}

const struct collector job_collector = {
	.type    = &job_type,
	.collect = collect,
	.reread = reread,
	.needs   = PRIVILEGE_SEARCH,
	.program = PROGRAM_JOB,
};
