/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - what became of the CPU time that a job was given: seconds that add up to all of it */
#include "figures/parts.h"

#include <math.h>
#include "base/json.h"
#include "figures/used.h"

const struct part_name part_names[PARTS] = {
	[PART_USER]    = { "user",        "in its programs",    'U' },
	[PART_KERNEL]  = { "kernel",      "in the kernel",      'K' },
	[PART_CPU]     = { "cpu_wait",    "waiting for a CPU",  'C' },
	[PART_IO]      = { "io_wait",     "waiting for I/O",    'I' },
	[PART_MEMORY]  = { "memory_wait", "waiting for memory", 'M' },
	[PART_ASLEEP]  = { "asleep",      "asleep",             's' },
	[PART_UNUSED]  = { "unused",      "never used",         '.' },
	[PART_UNKNOWN] = { "unknown",     "not known",          '?' },
};

/* 0 where it is not known; *known, if it is there, is set where it is. */
static double read_value(const struct node *n, const char *id, bool *known)
{
	size_t f = figure_find(id);
	bool is = f < n_figures && value_known(&n->value[f]);
	if (known)
		*known |= is;
	return is ? value_of(&figures[f], &n->value[f]) : 0;
}

static double value(const struct node *n, const char *id)
{
	return read_value(n, id, NULL);
}

/*
 * Splits the seconds used in the ratio of the two modes: control groups of v1 count the modes in
 * steps of 10 ms, and CPU time exactly.
 */
static bool split(struct parts *p, double used, double user, double kernel)
{
	if (user + kernel <= 0)
		return used <= 0;
	p->part[PART_USER] = used * user / (user + kernel);
	p->part[PART_KERNEL] = used * kernel / (user + kernel);
	return true;
}

static void take(struct parts *p, double *left, enum part part, double seconds)
{
	double n = fmax(fmin(seconds, *left), 0);
	p->part[part] += n;
	*left -= n;
}

static double whole_node(const struct node *n)
{
	return n->course.cpus * (double)n->usec / 1e6;
}

/*
 * Returns what is left of the time given. A job may use more of a node than it was given. Of a node
 * that it had alone, CPUs that worked outside of its control group did not sleep.
 */
static double put_used(struct parts *p, const struct node *n, const struct used *u)
{
	double used = u->n * (double)n->usec / 1e6, others = 0;
	double user = value(n, "cpu.user") + value(n, "cpu.nice");
	double kernel = value(n, "cpu.system") + value(n, "cpu.irq") + value(n, "cpu.softirq");
	bool known = false;

	if (u->own) {
		used = fmin(used, p->of);
		known = split(p, used, value(n, "job.user"), value(n, "job.system")) ||
			(!n->shared && split(p, used, user, kernel));
		others = n->shared ? 0 : busy_time(user, kernel, whole_node(n)) - used;
	} else {
		used = fmin(user + kernel, p->of);
		known = split(p, used, user, kernel);
	}
	if (!known)
		p->part[PART_UNKNOWN] = used;
	double left = p->of - used;
	take(p, &left, PART_UNKNOWN, others);
	return left;
}

/* CPUs that it had processes for: as many as worked at once, and as it had threads. */
static double width(const struct node *n, const struct used *u)
{
	bool known = false;
	double threads = read_value(n, "job.pids", &known);
	double most = fmax(ceil(n->course.widest - .05), ceil(u->n - .05));
	return fmax(most, known ? threads : n->shared ? u->of : n->course.cpus_used);
}

/*
 * The kernel says for how long at least one task waited (PSI). Of tasks that wait for a CPU the
 * samples say how many there were; the one that takes the sample runs, too.
 */
static double waited_for_cpu(const struct node *n, const struct used *u)
{
	double waiting = value(n, "ps.running") - 1 - u->n;

	return value(n, "psi.cpu-some") * fmax(waiting, 1) + value(n, "cpu_virt.steal");
}

static void put_waits(struct parts *p, const struct node *n, const struct used *u, double *left)
{
	bool known = false;
	double memory = read_value(n, "psi.memory-some", &known);
	double io = fmax(read_value(n, "psi.io-some", &known), read_value(n, "cpu.iowait", &known));

	take(p, left, PART_CPU, waited_for_cpu(n, u));
	take(p, left, PART_MEMORY, memory);
	take(p, left, PART_IO, io - memory);	/* pages that come back are I/O, too */
	if (!known)
		take(p, left, PART_UNKNOWN, fmin(*left, width(n, u) * (double)n->usec / 1e6));
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
	double left = put_used(&p, n, &u);
	take(&p, &left, PART_CPU, value(n, "job.throttled"));
	if (!n->shared)
		put_waits(&p, n, &u, &left);
	take(&p, &left, PART_UNUSED, p.of - width(n, &u) * seconds);
	p.part[n->shared ? PART_UNKNOWN : PART_ASLEEP] += left;
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
