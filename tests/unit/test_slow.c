/* SPDX-License-Identifier: BSD-3-Clause */
/* test_slow.c - find the slow node of simulated fleets, in one run and over many runs */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "report/jobs/suspects.h"

#define NODES    64
#define READ     "intel_x86_uncore_imc_icx.dram_cas_reads"
#define CPUS     96
#define INTERVAL 300
#define NOISE    .008	/* relative noise of a node in each interval */
#define CHIPS    .005	/* permanent relative differences between nodes */

enum fault { NONE, SLOWER, LOW_CLOCK, BANDWIDTH, BAD_OST, STOLEN, DAEMON, SOCKET, RETRANS, FAULTS };
enum kind { PLAIN, FEW, RAMP, STEEP_RAMP, MASTER, MIXED, MISSING, KINDS };

struct fleet {
	uint64_t seed;
	enum fault fault;
	enum kind kind;
	size_t bad;		/* the faulty node; a bad OST also slows node (bad + 31) % NODES */
	double chip[NODES];
	size_t at[NODES];	/* at[i]: the node at place i of the run */
};

/* Return a uniform random number between 0 and 1. */
static double chance(struct fleet *f)
{
	f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(f->seed >> 11) + .5) / 0x1p53;
}

static double normal(struct fleet *f)
{
	double far = sqrt(-2 * log(chance(f)));
	return far * cos(2 * 3.14159265358979 * chance(f));
}

static struct fleet fleet(uint64_t seed, enum fault fault, enum kind kind)
{
	struct fleet f = { .seed = seed * 77777 + 1, .fault = fault, .kind = kind };

	for (size_t i = 0; i < NODES; i++)
		f.chip[i] = CHIPS * normal(&f);
	f.bad = (size_t)(chance(&f) * NODES);
	return f;
}

static void set(struct node *n, const char *id, double v)
{
	size_t f = figure_find(id);
	assert_true(f < n_figures);
	n->value[f] = (struct value){ .seen = true, .n = v, .samples = 3, .devices = 1 };
}

static bool has_fault(const struct fleet *f, size_t who)
{
	return who == f->bad || (f->fault == BAD_OST && who == (f->bad + 31) % NODES);
}

/* Return `mean` with the noise of two intervals and with the node's permanent difference. */
static double noisy(struct fleet *f, size_t who, double mean)
{
	double chip = 1 + f->chip[who];
	return mean * chip * (2 + NOISE * (normal(f) + normal(f))) / 2;
}

/*
 * Return the share of its CPU time that a node is busy, by its place in the run and the kind of
 * fleet.
 */
static double part_of(const struct fleet *f, size_t place)
{
	double at = (double)place / NODES;
	return f->kind == RAMP ? .4 + .6 * at : f->kind == STEEP_RAMP ? .2 + .7 * pow(at, 6) :
	       f->kind == MASTER && place == 0 ? 1.1 : .9;
}

static void fill_hardware(struct fleet *f, struct node *n, size_t who, double busy)
{
	bool bad = has_fault(f, who);
	double clock = bad && f->fault == LOW_CLOCK ? .95 : bad && f->fault == SOCKET ? .9 : 1;
	double rate = bad && f->fault == SLOWER ? .95 : clock;
	double bytes = bad && f->fault == BANDWIDTH ? .9 : 1;

	set(n, "perf_hw.cycles", noisy(f, who, 2.6e9 * clock * busy));
	set(n, "perf_hw.instructions", noisy(f, who, 3e9 * rate * busy));
	set(n, READ, noisy(f, who, 1.5e9 * bytes * busy));
	set(n, "intel_x86_uncore_imc_icx.dram_cas_writes", noisy(f, who, .5e9 * bytes * busy));
}

static void fill(struct fleet *f, struct node *n, size_t who, size_t place)
{
	bool bad = has_fault(f, who);
	double all = 2. * INTERVAL * CPUS, longer = bad && f->fault == SLOWER ? 1.05 : 1;
	double user = noisy(f, who, all * part_of(f, place) * longer * .95);
	double system = noisy(f, who, .02 * all), busy = user + system;

	n->course.cpus = n->course.cores = CPUS;
	n->samples = 3;
	n->usec = 2 * INTERVAL * INT64_C(1000000);
	set(n, "cpu.user", user);
	set(n, "cpu.nice", 0);
	set(n, "cpu.system", system);
	set(n, "cpu.irq", 0);
	set(n, "cpu.softirq", 0);
	set(n, "mem.MemTotal", 256e9 * (1 + .001 * chance(f)));
	set(n, "job.cpu", busy - .002 * all * chance(f) -
	    (bad && f->fault == DAEMON ? .05 * all : 0));
	set(n, "cpu_virt.steal", .001 * all * chance(f) +
	    (bad && f->fault == STOLEN ? .04 * all : 0));
	set(n, "osc.reqs", 10000);
	set(n, "osc.wait", 50 * exp(.1 * normal(f)) * (bad && f->fault == BAD_OST ? 3 : 1));
	set(n, "net.tx_packets", 1e6);
	set(n, "tcp.retrans", 200 * chance(f) + (bad && f->fault == RETRANS ? 2e4 : 0));
	fill_hardware(f, n, who, busy);
}

