/* SPDX-License-Identifier: BSD-3-Clause */
/* job_last.c - keep the newest values of each job, for its last row */
#include "collectors/job_last.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define SLACK_US   10000
#define SLACK_PART 100

void job_last_close(struct job_last *j)
{
	for (size_t i = 0; i < JOB_FILES; i++) {
		close_fd(&j->fd[i]);
		j->fd[i] = JOB_NOT_OPENED;
	}
}

static void job_parent_close(struct job_parent *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->fd); i++) {
		close_fd(&p->fd[i]);
		p->fd[i] = JOB_NOT_OPENED;
	}
}

void job_lasts_free(struct job_lasts *l)
{
	for (size_t i = 0; i < l->n; i++) {
		job_last_close(&l->job[i]);
		job_io_free(&l->job[i].io);
	}
	for (size_t i = 0; i < l->n_parents; i++)
		job_parent_close(&l->parent[i]);
	free(l->job);
	*l = (struct job_lasts){ 0 };
}

void job_lasts_begin(struct job_lasts *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->job[i].seen = false;
	for (size_t i = 0; i < l->n_parents; i++) {
		struct job_parent *p = &l->parent[i];
		p->was_known = p->known;
		memcpy(p->was_first, p->first, sizeof(p->first));
		memcpy(p->was_last, p->last, sizeof(p->last));
		p->known = false;
		p->gone = 0;
		p->group.known.present = 0;
	}
}

/*
 * Get the scheduler's directory: "slurm" for "slurm/uid_7/job_1". The directory uid_7 is not used,
 * because it is removed with the user's last job.
 */
static struct str job_last_parent_dir(const char *dir)
{
	struct str path = str_of(dir);
	for (bool again = true; again; ) {
		const char *slash = memrchr(path.p, '/', path.n);
		if (!slash)
			break;
		path.n = (size_t)(slash - path.p);
		const char *up = memrchr(path.p, '/', path.n);
		again = up && str_starts(str_skip(path, (size_t)(up + 1 - path.p)), STR("uid_"));
	}
	return path;
}

/* Find or add the parent of a job. Returns JOB_PARENTS if the table is full. */
static size_t find_parent(struct job_lasts *l, const struct job_dir *job)
{
	struct str dir = job_last_parent_dir(job->dir);
	size_t i = 0;
	while (i < l->n_parents && (l->parent[i].v2 != job->v2 ||
				    strcmp(l->parent[i].mount, job->mount) != 0 ||
				    !str_eq(str_of(l->parent[i].dir), dir)))
		i++;
	if (i == l->n_parents && i < JOB_PARENTS) {
		struct job_parent *p = &l->parent[l->n_parents++];
		*p = (struct job_parent){
			.mount = job->mount, .v2 = job->v2,
			.fd = { JOB_NOT_OPENED, JOB_NOT_OPENED },
		};
		str_copy(p->dir, sizeof(p->dir), dir);
	}
	return i;
}

/*
 * Find the job's newest cgroup among the cgroups whose last row was written. Returns NULL if there
 * is none.
 */
static const struct job_ended *job_lasts_find_ended(const struct job_lasts *l, const char *device)
{
	size_t n = l->n_ended < JOB_ENDED ? l->n_ended : JOB_ENDED;
	for (size_t i = 1; i <= n; i++) {
		const struct job_ended *e = &l->ended[(l->n_ended - i) % JOB_ENDED];
		if (e->device == str_hash(str_of(device)))
			return e;
	}
	return NULL;
}

static struct job_last *job_lasts_add(struct job_lasts *l, const struct job_dir *job)
{
	l->job = vec_reserve(l->job, &l->cap, l->n + 1, sizeof(*l->job));
	struct job_last *j = &l->job[l->n++];
	*j = (struct job_last){
		.mount = job->mount, .v2 = job->v2, .is_new = true,
		.number = ++l->numbers, .users = job->users,
		.parent = find_parent(l, job), .follows = job_lasts_find_ended(l,
									       job->device) != NULL,
	};
	str_copy(j->device, sizeof(j->device), str_of(job->device));
	str_copy(j->dir, sizeof(j->dir), str_of(job->dir));
	for (size_t i = 0; i < JOB_FILES; i++)
		j->fd[i] = JOB_NOT_OPENED;
	return j;
}

struct job_last *job_lasts_see(struct job_lasts *l, const struct job_dir *job, size_t i)
{
	size_t n = 0;
	while (n < l->n && strcmp(l->job[(i + n) % l->n].device, job->device) != 0)
		n++;
	struct job_last *j = n < l->n ? &l->job[(i + n) % l->n] : job_lasts_add(l, job);
	j->seen = true;
	return j;
}

static bool job_last_has_key(const struct job_last *j, size_t key)
{
	return j->present >> key & 1;
}

/*
 * Forget the job's cgroup. If the job gets another cgroup, the BPF program reads the new one once
 * the collector has read its files.
 */
static void forget_group(struct job_last *j)
{
	j->group = (struct job_group){ .id = 0 };
	j->files = 0;
	j->judged = false;
}

