/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.c - nodes of one run against each other: which of them did the same work more slowly */
#include "figures/slow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/units.h"

#define SAMPLES  3	/* of a node that is compared, at least */
#define WHOLE    .9	/* of the longest time of a node, at least */
#define BUSY     .05	/* of its CPU time, of nodes that work */
#define PER_MANY 16	/* of so many alike one may be slow */

static const struct derived busy = {
	.id = "", .over = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
}, work = {
	.id = "", .over = { { Q_INSTRUCTIONS, 1 } }, .under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
}, memory = {
	.id = "", .over = { { Q_DRAM_READ, 1 }, { Q_DRAM_WRITTEN, 1 }, { Q_DRAM_BOTH, 1 } },
	.under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } },
};

static double number_of(const struct derived *d, const struct node *n, double seconds)
{
	struct derived_value v = derived_of(d, n->value, seconds);
	return v.known && derived_bound(&v) == BOUND_NONE ? derived_number(d, &v) : NAN;
}

static double count(const struct node *n, const char *id)
{
	size_t f = figure_find(id);
	return value_known(&n->value[f]) ? n->value[f].n : NAN;
}

/* CPUs that worked, of those of the node. */
static double busy_part(const struct node *n, double seconds)
{
	return n->course.cpus ? number_of(&busy, n, seconds) / n->course.cpus : NAN;
}

static double of_cpus(const struct node *n, double seconds, double cpu_seconds)
{
	return n->course.cpus ? cpu_seconds / (seconds * n->course.cpus) : NAN;
}

static double while_busy(const struct derived *d, const struct node *n, double seconds)
{
	return busy_part(n, seconds) >= BUSY ? number_of(d, n, seconds) : NAN;
}

static double read_clock(const struct node *n, double seconds)
{
	return while_busy(&derived[derived_find("clock")], n, seconds);
}

static double read_stolen(const struct node *n, double seconds)
{
	return of_cpus(n, seconds, count(n, "cpu_virt.steal"));
}

/* CPU time that is in no control group of the job, where that has all of its own. */
static double read_others(const struct node *n, double seconds)
{
	double own = count(n, "job.cpu");
	if (isnan(own) || n->value[figure_find("job.cpu")].at_least || node_began_before(n, own))
		return NAN;
	return busy_part(n, seconds) - of_cpus(n, seconds, own);
}

static double read_storage(const struct node *n, double seconds)
{
	(void)seconds;
	return count(n, "osc.reqs") >= 100 ? count(n, "osc.wait") / count(n, "osc.reqs") : NAN;
}

/* Segments of TCP sent again, of packets sent. */
static double read_network(const struct node *n, double seconds)
{
	(void)seconds;
	double sent = count(n, "net.tx_packets");
	return sent >= 10000 ? count(n, "tcp.retrans") / sent : NAN;
}

/* Of programs that hardly need memory the traffic says nothing. */
static double read_memory(const struct node *n, double seconds)
{
	double bytes = while_busy(&memory, n, seconds);
	return bytes >= 100e6 ? bytes : NAN;
}

static double read_kernel(const struct node *n, double seconds)
{
	return of_cpus(n, seconds, count(n, "cpu.system"));
}

static double read_work(const struct node *n, double seconds)
{
	return while_busy(&work, n, seconds);
}

static double read_user(const struct node *n, double seconds)
{
	double part = of_cpus(n, seconds, count(n, "cpu.user"));
	return part >= BUSY ? part : NAN;
}

const struct slow_measure slow_measures[SLOW_MEASURES] = {
	{ "clock",   "the clock of its CPUs was lower",
	  read_clock,   SLOW_LESS,  .03, .of_work = false },
	{ "stolen",  "others took CPU time from this guest",
	  read_stolen,  SLOW_SHARE, .02, .of_work = false },
	{ "others",  "other programs than the job had CPU time",
	  read_others,  SLOW_SHARE, .03, .of_work = false },
	{ "storage", "requests to Lustre's servers took longer",
	  read_storage, SLOW_MORE,  .5,  .of_work = false },
	{ "network", "packets were sent again",
	  read_network, SLOW_SHARE, .01, .of_work = false },
	{ "memory",  "it moved less memory in the same CPU time",
	  read_memory,  SLOW_LESS,  .03, .of_work = true },
	{ "kernel",  "more of its CPU time was in the kernel",
	  read_kernel,  SLOW_SHARE, .03, .of_work = true },
	{ "work",    "it did fewer instructions in the same CPU time",
	  read_work,    SLOW_LESS,  .03, .of_work = true },
	{ "user",    "its programs needed more CPU time",
	  read_user,    SLOW_MORE,  .03, .of_work = true },
};

static bool is_hardware(enum quantity q)
{
	return q >= Q_INSTRUCTIONS && q <= Q_LOADS_REMOTE;
}

/* Counters of another processor have other names. */
static bool has_same_counters(const struct node *a, const struct node *b)
{
	for (size_t i = 0; i < n_figures; i++)
		if (is_hardware(figures[i].quantity) && a->value[i].seen != b->value[i].seen)
			return false;
	return true;
}