/*
 * Change a node of a mixed fleet: kinds 1 and 2 have fewer CPUs and are a tenth slower, and only
 * nodes 0 and 1 are of kind 2.
 */
static void mix(struct fleet *f, struct node *n, size_t who)
{
	size_t kind = who < 2 ? 2 : who % 2;

	if (f->kind != MIXED || kind == 0)
		return;
	n->course.cpus = kind == 1 ? CPUS / 2 : CPUS / 4;
	n->value[figure_find("perf_hw.cycles")].n *= .9;
	n->value[figure_find(READ)].n *= .7;
	for (const char *const *id = (const char *const []){ "cpu.user", "cpu.system", "job.cpu",
							     "cpu_virt.steal", NULL }; *id; id++)
		n->value[figure_find(*id)].n *= kind == 1 ? .5 : .25;
}

/* Lose data at random: a type is missing, a counter is saturated, or a node was seen late. */
static void lose(struct fleet *f, struct node *n)
{
	static const char *const lost[] = { "perf_hw.cycles", "cpu.system", "osc.wait", "job.cpu" };

	if (f->kind != MISSING)
		return;
	if (chance(f) < .3)
		n->value[figure_find(lost[(size_t)(chance(f) * 4)])] = (struct value){ 0 };
	if (chance(f) < .1)
		n->value[figure_find("tcp.retrans")].saturated = 1;
	if (chance(f) < .1) {
		n->usec /= 2;
		n->samples = 2;
	}
}

static void make_run(struct fleet *f, struct report *r)
{
	size_t n = f->kind == FEW ? 4 + (size_t)(12 * chance(f)) : NODES;

	*r = (struct report){ .job = "7", .n = n };
	r->node = memset(xrealloc(NULL, n * sizeof(*r->node)), 0, n * sizeof(*r->node));
	for (size_t i = 0; i < n; i++) {
		size_t size = n_figures * sizeof(*r->node[i].value);
		r->node[i].value = memset(xrealloc(NULL, size), 0, size);
	}
	for (size_t i = 0; i < NODES; i++)
		f->at[i] = i;
	/* the nodes are in a different order in each run */
	for (size_t i = NODES - 1; i > 0; i--) {
		size_t k = (size_t)(chance(f) * (double)(i + 1)), was = f->at[i];
		f->at[i] = f->at[k];
		f->at[k] = was;
	}
	for (size_t i = 0; i < n; i++) {
		struct buf name = { 0 };
		buf_addf(&name, "n%02zu%c", f->at[i], '\0');
		r->node[i].name = name.p;
		fill(f, &r->node[i], f->at[i], i);
		mix(f, &r->node[i], f->at[i]);
		lose(f, &r->node[i]);
	}
}

/* Numbers of correct and of false verdicts "slow", of planted faults, and of nodes in all runs. */
struct said {
	size_t right, wrong, planted, node_runs;
};

static void count_run(const struct fleet *f, const struct report *r, struct said *s)
{
	struct slow_node slow[NODES];

	slow_of(r, slow);
	for (size_t i = 0; i < r->n; i++) {
		bool is = f->fault != NONE && has_fault(f, f->at[i]);
		s->planted += is;
		s->right += is && slow[i].slow;
		s->wrong += !is && slow[i].slow;
		s->node_runs++;
	}
}

/* Add a run to the suspects after it was written as a row and read again. */
static void keep_run(struct suspects *s, const struct report *r, int64_t time)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct job_used used = { 0 };
	struct run_row row;

	run_row_put(&b, r, &used);
	assert_true(run_row_take(buf_str(&b), &row));
	suspects_add(s, &row, time, time + 2 * INTERVAL);
}

static void count_suspects(const struct fleet *f, const struct suspects *s, struct said *said)
{
	struct suspect *found = NULL;
	size_t n = suspects_find(s, &found);
	bool is[NODES] = { false };

	for (size_t i = 0; i < n; i++)
		is[10 * (found[i].node[1] - '0') + found[i].node[2] - '0'] = true;
	for (size_t i = 0; i < NODES; i++) {
		bool bad = f->fault != NONE && has_fault(f, i);
		said->planted += bad;
		said->right += bad && is[i];
		said->wrong += !bad && is[i];
		said->node_runs++;
	}
	free(found);
}

