/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cells.c - read the cgroups of all jobs with one run of a BPF program */
#include "collectors/job_cells.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collectors/bpf/job_shared.h"

static const uint64_t in_ns = 1 << CPU | 1 << USER | 1 << SYSTEM | 1 << THROTTLED;
static const uint64_t in_pages = 1 << MEM | 1 << MEM_PEAK | 1 << MEM_LIMIT | 1 << ANON |
				 1 << PAGE_CACHE | 1 << SHMEM | 1 << SWAP;

void job_cells_free(struct job_cell_reader *r)
{
	for (size_t i = 0; i < r->n_above; i++)
		for (size_t k = 0; k < ARRAY_SIZE(r->above[i]); k++)
			close_fd(&r->above[i][k]);
	*r = (struct job_cell_reader){ 0 };
}

/*
 * Returns true if the BPF program can read the job. The job's files must have been read once,
 * because they show which keys the job has.
 */
static bool is_placeable(const struct job_last *j, const struct job_shared *shared)
{
	return j->v2 && !j->gone && j->inode && j->files &&
	       (shared->flushed || j->parent < JOB_PARENTS);
}

static void find_group(struct source *s, const char *mount, const char *dir, struct job_group *g)
{
	char path[512];
	struct stat st;
	if (g->id)
		return;
	snprintf(path, sizeof(path), "%s/%s", mount, dir);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY | O_DIRECTORY);
	g->id = fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/*
 * Look up the parent's cgroup again: when a scheduler restarts, it may remove the cgroup and make
 * one with another id.
 */
static void job_cells_find_parent(struct source *s, struct job_parent *p)
{
	struct job_group now = { .id = 0 };
	find_group(s, p->mount, p->dir, &now);
	if (now.id != p->group.id)
		p->group = now;
}

static void job_cells_place(struct job_shared *shared, struct job_group *g)
{
	unsigned at = job_slot_of(g->id);
	g->cells = NULL;
	for (unsigned i = 0; i < JOB_SLOTS_TRIED && !g->cells && g->id; i++) {
		struct job_cells *c = &shared->cells[(at + i) & (JOB_SLOTS - 1)];
		if (c->id)
			continue;
		*c = (struct job_cells){ .id = g->id };
		g->cells = c;
	}
}

/*
 * Assign a slot of the shared memory to each cgroup. When a cgroup came or went, assign all slots
 * again.
 */
static void job_cells_place_all(struct job_cell_reader *r, struct job_shared *shared,
				struct source *s,
				struct job_lasts *l)
{
	size_t n = 0;
	bool is_new = false;
	for (size_t i = 0; i < l->n; i++) {
		struct job_last *j = &l->job[i];
		if (!is_placeable(j, shared))
			continue;
		is_new |= !j->group.id;
		find_group(s, j->mount, j->dir, &j->group);
		n += j->group.id != 0;
	}
	if (n == r->placed && !is_new)
		return;
	for (size_t i = 0; i < JOB_SLOTS; i++)
		shared->cells[i].id = 0;
	for (size_t i = 0; i < l->n_parents; i++) {
		struct job_parent *p = &l->parent[i];
		if (p->v2)
			job_cells_find_parent(s, p);
		job_cells_place(shared, &p->group);
	}
	for (size_t i = 0; i < l->n; i++)
		job_cells_place(shared, &l->job[i].group);
	r->placed = n;
}

/*
 * Read the memory.stat and io.stat of the parents, to make the kernel flush the statistics of all
 * cgroups below them at once.
 */
static void job_cells_flush_parents(struct job_cell_reader *r, struct source *s,
				    const struct job_lasts *l)
{
	static const char *const leaf[] = { "memory.stat", "io.stat" };
	char path[512], first;
	for (size_t i = 0; i < l->n_parents; i++)
		for (size_t k = 0; k < ARRAY_SIZE(leaf); k++) {
			int *fd = &r->above[i][k];
			if (i >= r->n_above || (*fd < 0 && s->rescan)) {
				snprintf(path, sizeof(path), "%s/%s/%s", l->parent[i].mount,
					 l->parent[i].dir, leaf[k]);
				*fd = files_open(&s->files, path, O_RDONLY);
			}
			if (*fd >= 0 && pread(*fd, &first, 1, 0) < 0)
				close_fd(fd);
		}
	r->n_above = l->n_parents;
}

static uint64_t job_cells_share(uint64_t sum, uint64_t part, uint64_t whole)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)sum * part / whole);
#else	/* 32-bit processors have no __int128; an error of a few nanoseconds is harmless */
	return (uint64_t)((long double)sum * part / whole);
#endif
}

