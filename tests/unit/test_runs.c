/* SPDX-License-Identifier: BSD-3-Clause */
/* test_runs.c - join runs on single nodes to one job, and measure how far their clocks differ */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "figures/runs.h"

#define SECOND INT64_C(1000000)
#define DAY    86400

/* A run on a node, with times in seconds. */
struct one {
	const char *host, *user;
	int64_t start, end, left;
	bool no_begin, no_end;
	uint64_t nodes;
	int64_t longest, longest_at;
	uint32_t cpus;		/* number of CPUs on which the run worked at a time */
};

static void add_run(struct report *r, const struct one *one)
{
	struct runs *all = &r->found;
	all->run = xrealloc(all->run, (all->n + 1) * sizeof(*all->run));
	struct run *run = &all->run[all->n++];
	memset(run, 0, sizeof(*run));
	run->nodes = one->nodes;
	run->node = (struct node){
		.name = xstrdup(str_of(one->host)), .runs = 1,
		.start = one->start * SECOND, .end = one->end * SECOND,
		.usec = (one->end - one->start) * SECOND, .absent_from = one->left * SECOND,
		.wall_start = one->start * SECOND, .wall_end = one->end * SECOND,
		.no_begin = one->no_begin, .no_end = one->no_end,
		.longest = one->longest, .longest_at = one->longest_at,
		.course = {
			.widest = one->cpus, .cpus_used = one->cpus,
			.demand = { .seconds = 10, .cpus = one->cpus, .most = one->cpus },
			.bound = { .processes = one->cpus, .threads = one->cpus, .cpus = 1 },
			.held = { 1, { { .number = one->cpus, .longest = one->cpus } } },
		},
		.value = xrealloc(NULL, n_figures * sizeof(struct value)),
	};
	memset(run->node.value, 0, n_figures * sizeof(struct value));
	str_copy(run->owner.user, sizeof(run->owner.user), str_of(one->user ? one->user : ""));
}

/* Make the report of job 7 from these runs, the newest last. A run with host NULL ends the list. */
static struct report choose(const struct one *one)
{
	struct report r = { .job = "7", .since = INT64_MIN, .until = INT64_MAX };
	for (; one->host; one++)
		add_run(&r, one);
	runs_choose(&r);
	return r;
}

