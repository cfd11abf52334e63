/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_last.c - sum up a job over its cgroups, and add its CPU time after the last reading */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "collectors/bpf/job_shared.h"
#include "collectors/job_cells.h"
#include "collectors/job_last.h"
#include "schema/type.h"
#include "schema/types/job.h"
#include "tests/unit/tree.h"

#define TIMES_PRESENT 7u
#define PRESENT       (TIMES_PRESENT | 1u << MEM_PEAK)

/* Readings (.l) of Slurm's jobs "1" and "2" on cgroup v1, and their rows (.s). */
struct node {
	struct job_lasts l;
	struct source s;
};

static void node_make(struct node *n)
{
	*n = (struct node){ .l = { .n = 0 } };
	source_init(&n->s, &(struct files){ .rootfd = -1 }, job_type.metrics, job_type.n_metrics);
}

static void node_free(struct node *n)
{
	job_lasts_free(&n->l);
	source_free(&n->s);
}

/* Read a job from a cgroup with this inode. cpu: its CPU time in us, half of it user time. */
static struct job_last *read_job(struct node *n, const char *id, uint64_t cpu, uint64_t inode)
{
	struct job_dir dir = { .mount = "sys/fs/cgroup" };
	const uint64_t value[JOB_TIMES] = { cpu, cpu / 2, cpu / 2 };
	snprintf(dir.device, sizeof(dir.device), "%s", id);
	snprintf(dir.dir, sizeof(dir.dir), "slurm/uid_7/job_%s", id);
	struct job_last *j = job_lasts_see(&n->l, &dir, 0);
	job_last_times(&n->l, j, value, TIMES_PRESENT, inode);
	j->present = PRESENT;
	return j;
}

/*
 * Set the CPU time in us of the parent cgroup, which is read in each pass once before and once
 * after the cgroups of the jobs.
 */
static void read_parent(struct node *n, uint64_t first, uint64_t last)
{
	struct job_parent *p = &n->l.parent[0];
	for (size_t k = 0; k < JOB_TIMES; k++) {
		p->first[k] = k ? first / 2 : first;
		p->last[k] = k ? last / 2 : last;
	}
	p->known = true;
}

static const struct job_last_keys keys = { MEM_PEAK, AGE, WHOLE, CPUS };

static const uint64_t *put_one(struct node *n)
{
	source_clear(&n->s);
	job_last_put(&n->l.job[0], &n->s, &keys);
	return rows_values(&n->s.rows, 0);
}

/* Write the last rows of the jobs that have ended. Returns the values of the first row. */
static const uint64_t *put_gone(struct node *n, size_t rows)
{
	source_clear(&n->s);
	job_lasts_put_gone(&n->l, &n->s, &keys);
	assert_int_equal(n->s.rows.n, rows);
	return rows ? rows_values(&n->s.rows, 0) : NULL;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

TEST(files_of_a_job_are_closed_when_it_goes_or_cannot_be_read)
{
	for (int fails = 0; fails < 2; fails++) {
		struct node n CLEANUP(node_free);
		int fd = dup(STDIN_FILENO);
		node_make(&n);
		struct job_last *j = read_job(&n, "1", 100, 1);
		assert_string_equal(j->dir, "slurm/uid_7/job_1");
		j->fd[0] = fd;
		j->group.id = 5;
		j->judged = true;
		job_lasts_begin(&n.l);
		if (fails)
			job_last_fails(j);
		assert_int_equal(is_open(fd), !fails);
		assert_int_equal(j->judged, !fails);
		job_lasts_end(&n.l);
		assert_false(is_open(fd) || j->judged || j->group.id);
		assert_true(j->gone);
	}
}

TEST(jobs_of_one_scheduler_have_one_parent_up_to_a_limit)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	for (size_t i = 0; i <= JOB_PARENTS; i++)
		for (int k = 0; k < 2; k++) {
			struct job_dir dir = { .mount = "sys/fs/cgroup" };
			snprintf(dir.device, sizeof(dir.device), "%zu.%d", i, k);
			snprintf(dir.dir, sizeof(dir.dir), "slurm%zu/uid_%d/job_1", i, k);
			assert_int_equal(job_lasts_see(&n.l, &dir, 0)->parent, i);
		}
	assert_int_equal(n.l.n_parents, JOB_PARENTS);
	assert_string_equal(n.l.parent[1].dir, "slurm1");
	job_lasts_begin(&n.l);
	job_lasts_end(&n.l);
}