/* Add the counters of the job's old cgroup to the job's totals, and begin with a new cgroup. */
static void begin_group(struct job_last *j)
{
	for (size_t k = 0; k < JOB_VALUES; k++) {
		j->sum[k] += j->value[k] + (k < JOB_TIMES ? j->unread_time[k] : 0);
		if (j->value[k] > j->largest[k])
			j->largest[k] = j->value[k];
		j->value[k] = 0;
	}
	forget_group(j);
	job_io_free(&j->io);
	j->lacks |= ~j->whole;
	j->is_new = true;
	j->watched = j->ran = j->ended = false;
}

/*
 * Returns true if the job's cgroup is the same as before its last row, so that its counters
 * continue.
 */
static bool job_last_continues(const struct job_lasts *l, const struct job_last *j, uint64_t cpu,
			       uint64_t inode)
{
	const struct job_ended *e = job_lasts_find_ended(l, j->device);
	return e && inode && e->inode == inode && cpu >= e->cpu;
}

void job_last_times(struct job_lasts *l, struct job_last *j, const uint64_t *value,
		    uint64_t present, uint64_t inode)
{
	bool back = (present & 1) && value[0] < j->value[0];
	if (j->is_new && j->follows && job_last_continues(l, j, value[0], inode))
		j->follows = false;
	if (!j->is_new && (back || (j->inode && inode && inode != j->inode)))
		begin_group(j);
	for (size_t k = 0; k < JOB_TIMES; k++) {
		if (!(present >> k & 1))
			continue;
		if (j->parent < JOB_PARENTS && value[k] > j->value[k])
			l->parent[j->parent].grown[k] += value[k] - j->value[k];
		j->value[k] = value[k];
		j->unread_time[k] = 0;
	}
	j->inode = inode;
	j->is_new = j->gone = false;
	j->whole = 0;
	j->fresh |= present != 0;
}

void job_parent_times(struct job_parent *p, const struct job_values *got, int e, bool last)
{
	bool was_known = p->known;
	if (e < 0 && p->fd[0] >= 0)
		job_parent_close(p);
	p->known = e >= 0 && (got->present & 1);
	/*
	 * smaller counters belong to a new directory: there is no growth since the previous sample
	 */
	p->was_known &= got->value[0] >= p->was_last[0];
	memcpy(p->last, got->value, sizeof(p->last));
	if (!last || !was_known)
		memcpy(p->first, got->value, sizeof(p->first));
}

void job_last_fails(struct job_last *j)
{
	job_last_close(j);
	forget_group(j);
	j->seen = false;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Get the least CPU time that the jobs that have gone used since the previous sample.
 * job_parent_max_gone() gets the most.
 */
static uint64_t job_parent_min_gone(const struct job_parent *p, size_t k)
{
	return above(above(p->first[k], p->was_last[k]), p->grown[k]);
}

static uint64_t job_parent_max_gone(const struct job_parent *p, size_t k)
{
	return above(above(p->last[k], p->was_first[k]), p->grown[k]);
}

static uint64_t slack(uint64_t us)
{
	return us / SLACK_PART > SLACK_US ? us / SLACK_PART : SLACK_US;
}

/*
 * Add to a job that has gone the CPU time that it used after its last reading: the growth of its
 * parent cgroup, less the growth of the running jobs. This is known only if no other job has gone.
 */
static void job_last_add_rest(struct job_last *j, const struct job_parent *p)
{
	uint64_t missing = job_parent_max_gone(p, 0);
	if (!p->known || !p->was_known || !job_last_has_key(j, 0))
		return;
	if (p->gone == 1 && !p->counts_others) {
		for (size_t k = 0; k < JOB_TIMES; k++)
			j->unread_time[k] = job_last_has_key(j, k) ? job_parent_min_gone(p, k) : 0;
		missing -= j->unread_time[0];
		j->fresh = true;
	}
	if (missing <= slack(j->value[0] + j->unread_time[0]))
		j->whole |= JOB_TIMES_WHOLE;
}

void job_lasts_end(struct job_lasts *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->job[i].seen && !l->job[i].gone && l->job[i].parent < JOB_PARENTS)
			l->parent[l->job[i].parent].gone++;
	for (size_t i = 0; i < l->n; i++) {
		struct job_last *j = &l->job[i];
		if (j->seen || j->gone)
			continue;
		j->gone = true;
		job_last_close(j);
		forget_group(j);
		j->fresh |= j->ended;
		if (j->ended)
			j->whole = JOB_TIMES_WHOLE | JOB_ALL_WHOLE;
		if (j->parent < JOB_PARENTS)
			job_last_add_rest(j, &l->parent[j->parent]);
	}
	for (size_t i = 0; i < l->n_parents; i++) {
		struct job_parent *p = &l->parent[i];
		if (p->gone == 0 && p->known && p->was_known)
			p->counts_others = job_parent_min_gone(p,
							 0) > slack(above(p->first[0],
									  p->was_last[0]));
		memset(p->grown, 0, sizeof(p->grown));
	}
}