static bool is_alike(const struct node *a, const struct node *b)
{
	const struct course *x = &a->course, *y = &b->course;
	double m = count(a, "mem.MemTotal"), k = count(b, "mem.MemTotal");

	return x->cpus == y->cpus && x->cores == y->cores && x->gpus == y->gpus &&
	       x->peaks.clock == y->peaks.clock &&
	       (isnan(m) ? isnan(k) : fabs(m - k) <= .05 * m) && has_same_counters(a, b);
}

static bool is_whole(const struct node *n, int64_t longest)
{
	return n->samples >= SAMPLES && !n->shared && n->boots == 0 && n->usec > 0 &&
	       (double)n->usec >= WHOLE * (double)longest;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), compare);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Of few nodes the MAD itself is by chance: normal noise goes beyond it once in 30,000 nodes. */
static double bound_of(size_t n)
{
	return 5 + 1500. / ((double)n * (double)n);
}

/* Nodes that are alike, in the order of the report, and a place to sort in. */
struct peers {
	size_t *node, n;
	double *x, *sorted;
};

static size_t known_of(struct peers *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (!isnan(p->x[i]))
			p->sorted[n++] = p->x[i];
	return n;
}

/* Makes of values what they are slower by; returns how many are known, 0: they are too few. */
static size_t center(struct peers *p, const struct slow_measure *m)
{
	size_t n = known_of(p);
	double middle = n >= SLOW_PEERS ? median(p->sorted, n) : 0;

	if (n < SLOW_PEERS || (m->slow != SLOW_SHARE && middle <= 0))
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		double more = p->x[i] - middle;
		p->x[i] = m->slow == SLOW_SHARE ? more : m->slow == SLOW_MORE ? more / middle :
			  -more / middle;
	}
	return n;
}

static double mad_of(struct peers *p)
{
	size_t n = known_of(p);
	for (size_t i = 0; i < n; i++)
		p->sorted[i] = fabs(p->sorted[i]);
	return 1.4826 * median(p->sorted, n);
}

/* Parts of a program that need more go over into each other; a bad node stands alone. */
static bool stands_alone(const struct peers *p, size_t i)
{
	return p->node[i] > 0 && !(i > 0 && p->x[i - 1] > p->x[i] / 2) &&
	       !(i + 1 < p->n && p->x[i + 1] > p->x[i] / 2);
}

static void judge(struct peers *p, size_t measure, struct slow_node *ret)
{
	const struct slow_measure *m = &slow_measures[measure];
	size_t n = center(p, m), beyond = 0;
	double bound = n ? fmax(m->least, bound_of(n) * mad_of(p)) : 0;

	for (size_t i = 0; n && i < p->n; i++) {
		ret[p->node[i]].by[measure] = (float)p->x[i];
		beyond += p->x[i] >= bound;
	}
	for (size_t i = 0; beyond && i < p->n; i++)
		if (p->x[i] >= bound && beyond <= fmax(1, (double)n / PER_MANY) &&
		    (!m->of_work || stands_alone(p, i)))
			ret[p->node[i]].slow |= 1u << measure;
}

/* The nodes like this one, of those that nobody has yet. */
static void gather(struct peers *p, const struct report *r, size_t node, bool *taken)
{
	p->n = 0;
	for (size_t i = node; i < r->n; i++)
		if (!taken[i] && (i == node || is_alike(&r->node[node], &r->node[i]))) {
			taken[i] = true;
			p->node[p->n++] = i;
		}
}

static void compare_peers(struct peers *p, const struct report *r, struct slow_node *ret)
{
	for (size_t m = 0; m < SLOW_MEASURES; m++) {
		for (size_t i = 0; i < p->n; i++) {
			const struct node *n = &r->node[p->node[i]];
			p->x[i] = slow_measures[m].read(n, (double)n->usec / 1e6);
		}
		judge(p, m, ret);
	}
}

static void start_nodes(const struct report *r, struct slow_node *ret, bool *taken)
{
	int64_t longest = 0;

	for (size_t i = 0; i < r->n; i++)
		longest = r->node[i].usec > longest ? r->node[i].usec : longest;
	for (size_t i = 0; i < r->n; i++) {
		taken[i] = !is_whole(&r->node[i], longest);
		ret[i].slow = 0;
		for (size_t m = 0; m < SLOW_MEASURES; m++)
			ret[i].by[m] = NAN;
	}
}

void slow_of(const struct report *r, struct slow_node *ret)
{
	bool *taken = xrealloc(NULL, r->n * sizeof(*taken));
	struct peers p = {
		.node = xrealloc(NULL, r->n * sizeof(*p.node)),
		.x = xrealloc(NULL, r->n * sizeof(*p.x)),
		.sorted = xrealloc(NULL, r->n * sizeof(*p.sorted)),
	};

	start_nodes(r, ret, taken);
	for (size_t i = 0; i + SLOW_PEERS <= r->n; i++)
		if (!taken[i]) {
			gather(&p, r, i, taken);
			if (p.n >= SLOW_PEERS)
				compare_peers(&p, r, ret);
		}
	free(taken);
	free(p.node);
	free(p.x);
	free(p.sorted);
}

/* Names the nodes that are slow by the measure; false: none is. */
static bool say(const struct report *r, const struct slow_node *slow, size_t measure, double least,
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
	while (m < SLOW_MEASURES && !say(r, slow, m, threshold / 100, why))
		m++;
	free(slow);
	return m < SLOW_MEASURES;
}