TEST(totals_include_earlier_groups_of_the_job)
{
	static const struct {
		uint64_t cpu, inode, want;
	} readings[] = {
		{ 100, 1, 100 },
		{ 150, 2, 250 }, /* a new inode is another cgroup, even if its CPU time is larger */
		{ 160, 0, 260 },	/* the inode is unknown */
		{ 40, 2, 300 },		/* the time decreased: another cgroup */
		{ 45, 2, 305 },
	};
	struct node n CLEANUP(node_free);
	node_make(&n);
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
		read_job(&n, "1", readings[i].cpu, readings[i].inode);
		assert_int_equal(put_one(&n)[CPU], readings[i].want);
		assert_int_equal(n.s.rows.n, 1);
	}
}

TEST(the_peak_is_the_largest_of_all_groups)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	read_job(&n, "1", 100, 1)->value[MEM_PEAK] = 500;
	read_job(&n, "1", 100, 2)->value[MEM_PEAK] = 300;
	assert_int_equal(put_one(&n)[MEM_PEAK], 500);
	read_job(&n, "1", 100, 2)->value[MEM_PEAK] = 700;
	assert_int_equal(put_one(&n)[MEM_PEAK], 700);
}

TEST(a_new_group_is_watched_again)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	struct job_last *j = read_job(&n, "1", 100, 1);
	j->watched = j->ran = j->ended = j->judged = true;
	j = read_job(&n, "1", 110, 1);
	assert_true(j->watched && j->ran && j->ended && j->judged);
	j = read_job(&n, "1", 120, 2);
	assert_false(j->watched || j->ran || j->ended || j->judged);
}

/*
 * End job 1, let job 2 use 20 ms, and read the parent's CPU time (us) as `first`, then as `last`.
 */
static void let_one_go(struct node *n, uint64_t first, uint64_t last)
{
	job_lasts_begin(&n->l);
	read_job(n, "1", 100, 1);
	read_job(n, "2", 1000, 2);
	read_parent(n, 500000, 500000);
	job_lasts_end(&n->l);
	put_one(n);
	job_lasts_begin(&n->l);
	read_job(n, "2", 21000, 2);
	read_parent(n, first, last);
	job_lasts_end(&n->l);
}

static const uint64_t *one_goes(struct node *n, uint64_t first, uint64_t last)
{
	let_one_go(n, first, last);
	return put_gone(n, 1);
}

TEST(growth_of_the_parent_that_no_job_explains_is_of_the_job_that_has_gone)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	const uint64_t *v = one_goes(&n, 560000, 560000);
	assert_int_equal(v[CPU], 100 + 40000);
	assert_int_equal(v[USER], 50 + 20000);
	assert_int_equal(v[WHOLE], JOB_TIMES_WHOLE);
	assert_true(v[AGE] > 0);
}

TEST(a_job_that_comes_back_keeps_the_growth_that_no_reading_has)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	let_one_go(&n, 560000, 560000);
	read_job(&n, "1", 7, 9);
	assert_int_equal(put_one(&n)[CPU], 100 + 40000 + 7);
}

/*
 * The parent's CPU time may grow by up to 10 ms between its two readings: the jobs may use that
 * time.
 */
TEST(an_uncertainty_of_10_ms_is_whole_and_more_is_not)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct node n CLEANUP(node_free);
		node_make(&n);
		const uint64_t *v = one_goes(&n, 560000, 570000 + more);
		assert_int_equal(v[CPU], 100 + 40000);
		assert_int_equal(v[WHOLE], more ? 0 : JOB_TIMES_WHOLE);
	}
}

