/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - split the CPU time allocated to a job into parts, by what the CPUs did */
#include "figures/parts.h"

#include <math.h>
#include "base/base.h"
#include "base/json.h"
#include "figures/neighbours.h"
#include "figures/used.h"

const struct part_name part_names[PARTS] = {
	[PART_USER]    = { "user",        "user",               'U' },
	[PART_KERNEL]  = { "kernel",      "system",             'K' },
	[PART_OTHERS]  = { "others",      "other programs",     'o' },
	[PART_CPU]     = { "cpu_wait",    "waiting for CPU",    'C' },
	[PART_IO]      = { "io_wait",     "waiting for I/O",    'I' },
	[PART_MEMORY]  = { "memory_wait", "waiting for memory", 'M' },
	[PART_ASLEEP]  = { "asleep",      "idle, tasks asleep", 's' },
	[PART_UNUSED]  = { "unused",      "idle, no task",      '.' },
	[PART_UNKNOWN] = { "unknown",     "unknown",            '?' },
};

/*
 * Return the value of a figure on a node, or 0 if it is unknown. Sets *known to true if it is
 * known; `known` may be NULL.
 */
static double parts_read_value(const struct node *n, const char *id, bool *known)
{
	size_t f = figure_find(id);
	bool is = f < n_figures && value_known(&n->value[f]);
	if (known)
		*known |= is;
	return is ? value_of(&figures[f], &n->value[f]) : 0;
}

static double parts_value(const struct node *n, const char *id)
{
	return parts_read_value(n, id, NULL);
}

/*
 * Split the CPU time `used` into user and kernel time by the ratio of `user` and `kernel`, because
 * cgroup v1 counts the sum exactly, but user and kernel time in ticks of 10 ms. Returns false if
 * the ratio is unknown.
 */
static bool parts_split_used(struct parts *p, double used, double user, double kernel)
{
	if (user + kernel <= 0)
		return used <= 0;
	p->part[PART_USER] = used * user / (user + kernel);
	p->part[PART_KERNEL] = used * kernel / (user + kernel);
	return true;
}

static void parts_take(struct parts *p, double *left, enum part part, double seconds)
{
	double n = fmax(fmin(seconds, *left), 0);
	p->part[part] += n;
	*left -= n;
}

static double parts_node_seconds(const struct node *n)
{
	return n->course.cpus * (double)n->usec / 1e6;
}

/*
 * Assign CPU time to programs outside the job, and return the rest of the allocated CPU time. If no
 * such program is known and the job had the node alone, busy CPU time that is not in `used` goes to
 * PART_UNKNOWN: the user may have started programs by ssh, outside the job's cgroup.
 */
static double parts_take_others(struct parts *p, double used, double busy, const struct report *r,
				size_t node)
{
	struct neighbours n = neighbours_of(r, node);
	double left = p->of - used;

	if (n.others > 0)
		parts_take(p, &left, PART_OTHERS, neighbours_took(&n, p->of, used));
	else if (!r->node[node].shared)
		parts_take(p, &left, PART_UNKNOWN, busy - used);
	return left;
}

/*
 * Assign the CPU time that the job used, at most its allocation, and that of other programs.
 * Returns the rest of the allocated CPU time.
 */
static double parts_take_used(struct parts *p, const struct report *r, size_t node,
			      const struct used *u)
{
	const struct node *n = &r->node[node];
	double used = u->n * (double)n->usec / 1e6, left;
	double user = parts_value(n, "cpu.user") + parts_value(n, "cpu.nice");
	double kernel = parts_value(n, "cpu.system") + parts_value(n, "cpu.irq") +
			parts_value(n, "cpu.softirq");

	used = fmin(u->from_job ? used : user + kernel, p->of);
	bool known = u->from_job && parts_split_used(p, used, parts_value(n, "job.user"),
						     parts_value(n, "job.system"));
	if (!known && (!u->from_job || node_is_exclusive(r, node)))
		known = parts_split_used(p, used, user, kernel);
	if (!known)
		p->part[PART_UNKNOWN] = used;
	left = u->from_job ? parts_take_others(p, used, busy_time(user, kernel,
							       parts_node_seconds(n)), r, node) :
			     p->of - used;
	if (u->at_least)
		parts_take(p, &left, PART_UNKNOWN, left);
	return left;
}

/*
 * Estimate for how many CPUs the job had processes: the largest number of busy CPUs or, if larger,
 * the largest number of the job's threads.
 */
static double parts_estimate_width(const struct node *n, const struct used *u, bool alone)
{
	bool known = false;
	double threads = parts_read_value(n, "job.pids", &known);
	double most = fmax(ceil(n->course.widest - .05), ceil(u->n - .05));
	return fmax(most, known ? threads : alone ? n->course.cpus_used : u->of);
}

/*
 * Return how long the job's own tasks waited for a CPU, less the CPU time in PART_OTHERS; 0 if
 * unknown.
 */
static double parts_own_wait(const struct parts *p, const struct node *n)
{
	return fmax(parts_value(n, "job.cpu_wait") - p->part[PART_OTHERS], 0);
}