/* Return the number of fleets for each fault and kind. A fleet has five runs of three samples. */
static size_t fleets(void)
{
	const char *text = getenv("SLOW_FLEETS");
	struct str s = str_of(text ? text : "");
	uint64_t n;
	return str_take_u64(&s, &n) ? (size_t)n : 2;
}

static void live(size_t n, enum fault fault, enum kind kind, struct said *run, struct said *all)
{
	for (size_t i = 0; i < n; i++) {
		struct fleet f = fleet(i * 100 + (size_t)fault * 10 + (size_t)kind, fault, kind);
		struct suspects s CLEANUP(suspects_free) = { 0 };
		for (int k = 0; k < 5; k++) {
			struct report r;
			make_run(&f, &r);
			count_run(&f, &r, run);
			keep_run(&s, &r, k);
			report_free(&r);
		}
		count_suspects(&f, &s, all);
	}
}

static void judge(const char *what, const struct said *s)
{
	print_message("%s: %zu of %zu found, and %zu of %zu others\n", what, s->right, s->planted,
		      s->wrong, s->node_runs - s->planted);
	/* do not check 95 % for fewer than 100 planted faults, when chance decides */
	if (s->planted >= 100 || s->planted == 0)
		assert_true((double)s->right >= .95 * (double)s->planted);
	assert_true(1000 * s->wrong <= s->node_runs);
}

static void add(struct said *to, const struct said *more)
{
	to->right += more->right;
	to->wrong += more->wrong;
	to->planted += more->planted;
	to->node_runs += more->node_runs;
}

TEST(a_fault_is_found_in_a_run_of_three_samples_and_in_five_runs)
{
	static const char *const names_of[FAULTS] = {
		[SLOWER] = "5 % slower", [LOW_CLOCK] = "clock 5 % lower",
		[BANDWIDTH] = "memory 10 % slower", [BAD_OST] = "a bad OST",
		[STOLEN] = "stolen CPU", [DAEMON] = "a daemon", [SOCKET] = "a throttled socket",
		[RETRANS] = "packets lost",
	};
	struct said runs = { 0 }, fives = { 0 };

	for (int i = NONE + 1; i < FAULTS; i++) {
		struct said run = { 0 }, five = { 0 };
		live(fleets(), (enum fault)i, PLAIN, &run, &five);
		judge(names_of[i], &run);
		judge("  by five runs", &five);
		add(&runs, &run);
		add(&fives, &five);
	}
	assert_true((double)runs.right >= .95 * (double)runs.planted);
	assert_true((double)fives.right >= .95 * (double)fives.planted);
}

TEST(at_most_one_in_a_thousand_nodes_without_a_fault_is_found)
{
	static const char *const names_of[KINDS] = {
		"nodes that are alike", "4 to 15 nodes", "a ramp", "a steep ramp",
		"a first node with more to do", "nodes of three kinds", "values are missing",
	};

	for (int i = PLAIN; i < KINDS; i++) {
		struct said run = { 0 }, five = { 0 };
		live(fleets(), NONE, (enum kind)i, &run, &five);
		judge(names_of[i], &run);
		judge("  by five runs", &five);
	}
}

/* Leave a node only a tenth of its work, which it does at half the usual rate. */
static void take_work(struct node *n)
{
	static const char *const of_work[] = {
		"cpu.user", "cpu.system", "job.cpu", "perf_hw.cycles",
	}, *const of_rate[] = {
		"perf_hw.instructions", READ, "intel_x86_uncore_imc_icx.dram_cas_writes",
	};
	for (size_t i = 0; i < ARRAY_SIZE(of_work); i++)
		n->value[figure_find(of_work[i])].n *= .1;
	for (size_t i = 0; i < ARRAY_SIZE(of_rate); i++)
		n->value[figure_find(of_rate[i])].n *= .05;
}

TEST(a_node_with_more_or_less_work_than_the_others_is_not_slow)
{
	for (size_t node = 0; node < 8; node++) {
		struct fleet f = fleet(node + 1, NONE, FEW);
		struct slow_node slow[NODES];
		struct report r;

		make_run(&f, &r);
		for (size_t i = 0; i < r.n; i++)
			if ((i == node / 2) == (node % 2))
				take_work(&r.node[i]);
		slow_of(&r, slow);
		for (size_t i = 0; i < r.n; i++)
			assert_int_equal(slow[i].slow, 0);
		report_free(&r);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_fault_is_found_in_a_run_of_three_samples_and_in_five_runs),
	    cmocka_unit_test(at_most_one_in_a_thousand_nodes_without_a_fault_is_found),
	    cmocka_unit_test(a_node_with_more_or_less_work_than_the_others_is_not_slow));
}