TEST(growth_of_the_parent_is_of_no_job_if_several_have_gone)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct node n CLEANUP(node_free);
		node_make(&n);
		job_lasts_begin(&n.l);
		read_job(&n, "1", 100, 1);
		read_job(&n, "2", 100, 2);
		read_parent(&n, 1000, 1000);
		job_lasts_end(&n.l);
		job_lasts_begin(&n.l);
		read_parent(&n, 11000 + more, 11000 + more);
		job_lasts_end(&n.l);
		const uint64_t *v = put_gone(&n, 2);
		assert_int_equal(v[CPU], 100);
		assert_int_equal(v[WHOLE], more ? 0 : JOB_TIMES_WHOLE);
	}
}

TEST(growth_of_a_parent_that_counts_other_processes_is_of_no_job)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	for (uint64_t i = 1; i <= 2; i++) { /* the parent's time grows by 100 ms that no job used */
		job_lasts_begin(&n.l);
		read_job(&n, "1", 100, 1);
		read_parent(&n, i * 100000, i * 100000);
		job_lasts_end(&n.l);
	}
	put_one(&n);
	read_job(&n, "1", 150, 1);
	job_lasts_begin(&n.l);
	read_parent(&n, 300000, 300000);
	job_lasts_end(&n.l);
	const uint64_t *v = put_gone(&n, 1);
	assert_int_equal(v[CPU], 150);
	assert_int_equal(v[WHOLE], 0);
}

TEST(the_last_row_of_a_job_that_ended_before_its_last_reading_is_whole)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	read_job(&n, "1", 100, 1)->ended = true;
	put_one(&n);			/* there is nothing new since the last row */
	job_lasts_begin(&n.l);
	job_lasts_end(&n.l);
	assert_int_equal(put_gone(&n, 1)[WHOLE], JOB_TIMES_WHOLE | JOB_ALL_WHOLE);
	assert_int_equal(n.l.n, 0);
}

TEST(a_job_is_not_whole_if_an_earlier_group_of_it_was_not)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	read_job(&n, "1", 100, 1);
	read_job(&n, "1", 50, 2)->ended = true;
	job_lasts_begin(&n.l);
	job_lasts_end(&n.l);
	assert_int_equal(put_gone(&n, 1)[WHOLE], 0);
}

TEST(a_job_without_news_has_no_last_row)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	read_job(&n, "1", 100, 1);
	put_one(&n);
	job_lasts_begin(&n.l);
	job_lasts_end(&n.l);
	put_gone(&n, 0);
	assert_int_equal(n.l.n, 0);
}

/*
 * Write the last row of a job, then read a cgroup of the job with this CPU time (us) and inode.
 * Returns whether it counts as the same cgroup, reopened.
 */
static bool is_reopened(uint64_t cpu, uint64_t inode)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	read_job(&n, "1", 100, 1);
	job_lasts_begin(&n.l);
	job_lasts_end(&n.l);
	put_gone(&n, 1);
	read_job(&n, "1", cpu, inode);
	return n.l.job[0].follows;
}

TEST(a_group_that_only_seemed_to_have_gone_is_not_reopened)
{
	assert_false(is_reopened(100, 1));
	assert_false(is_reopened(120, 1));
	assert_true(is_reopened(99, 1));
	assert_true(is_reopened(120, 2));
	assert_true(is_reopened(120, 0));
}

/* Remove the job's cgroup, and write the job's last row. */
static void end_group(struct node *n, uint64_t cpu, uint64_t inode)
{
	job_lasts_begin(&n->l);
	read_job(n, "1", cpu, inode);
	job_lasts_end(&n->l);
	job_lasts_begin(&n->l);
	job_lasts_end(&n->l);
	put_gone(n, 1);
}

TEST(only_the_newest_group_of_a_job_can_continue)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	end_group(&n, 100, 1);
	end_group(&n, 50, 2);
	assert_false(read_job(&n, "1", 60, 2)->follows);
	job_lasts_free(&n.l);
	end_group(&n, 100, 1);
	end_group(&n, 50, 2);
	assert_true(read_job(&n, "1", 110, 1)->follows);
}

#define SLURM "sys/fs/cgroup/slurm/"