/*
 * Return how many CPU seconds the job's tasks waited for a CPU. If some of these waits were not
 * read, estimate them: the time in which any task of the node waited (PSI), times the mean number
 * of waiting tasks, not counting the sampler.
 */
static double parts_waited_for_cpu(const struct parts *p, const struct node *n,
				   const struct used *u)
{
	const struct value *wait = &n->value[figure_find("job.cpu_wait")];
	double waiting = parts_value(n, "ps.running") - 1 - u->n;
	double own = parts_own_wait(p, n), steal = parts_value(n, "cpu_virt.steal");

	if (value_known(wait) && !wait->at_least)
		return own + steal;
	return fmax(own, parts_value(n, "psi.cpu-some") * fmax(waiting, 1)) + steal;
}

/*
 * Whether the value of some wait is unknown, for example because it is impossible. All CPU time
 * that has no part yet may then be waits.
 */
static bool parts_waits_are_unknown(const struct node *n)
{
	static const char *const ids[] = {
		"job.throttled", "psi.cpu-some", "cpu_virt.steal", "psi.memory-some",
		"psi.io-some", "cpu.iowait",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (value_unknown(&n->value[figure_find(ids[i])]))
			return true;
	return false;
}

/*
 * Return an upper bound of the time that the job's tasks waited for I/O: the time in which they
 * neither ran nor waited for a CPU; INFINITY if unknown. The node's I/O pressure (PSI) may be
 * larger, because it includes waits of other programs.
 */
static double parts_longest_io(const struct node *n)
{
	bool known = false;
	double tasks = parts_read_value(n, "job.pids", &known);
	double seconds = (double)n->usec / 1e6;

	if (!known || n->course.demand.seconds <= 0)
		return INFINITY;
	return fmax(tasks * seconds - parts_value(n, "job.cpu") - parts_value(n, "job.cpu_wait"),
		    0);
}

static void parts_take_waits(struct parts *p, const struct report *r, size_t node,
			     const struct used *u,
			     double *left)
{
	const struct node *n = &r->node[node];
	bool known = false;
	double memory = parts_read_value(n, "psi.memory-some", &known);
	double io = fmax(parts_read_value(n, "psi.io-some", &known),
			 parts_read_value(n, "cpu.iowait", &known));

	io = fmin(io, parts_longest_io(n));
	parts_take(p, left, PART_CPU, parts_waited_for_cpu(p, n, u));
	parts_take(p, left, PART_MEMORY, memory);
	/*
	 * waits for pages from swap space are in both `io` and `memory`; count them as memory waits
	 */
	parts_take(p, left, disks_are_exclusive(r, node) ? PART_IO : PART_UNKNOWN, io - memory);
	if (parts_waits_are_unknown(n))
		parts_take(p, left, PART_UNKNOWN, *left);
	if (!known)
		parts_take(p, left, PART_UNKNOWN,
			   fmin(*left, parts_estimate_width(n, u, true) * (double)n->usec / 1e6));
}

/* Return the idle CPU seconds of all CPUs of the node. */
static double parts_idle(const struct report *r, size_t node)
{
	const struct node *n = &r->node[node];
	return parts_value(n, "cpu.idle") + parts_value(n, "cpu.iowait");
}

struct parts parts_of_node(const struct report *r, size_t node)
{
	const struct node *n = &r->node[node];
	double seconds = (double)n->usec / 1e6;
	struct parts p = { cpus_given(n) * seconds, { 0 } };
	struct used u = used_of_node(r, node, USED_CPU);

	if (!r->job || p.of <= 0)
		return (struct parts){ 0 };
	if (u.of <= 0) {
		p.part[PART_UNKNOWN] = p.of;
		return p;
	}
	double left = parts_take_used(&p, r, node, &u);
	bool alone = node_is_exclusive(r, node);
	parts_take(&p, &left, PART_CPU, parts_value(n, "job.throttled"));
	if (alone)
		parts_take_waits(&p, r, node, &u, &left);
	else
		parts_take(&p, &left, PART_CPU, parts_own_wait(&p, n));
	double unused = p.of - parts_estimate_width(n, &u, alone) * seconds;
	/*
	 * on a shared node, unused CPUs of the job may be busy with other programs; only idle CPU
	 * time counts as unused
	 */
	parts_take(&p, &left, PART_UNUSED, alone ? unused : fmin(unused, parts_idle(r, node)));
	p.part[alone ? PART_ASLEEP : PART_UNKNOWN] += left;
	return p;
}

struct parts parts_of(const struct report *r)
{
	struct parts all = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		struct parts p = parts_of_node(r, i);
		if (p.of <= 0)
			return (struct parts){ 0 };
		all.of += p.of;
		for (int k = 0; k < PARTS; k++)
			all.part[k] += p.part[k];
	}
	return all;
}

void parts_put_json(struct buf *b, const struct parts *p)
{
	if (p->of <= 0)
		return;
	json_open(b, "parts", '{');
	json_double(b, "given", p->of);
	for (int i = 0; i < PARTS; i++)
		json_double(b, part_names[i].name, p->part[i]);
	json_close(b, '}');
}
