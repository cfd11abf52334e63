/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.c - compare the nodes of one job, to find nodes that did the same work more slowly */
#include "figures/slow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/units.h"

#define MIN_SAMPLES  3	/* nodes with fewer samples are not compared */
/* fraction of the longest time of the job on any node: nodes with less time are not compared */
#define MIN_TIME_PART    .9
/* fraction of all CPU time: nodes that were busy for less are not compared */
#define MIN_BUSY_PART     .05
/* a node is slow only if at most one in PER_MANY of its peers is slow */
#define PER_MANY 16
/* a node had more or less work if its CPU time differs from the median by more than this factor */
#define SAME_WORK 1.5

static const struct derived busy = {
	.id = "", .over = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
}, work = {
	.id = "", .over = { { Q_INSTRUCTIONS, 1 } }, .under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
}, memory = {
	.id = "", .over = { { Q_DRAM_READ, 1 }, { Q_DRAM_WRITTEN, 1 }, { Q_DRAM_BOTH, 1 } },
	.under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
};

static double slow_exact_number(const struct derived *d, const struct node *n, double seconds)
{
	struct derived_value v = derived_of(d, n->value, seconds);
	return v.known && derived_bound(&v) == BOUND_NONE ? derived_number(d, &v) : NAN;
}

static double slow_count(const struct node *n, const char *id)
{
	size_t f = figure_find(id);
	return value_known(&n->value[f]) ? n->value[f].n : NAN;
}

/* Return the busy CPU time of the node as a fraction of the time of all its CPUs. */
static double slow_busy_part(const struct node *n, double seconds)
{
	return n->course.cpus ? slow_exact_number(&busy, n, seconds) / n->course.cpus : NAN;
}

static double slow_part_of_cpus(const struct node *n, double seconds, double cpu_seconds)
{
	return n->course.cpus ? cpu_seconds / (seconds * n->course.cpus) : NAN;
}

static double slow_rate_while_busy(const struct derived *d, const struct node *n, double seconds)
{
	return slow_busy_part(n, seconds) >= MIN_BUSY_PART ? slow_exact_number(d, n, seconds) : NAN;
}

static double slow_read_clock(const struct node *n, double seconds)
{
	return slow_rate_while_busy(&derived[derived_find("clock")], n, seconds);
}

static double slow_read_stolen(const struct node *n, double seconds)
{
	return slow_part_of_cpus(n, seconds, slow_count(n, "cpu_virt.steal"));
}

/*
 * Return the busy CPU time outside the job's cgroup as a fraction of the time of all CPUs, or NAN
 * if the job's own CPU time is not fully known.
 */
static double slow_read_others(const struct node *n, double seconds)
{
	double own = slow_count(n, "job.cpu");
	if (isnan(own) || n->value[figure_find("job.cpu")].at_least || node_began_before(n, own))
		return NAN;
	return slow_busy_part(n, seconds) - slow_part_of_cpus(n, seconds, own);
}

static double slow_read_storage(const struct node *n, double seconds)
{
	(void)seconds;
	return slow_count(n, "osc.reqs") >= 100 ?
	       slow_count(n, "osc.wait") / slow_count(n, "osc.reqs") : NAN;
}

/* Return the fraction of sent packets that TCP sent again. */
static double slow_read_network(const struct node *n, double seconds)
{
	(void)seconds;
	double sent = slow_count(n, "net.tx_packets");
	return sent >= 10000 ? slow_count(n, "tcp.retrans") / sent : NAN;
}

/*
 * Return the bytes of memory traffic per CPU second. Returns NAN if they are few, because a program
 * that hardly uses memory does not show how fast the node's memory is.
 */
static double slow_read_memory(const struct node *n, double seconds)
{
	double bytes = slow_rate_while_busy(&memory, n, seconds);
	return bytes >= 100e6 ? bytes : NAN;
}

static double slow_read_kernel(const struct node *n, double seconds)
{
	return slow_part_of_cpus(n, seconds, slow_count(n, "cpu.system"));
}

static double slow_read_work(const struct node *n, double seconds)
{
	return slow_rate_while_busy(&work, n, seconds);
}

static double slow_read_user(const struct node *n, double seconds)
{
	double part = slow_part_of_cpus(n, seconds, slow_count(n, "cpu.user"));
	return part >= MIN_BUSY_PART ? part : NAN;
}