/* A simulated BPF program with its shared memory and slots, and a cgroup v2 tree of Slurm jobs. */
struct cells {
	struct tree tree;
	struct files root;
	struct node node;
	struct program program;
	struct job_cell_reader reader;
};

static void cells_make(struct cells *c)
{
	*c = (struct cells){ .program = { .link = -1 } };
	tree_make(&c->tree);
	assert_int_equal(files_open_root(&c->root, c->tree.path), 0);
	source_init(&c->node.s, &c->root, job_type.metrics, job_type.n_metrics);
	c->program.shared = test_calloc(1, sizeof(struct job_shared));
	assert_non_null(c->program.shared);
}

static void cells_free(struct cells *c)
{
	job_cells_free(&c->reader);
	test_free(c->program.shared);
	node_free(&c->node);
	files_free(&c->root);
	tree_free(&c->tree);
}

/* Add a job whose files have been read, because the BPF program reads no other job. */
static void add_cell(struct cells *c, const char *id)
{
	char path[64];
	struct job_dir dir = { .mount = "sys/fs/cgroup", .v2 = true };
	snprintf(dir.device, sizeof(dir.device), "%s", id);
	snprintf(dir.dir, sizeof(dir.dir), "slurm/job_%s", id);
	snprintf(path, sizeof(path), SLURM "job_%s/cpu.stat", id);
	tree_put(&c->tree, path, STR("usage_usec 5\nuser_usec 3\nsystem_usec 2\n"));
	struct job_last *j = job_lasts_see(&c->node.l, &dir, 0);
	j->files = TIMES_PRESENT;
	j->inode = 1;
}

/* values that the BPF program puts into each slot; NULL: call the real program_walk() (--wrap) */
static const struct job_cells *given;
int __real_program_walk(struct program *p, void (*full)(void *arg), void *arg);
int __wrap_program_walk(struct program *p, void (*full)(void *arg), void *arg);

int __wrap_program_walk(struct program *p, void (*full)(void *arg), void *arg)
{
	struct job_shared *shared = p->shared;
	if (!given)
		return __real_program_walk(p, full, arg);
	for (size_t i = 0; i < JOB_SLOTS; i++) {
		unsigned long long id = shared->cells[i].id;
		shared->cells[i] = *given;
		shared->cells[i].id = id;
		shared->cells[i].walk = shared->walk;
	}
	return 0;
}

static void read_cells(struct cells *c)
{
	job_cells_read(&c->reader, &c->program, &c->node.s, &c->node.l);
}

/*
 * Files of a removed cgroup fail with ENODEV. Here, directories replace them: reading fails, too.
 */
TEST(a_file_of_the_parent_that_cannot_be_read_is_closed_once)
{
	struct cells c CLEANUP(cells_free);
	int other[2];
	cells_make(&c);
	add_cell(&c, "1");
	tree_put(&c.tree, SLURM "memory.stat/x", STR(""));
	tree_put(&c.tree, SLURM "io.stat/x", STR(""));
	read_cells(&c);
	assert_int_equal(pipe(other), 0);	/* gets the closed descriptors' numbers */
	read_cells(&c);
	assert_true(is_open(other[0]) && is_open(other[1]));
	close(other[0]);
	close(other[1]);
}

TEST(a_parent_that_was_made_again_has_the_id_of_its_new_directory)
{
	struct cells c CLEANUP(cells_free);
	struct stat st;
	cells_make(&c);
	add_cell(&c, "1");
	read_cells(&c);
	uint64_t id = c.node.l.parent[0].group.id;
	assert_true(id > 0);
	assert_int_equal(renameat(c.tree.fd, "sys/fs/cgroup/slurm", c.tree.fd, "old"), 0);
	add_cell(&c, "2");
	read_cells(&c);
	assert_int_equal(fstatat(c.tree.fd, "sys/fs/cgroup/slurm", &st, 0), 0);
	assert_true(id != st.st_ino);
	assert_int_equal(c.node.l.parent[0].group.id, st.st_ino);
}