TEST(runs_at_the_same_time_are_one_job)
{
	static const struct {
		const char *what;
		struct one run[4];
		size_t nodes, others;
	} cases[] = {
		{ "two nodes", { { "a", "u", 0, 100 }, { "b", "u", 1, 101 } }, 2, 0 },
		{ "half of it", { { "a", "u", 0, 100 }, { "b", "u", 50, 150 } }, 2, 0 },
		/* runs of equal length, on nodes whose clocks differ */
		{ "less than half", { { "a", "u", 0, 100 }, { "b", "u", 51, 151 } }, 2, 0 },
		{ "less than half, of another length",
		  { { "a", "u", 0, 100 }, { "b", "u", 60, 260 } }, 1, 1 },
		{ "another user", { { "a", "u", 0, 100 }, { "b", "v", 0, 100 } }, 1, 1 },
		{ "an unknown user", { { "a", "u", 0, 100 }, { "b", NULL, 0, 100 } }, 2, 0 },
		{ "the same node later", { { "a", "u", 0, 100 }, { "a", "u", 200, 300 } }, 1, 1 },
		{ "another node later, and one was asked for",
		  { { "a", "u", 0, 100, .nodes = 1 }, { "b", "u", 200, 300 } }, 1, 1 },
		{ "another node a quarter of an hour later",
		  { { "a", "u", 0, 100 }, { "b", "u", 900, 1000 } }, 2, 0 },
		{ "and a second more", { { "a", "u", 0, 100 }, { "b", "u", 901, 1001 } }, 1, 1 },
		{ "of a node that lacks its begin",
		  { { "a", "u", 0, 100 }, { "b", "u", 100 + DAY, 200 + DAY, .no_begin = true } },
		  2, 0 },
		{ "more than a day later",
		  { { "a", "u", 0, 100 }, { "b", "u", 101 + DAY, 201 + DAY, .no_begin = true } },
		  1, 1 },
		{ "a job that goes on, and still lacks a node",
		  { { "a", "u", 0, 10, .no_end = true, .nodes = 2 },
		    { "b", "u", 5000, 9000, .no_end = true, .nodes = 2 } }, 2, 0 },
		{ "a job that goes on, and lacks no node",
		  { { "a", "u", 0, 10, .no_end = true, .nodes = 1 },
		    { "b", "u", 5000, 9000, .no_end = true, .nodes = 1 } }, 1, 1 },
		{ "a job that was left before",
		  { { "a", "u", 0, 10, 20, .no_end = true, .nodes = 2 },
		    { "b", "u", 5000, 9000, .no_end = true, .nodes = 2 } }, 1, 1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report r = choose(cases[i].run);
		if (r.n != cases[i].nodes || r.n_others != cases[i].others)
			fail_msg("%s: %zu nodes, %zu others", cases[i].what, r.n, r.n_others);
		report_free(&r);
	}
}

TEST(the_newest_job_of_the_time_is_chosen)
{
	const struct one run[] = { { "a", "u", 0, 100 }, { "a", "v", 1000, 1100 }, { NULL } };
	struct report r = { .job = "7", .since = INT64_MIN, .until = 999 * SECOND };
	add_run(&r, &run[0]);
	add_run(&r, &run[1]);
	runs_choose(&r);
	assert_string_equal(r.user, "u");
	assert_int_equal(r.end, 100 * SECOND);
	assert_int_equal(r.n_others, 1);
	assert_string_equal(r.other[0].user, "v");
	assert_int_equal(r.other[0].start, 1000 * SECOND);
	report_free(&r);
	r = choose(run);
	assert_string_equal(r.user, "v");
	assert_int_equal(report_duration(&r), 100 * SECOND);
	report_free(&r);
}

/* Several steps of a job run on one node. */
TEST(several_runs_on_one_node_count_as_one_node)
{
	const struct one run[] = {
		{ "a", "u", 0, 100, .no_end = true, .longest = 5, .longest_at = 40 },
		{ "a", "u", 40, 200, .longest = 9, .longest_at = 70 },
		{ "a", "u", 60, 190, .longest = 8, .longest_at = 90 }, { NULL },
	};
	struct report r = choose(run);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.node[0].runs, 3);
	assert_int_equal(r.node[0].no_end, 1);
	assert_int_equal(r.node[0].start, 0);
	assert_int_equal(r.node[0].end, 200 * SECOND);
	assert_int_equal(r.node[0].usec, (100 + 160 + 130) * SECOND);
	assert_int_equal(r.node[0].longest, 9);
	assert_int_equal(r.node[0].longest_at, 70);
	report_free(&r);
}

/* The first step worked on one CPU, the second on 8, the third on 3; each had another GPU. */
TEST(use_of_cpus_is_that_of_all_runs_on_the_node)
{
	const struct one run[] = {
		{ "a", "u", 0, 100, .cpus = 1 }, { "a", "u", 40, 140, .cpus = 8 },
		{ "a", "u", 60, 130, .cpus = 3 }, { NULL },
	};
	struct report r = choose(run);
	assert_int_equal(r.n, 1);
	const struct course *c = &r.node[0].course;
	assert_true(c->widest == 8);
	assert_int_equal(c->cpus_used, 8);
	assert_true(c->demand.seconds == 30 && c->demand.cpus == 4 && c->demand.most == 8);
	assert_int_equal(c->bound.processes, 8);
	assert_int_equal(c->held.n, 3);
	assert_int_equal(c->held.gpu[1].longest, 8);
	report_free(&r);
}