/*
 * Divide the exact CPU time into user and system time as the kernel does: both are scaled so that
 * their sum is the exact CPU time, and neither decreases (kernel/sched/cputime.c,
 * cputime_adjust()). Continue from the values that the kernel showed last.
 */
static void divide_time(uint64_t shown[2], const struct job_cells *c, uint64_t *value)
{
	uint64_t sum = c->value[CPU], ticks = c->value[USER] + c->value[SYSTEM];
	if (c->shown[0] + c->shown[1] > shown[0] + shown[1]) {
		shown[0] = c->shown[0];
		shown[1] = c->shown[1];
	}
	if (shown[0] + shown[1] < sum) {
		uint64_t system = ticks == 0 ? 0 : job_cells_share(sum, c->value[SYSTEM], ticks);
		if (system < shown[1])
			system = shown[1];
		if (sum - system < shown[0])
			system = sum - shown[0];
		shown[0] = sum - system;
		shown[1] = system;
	}
	value[USER] = shown[0];
	value[SYSTEM] = shown[1];
}

/*
 * Sum up the I/O of a cgroup's devices. The BPF program does not compute the sum, because the
 * verifier would reject it as too complex.
 */
static void job_cells_add_parts(struct job_group *g, const struct job_part *part, size_t n)
{
	uint64_t *sum = &g->known.value[RD_BYTES];
	g->part = part;
	g->parts = n;
	for (size_t k = 0; k < JOB_IO_KEYS; k++)
		sum[k] = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < JOB_IO_KEYS; k++)
			sum[k] += part[i].value[k];
}

/*
 * Convert the program's values to the units of the files. A cgroup that the program's last run did
 * not find gets no values.
 */
static void job_cells_convert(struct job_group *g, const struct job_shared *shared)
{
	const struct job_cells *c = g->cells;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), *value = g->known.value;
	if (!g->id || !c || c->walk != shared->walk)
		return;
	for (size_t k = 0; k < AGE; k++)
		value[k] = c->value[k];
	divide_time(g->shown, c, value);
	for (size_t k = 0; k < AGE; k++)
		if (in_ns >> k & 1)
			value[k] /= 1000;
		else if (in_pages >> k & 1)
			value[k] *= page;
	if (c->value[MEM_LIMIT] >= INT64_MAX / page)
		value[MEM_LIMIT] = JOB_NO_LIMIT;
	g->known.present = c->present;
	job_cells_add_parts(g, &shared->part[c->first_part & (JOB_PARTS - 1)],
			    c->present >> RD_BYTES & 1 ? c->parts : 0);
}

/*
 * If a counter decreased, keep its last value. I/O is exempt: it may decrease when a device is
 * removed, and job_io_take() corrects it.
 */
static void job_cells_keep_counters(struct job_last *j, struct program *p)
{
	for (size_t k = 0; k < AGE; k++) {
		bool counts = job_type.metrics[k].kind == COUNTER &&
			      ((j->present & ~JOB_IO_MASK) >> k & 1);
		if (!(j->group.known.present >> k & 1) || !counts ||
		    j->group.known.value[k] >= j->value[k])
			continue;
		j->group.known.value[k] = j->value[k];
		p->clamped++;
	}
}

static int job_cells_walk(struct program *p, struct job_lasts *l)
{
	struct job_shared *shared = p->shared;
	shared->walk++;
	int r = program_walk(p, NULL, NULL);
	for (size_t i = 0; r == 0 && i < l->n; i++)
		job_cells_convert(&l->job[i].group, shared);
	for (size_t i = 0; r == 0 && i < l->n_parents; i++)
		job_cells_convert(&l->parent[i].group, shared);
	return r;
}

void job_cells_read(struct job_cell_reader *r, struct program *p, struct source *s,
		    struct job_lasts *l)
{
	if (!p)
		return;
	struct job_shared *shared = p->shared;
	job_cells_place_all(r, shared, s, l);
	if (!r->placed)
		return;
	struct job_last *judged = job_judge_begin(&r->judge, s, l);
	shared->learning.id = judged ? judged->group.id : 0;
	if (!shared->flushed)
		job_cells_flush_parents(r, s, l);
	if (job_cells_walk(p, l) < 0)
		return;
	if (judged)
		p->keys_off |= job_judge_end(&r->judge, s, judged, &shared->learning);
	uint64_t trusted = r->judge.trusted & ~p->keys_off;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t *present = &l->job[i].group.known.present;
		*present &= l->job[i].files & trusted;
		if ((*present & JOB_IO_MASK) != JOB_IO_MASK)
			/* drop all I/O keys if one of them is unusable */
			*present &= ~JOB_IO_MASK;
		job_cells_keep_counters(&l->job[i], p);
	}
	for (size_t i = 0; i < l->n_parents; i++)
		l->parent[i].group.known.present &= trusted;
}