/* The kernel's ticks give the ratio of user and system time, and the exact time gives their sum. */
TEST(user_and_system_time_add_up_to_the_cpu_time_and_never_decrease)
{
	/* in ns; order of three times: CPU, USER, SYSTEM; of two: USER, SYSTEM */
	static const struct {
		uint64_t before[2], shown[2], value[JOB_TIMES], user, system;
	} cases[] = {
		{ { 0, 0 }, { 0, 0 }, { 0, 0, 0 }, 0, 0 },
		/* no tick yet: all CPU time counts as user time */
		{ { 0, 0 }, { 0, 0 }, { 5000, 0, 0 }, 5000, 0 },
		/* ticks that do not add up are scaled */
		{ { 0, 0 }, { 0, 0 }, { 10000000, 3000, 1000 }, 7500000, 2500000 },
		{ { 0, 0 }, { 0, 0 }, { 3000, 3000000, 3000000 }, 1500, 1500 },
		/* neither time decreases */
		{ { 8000000, 1000000 }, { 0, 0 }, { 10000000, 1, 3 }, 8000000, 2000000 },
		{ { 1000000, 6000000 }, { 0, 0 }, { 10000000, 3, 1 }, 4000000, 6000000 },
		/* cpu.stat showed larger times than the BPF program has */
		{ { 1000000, 1000000 }, { 4000000, 5000000 }, { 8000000, 1, 1 }, 4000000, 5000000 },
		/* intermediate values need more than 64 bits */
		{ { 0, 0 }, { 0, 0 }, { UINT64_MAX / 1000, UINT64_MAX / 4, UINT64_MAX / 4 },
		  UINT64_MAX / 2000, UINT64_MAX / 2000 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cells c CLEANUP(cells_free);
		struct job_cells values = { .present = TIMES_PRESENT };
		cells_make(&c);
		add_cell(&c, "1");
		struct job_group *g = &c.node.l.job[0].group;
		c.node.l.job[0].judged = true;	/* do not read its files */
		for (size_t k = 0; k < 2; k++) {
			g->shown[k] = cases[i].before[k];
			values.shown[k] = cases[i].shown[k];
		}
		for (size_t k = 0; k < JOB_TIMES; k++)
			values.value[k] = cases[i].value[k];
		given = &values;
		read_cells(&c);
		given = NULL;
		assert_int_equal(g->known.value[CPU], cases[i].value[CPU] / 1000);
		assert_int_equal(g->known.value[USER], cases[i].user / 1000);
		assert_int_equal(g->known.value[SYSTEM], cases[i].system / 1000);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(files_of_a_job_are_closed_when_it_goes_or_cannot_be_read),
	    cmocka_unit_test(jobs_of_one_scheduler_have_one_parent_up_to_a_limit),
	    cmocka_unit_test(totals_include_earlier_groups_of_the_job),
	    cmocka_unit_test(the_peak_is_the_largest_of_all_groups),
	    cmocka_unit_test(a_new_group_is_watched_again),
	    cmocka_unit_test(growth_of_the_parent_that_no_job_explains_is_of_the_job_that_has_gone),
	    cmocka_unit_test(a_job_that_comes_back_keeps_the_growth_that_no_reading_has),
	    cmocka_unit_test(an_uncertainty_of_10_ms_is_whole_and_more_is_not),
	    cmocka_unit_test(growth_of_the_parent_is_of_no_job_if_several_have_gone),
	    cmocka_unit_test(growth_of_a_parent_that_counts_other_processes_is_of_no_job),
	    cmocka_unit_test(the_last_row_of_a_job_that_ended_before_its_last_reading_is_whole),
	    cmocka_unit_test(a_job_is_not_whole_if_an_earlier_group_of_it_was_not),
	    cmocka_unit_test(a_job_without_news_has_no_last_row),
	    cmocka_unit_test(a_group_that_only_seemed_to_have_gone_is_not_reopened),
	    cmocka_unit_test(only_the_newest_group_of_a_job_can_continue),
	    cmocka_unit_test(a_file_of_the_parent_that_cannot_be_read_is_closed_once),
	    cmocka_unit_test(a_parent_that_was_made_again_has_the_id_of_its_new_directory),
	    cmocka_unit_test(user_and_system_time_add_up_to_the_cpu_time_and_never_decrease));
}