TEST(the_difference_of_clocks_is_the_largest_of_two_nodes)
{
	static const struct {
		struct one run[5];
		int64_t apart, duration;
	} cases[] = {
		{ { { "a", "u", 1000, 1100 }, { "b", "u", 1059, 1159 } }, 0, 159 },
		{ { { "a", "u", 1000, 1100 }, { "b", "u", 1060, 1160 } }, 60, 100 },
		{ { { "a", "u", 1000, 1100 }, { "b", "u", 1300, 1401 }, { "c", "u", 800, 900 } },
		  500, 101 },
		{ { { "a", "u", 1000, 1100 }, { "b", "u", 1300, 1400 }, { "c", "u", 1200, 1300 } },
		  300, 100 },
		{ { { "a", "u", 1000, 1100 }, { "b", "u", 1300, 1400, .no_begin = true } },
		  0, 400 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report r = { .job = "7" };
		r.since = INT64_MIN;
		r.until = INT64_MAX;
		for (const struct one *one = cases[i].run; one->host; one++)
			add_run(&r, one);
		runs_choose(&r);
		if (report_clocks_apart(&r) != cases[i].apart * SECOND ||
		    report_duration(&r) != cases[i].duration * SECOND)
			fail_msg("case %zu: %lld s, %lld s", i,
				 (long long)(report_clocks_apart(&r) / SECOND),
				 (long long)(report_duration(&r) / SECOND));
		report_free(&r);
	}
}

TEST(gpus_are_listed_as_numbers_and_ranges)
{
	static const struct {
		const char *text;
		int first, last, n;	/* .n: number of GPUs, or -1 if the attribute is refused */
	} cases[] = {
		{ "0", 0, 0, 1 }, { "0,1,3", 0, 3, 3 }, { "0-3", 0, 3, 4 }, { "2-2", 2, 2, 1 },
		{ "255", 255, 255, 1 }, { "254-255,0", 0, 255, 3 }, { "1,1", 1, 1, 1 },
		{ "256", 0, 0, -1 }, { "0-256", 0, 0, -1 }, { "3-1", 0, 0, -1 }, { "", 0, 0, -1 },
		{ " 1", 0, 0, -1 }, { "1- 2", 0, 0, -1 }, { "1,", 0, 0, -1 }, { "1x", 0, 0, -1 },
		{ "1-", 0, 0, -1 }, { "a", 0, 0, -1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool has[GPUS_MAX];
		int n = gpu_list(str_of(cases[i].text), has) < 0 ? -1 : 0;
		for (int k = 0; n >= 0 && k < GPUS_MAX; k++)
			n += has[k];
		if (n != cases[i].n || (n > 0 && !(has[cases[i].first] && has[cases[i].last])))
			fail_msg("\"%s\": %d", cases[i].text, n);
	}
}

TEST(facts_that_one_node_has_are_facts_of_the_job)
{
	struct allocation a = { .name = "x", .cpus = 4 }, b = { .gpus = 0, .gpus_known = true };
	const struct allocation more = {
		"y", "account", "queue", "1:0", "FAILED", .uid = 1000, .cpus = 8, .mem = 7,
		.limit = 3600, .gpus = 2, .gpus_known = true,
	};
	allocation_add(&a, &more);
	assert_string_equal(a.name, "x");
	assert_string_equal(a.account, "account");
	assert_string_equal(a.partition, "queue");
	assert_string_equal(a.exit, "1:0");
	assert_string_equal(a.state, "FAILED");
	assert_int_equal(a.uid, 1000);
	assert_int_equal(a.cpus, 4);
	assert_int_equal(a.mem, 7);
	assert_int_equal(a.limit, 3600);
	assert_int_equal(a.gpus, 2);
	allocation_add(&b, &more);
	assert_int_equal(b.gpus, 0);
}

int main(void)
{
	RUN(cmocka_unit_test(runs_at_the_same_time_are_one_job),
	    cmocka_unit_test(the_newest_job_of_the_time_is_chosen),
	    cmocka_unit_test(several_runs_on_one_node_count_as_one_node),
	    cmocka_unit_test(use_of_cpus_is_that_of_all_runs_on_the_node),
	    cmocka_unit_test(the_difference_of_clocks_is_the_largest_of_two_nodes),
	    cmocka_unit_test(gpus_are_listed_as_numbers_and_ranges),
	    cmocka_unit_test(facts_that_one_node_has_are_facts_of_the_job));
}