const struct slow_measure slow_measures[SLOW_MEASURES] = {
	{ "clock",   "the clock of its CPUs was lower",
	  slow_read_clock,   SLOW_LESS,  .03, .of_work = false },
	{ "stolen",  "others took CPU time from this guest",
	  slow_read_stolen,  SLOW_SHARE, .02, .of_work = false },
	{ "others",  "other programs than the job had CPU time",
	  slow_read_others,  SLOW_SHARE, .03, .of_work = false },
	{ "storage", "requests to Lustre's servers took longer",
	  slow_read_storage, SLOW_MORE,  .5,  .of_work = false },
	{ "network", "packets were sent again",
	  slow_read_network, SLOW_SHARE, .01, .of_work = false },
	{ "memory",  "it moved less memory in the same CPU time",
	  slow_read_memory,  SLOW_LESS,  .03, .of_work = true },
	{ "kernel",  "more of its CPU time was in the kernel",
	  slow_read_kernel,  SLOW_SHARE, .03, .of_work = true },
	{ "work",    "it did fewer instructions in the same CPU time",
	  slow_read_work,    SLOW_LESS,  .03, .of_work = true },
	{ "user",    "its programs needed more CPU time",
	  slow_read_user,    SLOW_MORE,  .03, .of_work = true },
};

static bool slow_is_hardware(enum quantity q)
{
	return q >= Q_INSTRUCTIONS && q <= Q_LOADS_REMOTE;
}

/*
 * Whether both nodes have the same hardware counters. This also compares processor models, since
 * their counters have different names.
 */
static bool slow_has_same_counters(const struct node *a, const struct node *b)
{
	for (size_t i = 0; i < n_figures; i++)
		if (slow_is_hardware(figures[i].quantity) && a->value[i].seen != b->value[i].seen)
			return false;
	return true;
}

static bool slow_is_alike(const struct node *a, const struct node *b)
{
	const struct course *x = &a->course, *y = &b->course;
	double m = slow_count(a, "mem.MemTotal"), k = slow_count(b, "mem.MemTotal");

	return x->cpus == y->cpus && x->cores == y->cores && x->gpus == y->gpus &&
	       x->peaks.clock == y->peaks.clock &&
	       (isnan(m) ? isnan(k) : fabs(m - k) <= .05 * m) && slow_has_same_counters(a, b);
}

static bool slow_is_comparable(const struct node *n, int64_t longest)
{
	return n->samples >= MIN_SAMPLES && !n->shared && n->boots == 0 && n->usec > 0 &&
	       (double)n->usec >= MIN_TIME_PART * (double)longest;
}

static int slow_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double slow_median(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), slow_compare_doubles);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/*
 * Return how many robust standard deviations from the median a slow node is at least. Normal noise
 * exceeds this bound for one in 30,000 nodes. If n, the number of peers, is small, the bound is
 * larger, because the deviation is less certain.
 */
static double slow_bound(size_t n)
{
	return 5 + 1500. / ((double)n * (double)n);
}

/* Similar nodes ("peers"), in the order of the report, and memory for their values. */
struct slow_peers {
	size_t *node, n;
	bool *other_work;
	double *x, *sorted;
};

static size_t slow_copy_known(struct slow_peers *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (!isnan(p->x[i]))
			p->sorted[n++] = p->x[i];
	return n;
}

/*
 * Replace each value in .x by how much slower it is than the median, as a fraction. Returns the
 * number of known values; 0 if there are too few.
 */
static size_t slow_center(struct slow_peers *p, const struct slow_measure *m)
{
	size_t n = slow_copy_known(p);
	double middle = n >= SLOW_PEERS ? slow_median(p->sorted, n) : 0;

	if (n < SLOW_PEERS || (m->slow != SLOW_SHARE && middle <= 0))
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		double more = p->x[i] - middle;
		p->x[i] = m->slow == SLOW_SHARE ? more : m->slow == SLOW_MORE ? more / middle :
			  -more / middle;
	}
	return n;
}

static double slow_mad(struct slow_peers *p)
{
	size_t n = slow_copy_known(p);
	for (size_t i = 0; i < n; i++)
		p->sorted[i] = fabs(p->sorted[i]);
	return 1.4826 * slow_median(p->sorted, n);
}

/*
 * Whether a node is slow, but the nodes before and after it are not. If adjacent nodes are slow, a
 * part of the program may have more work; a defect affects only one node.
 */
static bool slow_stands_alone(const struct slow_peers *p, size_t i)
{
	return p->node[i] > 0 && !(i > 0 && p->x[i - 1] > p->x[i] / 2) &&
	       !(i + 1 < p->n && p->x[i + 1] > p->x[i] / 2);
}

static void slow_judge(struct slow_peers *p, size_t measure, struct slow_node *ret)
{
	const struct slow_measure *m = &slow_measures[measure];
	size_t n = slow_center(p, m), beyond = 0;
	double bound = n ? fmax(m->least, slow_bound(n) * slow_mad(p)) : 0;

	for (size_t i = 0; n && i < p->n; i++) {
		ret[p->node[i]].by[measure] = (float)p->x[i];
		beyond += p->x[i] >= bound;
	}
	for (size_t i = 0; beyond && i < p->n; i++)
		if (p->x[i] >= bound && beyond <= fmax(1, (double)n / PER_MANY) &&
		    (!m->of_work || (!p->other_work[i] && slow_stands_alone(p, i))))
			ret[p->node[i]].slow |= 1u << measure;
}

