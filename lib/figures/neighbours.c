/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.c - separate the work of a job from that of programs outside the job on its nodes */
#include "figures/neighbours.h"

#include <math.h>

/*
 * programs outside the job are ignored if their CPU time is at most the fraction OTHERS_OF_OWN of
 * the job's CPU time, plus the fraction OTHERS_OF_NODE of the time of all CPUs of the node
 */
#define OTHERS_OF_OWN .1
#define OTHERS_OF_NODE .02
/*
 * kernel time outside the job's cgroup was caused by programs outside it if their user time is at
 * least this fraction of the kernel time
 */
#define USER_OF_SYSTEM .05
/*
 * the job caused the disk I/O if its bytes are at least this fraction of the bytes of the disks:
 * journals may write several times as much as the job
 */
#define DISK_OF_NODE .2
#define DISK_LEAST 1e5	/* bytes per second: disk I/O below this rate may be logs of the node */

enum figure_name {
	JOB_CPU, JOB_USER, JOB_SYSTEM, JOB_ANON, JOB_MEM, JOB_LIMIT, JOB_READ, JOB_WRITTEN,
	CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, DISK_READ, DISK_WRITTEN,
	FIGURE_NAMES
};

/*
 * Return the index in figures[] of a figure. Each figure is searched for only once, because a table
 * of jobs needs it for every node of each job.
 */
static size_t neighbours_figure_place(enum figure_name name)
{
	static const char *const id[FIGURE_NAMES] = {
		"job.cpu", "job.user", "job.system", "job.anon", "job.mem", "job.mem_limit",
		"job.rd_bytes", "job.wr_bytes", "cpu.user", "cpu.nice", "cpu.system",
		"cpu.idle", "cpu.iowait", "block.rd_sectors", "block.wr_sectors",
	};
	static size_t place[FIGURE_NAMES];	/* index + 1; 0: not searched yet */

	if (!place[name])
		place[name] = figure_find(id[name]) + 1;
	return place[name] - 1;
}

static const struct value *neighbours_known_value(const struct node *n, enum figure_name name)
{
	const struct value *v = &n->value[neighbours_figure_place(name)];
	return value_known(v) ? v : NULL;
}

static double neighbours_amount(const struct node *n, enum figure_name name)
{
	const struct value *v = neighbours_known_value(n, name);
	return v ? v->n : 0;
}

bool node_is_from_run(const struct node *n)
{
	return n->value[neighbours_figure_place(JOB_ANON)].seen &&
	       !n->value[neighbours_figure_place(JOB_MEM)].seen &&
	       !n->value[neighbours_figure_place(JOB_LIMIT)].seen;
}

bool nodes_were_followed(const struct report *r, size_t samples)
{
	size_t i = 0;
	while (i < r->n && node_is_from_run(&r->node[i]) && r->node[i].samples >= samples)
		i++;
	return r->n > 0 && i == r->n;
}

/*
 * Whether samples show processes of other users than the user of the job or, if the job's user is
 * unknown, of more than one user.
 */
static bool neighbours_saw_other_users(const struct report *r)
{
	uint64_t uid = r->n ? r->node[0].allocation.uid : 0;
	for (size_t i = 0; i < r->procs.n; i++) {
		uint64_t one = r->procs.proc[i].uid;
		if (one && uid && one != uid)
			return true;
		uid = uid ? uid : one;
	}
	return false;
}

/*
 * Return the CPU seconds of programs outside the job. Kernel threads have no user time, and may
 * work for the job, for example in writeback. So kernel time outside the job's cgroup counts only
 * if there is enough user time outside the cgroup, too, or if this kernel time exceeds all CPU time
 * of the job.
 */
static double neighbours_others_seconds(const struct node *n, double own, double whole)
{
	const struct value *job_user = neighbours_known_value(n, JOB_USER);
	double user = neighbours_amount(n, CPU_USER) + neighbours_amount(n, CPU_NICE);
	double system = neighbours_amount(n, CPU_SYSTEM);

	if (!job_user)
		return fmax(busy_time(user, system, whole) - own, 0);
	user = fmax(user - job_user->n, 0);
	system = fmax(system - neighbours_amount(n, JOB_SYSTEM) - KERNEL_ITSELF * whole, 0);
	bool programs = user >= USER_OF_SYSTEM * system || system > own;
	return user + (programs ? system : 0);
}

struct neighbours neighbours_of(const struct report *r, size_t node)
{
	const struct node *n = &r->node[node];
	const struct value *own = neighbours_known_value(n, JOB_CPU);
	double time = (double)n->usec / 1e6, whole = n->course.cpus * time;
	struct neighbours ret = { .capacity = whole };

	if (!own || !neighbours_known_value(n, CPU_USER) || whole <= 0 ||
	    node_began_before(n, own->n))
		return ret;
	if (own->n < OWN_LEAST * time && !node_is_from_run(n) &&
	    !neighbours_saw_other_users(r))
		return ret;
	ret.known = true;
	ret.at_least = own->at_least > 0;
	ret.job = own->n;
	ret.idle = neighbours_amount(n, CPU_IDLE) + neighbours_amount(n, CPU_IOWAIT);
	ret.others = neighbours_others_seconds(n, own->n, whole);
	if (ret.others <= OTHERS_OF_OWN * ret.job + OTHERS_OF_NODE * whole)
		ret.others = 0;
	return ret;
}

bool node_is_exclusive(const struct report *r, size_t node)
{
	struct neighbours n = neighbours_of(r, node);
	return !r->node[node].shared && n.others <= 0;
}

bool nodes_are_exclusive(const struct report *r)
{
	size_t i = 0;
	while (i < r->n && node_is_exclusive(r, i))
		i++;
	return i == r->n;
}

bool disks_are_exclusive(const struct report *r, size_t node)
{
	const struct node *n = &r->node[node];
	const struct value *read = neighbours_known_value(n, JOB_READ);
	const struct value *written = neighbours_known_value(n, JOB_WRITTEN);
	double all = neighbours_amount(n, DISK_READ) + neighbours_amount(n, DISK_WRITTEN);

	if (n->shared)
		return false;
	if (!read || !written)
		return node_is_exclusive(r, node);
	return all < DISK_LEAST * (double)n->usec / 1e6 ||
	       read->n + written->n >= DISK_OF_NODE * all;
}

double neighbours_took(const struct neighbours *n, double given, double used)
{
	if (!n->known || n->at_least || n->others <= 0)
		return 0;
	return fmax(fmin(given - used - n->idle, n->others), 0);
}