/* Collect the nodes that are similar to `node`, except nodes that are in a group already. */
static void slow_gather_peers(struct slow_peers *p, const struct report *r, size_t node,
			      bool *grouped)
{
	p->n = 0;
	for (size_t i = node; i < r->n; i++)
		if (!grouped[i] && (i == node || slow_is_alike(&r->node[node], &r->node[i]))) {
			grouped[i] = true;
			p->node[p->n++] = i;
		}
}

/*
 * Set .other_work of nodes that had more or less work than their peers, according to their CPU
 * time.
 */
static void slow_find_other_work(struct slow_peers *p, const struct report *r)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct node *n = &r->node[p->node[i]];
		p->x[i] = slow_busy_part(n, (double)n->usec / 1e6);
	}
	size_t n = slow_copy_known(p);
	double middle = n ? slow_median(p->sorted, n) : NAN;
	for (size_t i = 0; i < p->n; i++)
		p->other_work[i] = p->x[i] > middle * SAME_WORK || p->x[i] < middle / SAME_WORK;
}

static void slow_compare_peers(struct slow_peers *p, const struct report *r, struct slow_node *ret)
{
	slow_find_other_work(p, r);
	for (size_t m = 0; m < SLOW_MEASURES; m++) {
		for (size_t i = 0; i < p->n; i++) {
			const struct node *n = &r->node[p->node[i]];
			p->x[i] = slow_measures[m].read(n, (double)n->usec / 1e6);
		}
		slow_judge(p, m, ret);
	}
}

static void slow_init_nodes(const struct report *r, struct slow_node *ret, bool *grouped)
{
	int64_t longest = 0;

	for (size_t i = 0; i < r->n; i++)
		longest = r->node[i].usec > longest ? r->node[i].usec : longest;
	for (size_t i = 0; i < r->n; i++) {
		grouped[i] = !slow_is_comparable(&r->node[i], longest);
		ret[i].slow = 0;
		for (size_t m = 0; m < SLOW_MEASURES; m++)
			ret[i].by[m] = NAN;
	}
}

void slow_of(const struct report *r, struct slow_node *ret)
{
	bool *grouped = xrealloc(NULL, r->n * sizeof(*grouped));
	struct slow_peers p = {
		.node = xrealloc(NULL, r->n * sizeof(*p.node)),
		.other_work = xrealloc(NULL, r->n * sizeof(*p.other_work)),
		.x = xrealloc(NULL, r->n * sizeof(*p.x)),
		.sorted = xrealloc(NULL, r->n * sizeof(*p.sorted)),
	};

	slow_init_nodes(r, ret, grouped);
	for (size_t i = 0; i + SLOW_PEERS <= r->n; i++)
		if (!grouped[i]) {
			slow_gather_peers(&p, r, i, grouped);
			if (p.n >= SLOW_PEERS)
				slow_compare_peers(&p, r, ret);
		}
	free(grouped);
	free(p.node);
	free(p.other_work);
	free(p.x);
	free(p.sorted);
}

/*
 * Append the names of nodes that are slow by one measure, by at least `least`. Returns false if
 * there are none.
 */
static bool slow_print_nodes(const struct report *r, const struct slow_node *slow, size_t measure,
			     double least,
			     struct buf *why)
{
	static const char *const sides[] = {
		[SLOW_LESS] = "% below", [SLOW_MORE] = "% above",
		[SLOW_SHARE] = "percentage points above",
	};
	size_t named = 0, most = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!(slow[i].slow & 1u << measure) || slow[i].by[measure] < least)
			continue;
		if (named == 0 || slow[i].by[measure] > slow[most].by[measure])
			most = i;
		if (named++ < 4)
			buf_addf(why, "%s%s", named > 1 ? ", " : "",
				 text_name(node_name(r, i), 24).s);
	}
	if (named)
		buf_addf(why, "%s: %s, %.1f %s the median of the nodes", named > 4 ? ", ..." : "",
			 slow_measures[measure].title, 100 * (double)slow[most].by[measure],
			 sides[slow_measures[measure].slow]);
	return named;
}

bool slow_holds(const struct report *r, double threshold, struct buf *why)
{
	struct slow_node *slow = xrealloc(NULL, r->n * sizeof(*slow));
	size_t m = 0;

	slow_of(r, slow);
	while (m < SLOW_MEASURES && !slow_print_nodes(r, slow, m, threshold / 100, why))
		m++;
	free(slow);
	return m < SLOW_MEASURES;
}
