/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_tree.c - measure the processes of a run in a simulated /proc */
#include "tests/unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "collectors/job_tree.h"
#include "schema/type.h"
#include "schema/types/job.h"
#include "tests/unit/tree.h"

enum { FRONT = 100, COMMAND = 101 };

static void put(const struct tree *t, pid_t pid, const char *leaf, const char *text)
{
	char path[64];
	snprintf(path, sizeof(path), "proc/%d/%s", (int)pid, leaf);
	tree_put(t, path, str_of(text));
}

/*
 * Create the files of nodometer-run (FRONT) and of its command "a) b", which used 3 s of user time
 * and 1 s of system time.
 */
static void put_processes(const struct tree *t)
{
	put(t, FRONT, "stat", "100 (nodometer-run) S 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ");
	put(t, FRONT, "task/100/children", "101 ");
	put(t, COMMAND, "stat", "101 (a) b) R 100 1 1 0 -1 0 5 0 2 0 300 100 0 0 20 0 3 0 8 ");
	put(t, COMMAND, "status", "Name:\ta) b\nVmRSS:\t     36 kB\nRssAnon:\t     12 kB\n");
}

/* Take one sample of the run's processes. */
static void look(const struct tree *t, struct source *s, struct shared *shared)
{
	static struct job_tree tree;
	tree = (struct job_tree){ .id = "a" };
	job_tree_add(&tree, FRONT);
	shared->tree = &tree;
	source_init(s, &(struct files){ .rootfd = t->fd }, job_type.metrics, job_type.n_metrics);
	s->shared = shared;
	assert_int_equal(job_tree_collect(s), 0);
	assert_int_equal(s->rows.n, 1);
	job_tree_free(&tree);
}

static bool has(struct source *s, size_t key)
{
	return rows_present(&s->rows, 0)[0] >> key & 1;
}

TEST(run_used_the_sum_of_its_processes)
{
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct shared shared = { .path = NULL };
	tree_make(&t);
	put_processes(&t);
	put(&t, getpid(), "io", "");
	put(&t, FRONT, "io", "rchar: 1\nread_bytes: 4096\nwrite_bytes: 0\n");
	put(&t, COMMAND, "io", "rchar: 1\nread_bytes: 8192\nwrite_bytes: 512\n");

	look(&t, &s, &shared);
	const uint64_t *v = rows_values(&s.rows, 0);
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	assert_int_equal(v[USER], 300 * 1000000 / ticks);
	assert_int_equal(v[SYSTEM], 100 * 1000000 / ticks);
	assert_int_equal(v[PGFAULT], 5);
	assert_int_equal(v[PGMAJFAULT], 2);
	assert_int_equal(v[PIDS], 3);
	assert_int_equal(v[ANON], 12288);
	assert_int_equal(v[RD_BYTES], 12288);
	assert_int_equal(v[WR_BYTES], 512);
	shared_free(&shared);
}

TEST(row_lacks_bytes_that_the_kernel_does_not_count)
{
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct shared shared = { .path = NULL };
	tree_make(&t);
	put_processes(&t);

	look(&t, &s, &shared);
	assert_true(has(&s, USER) && has(&s, PIDS));
	assert_false(has(&s, RD_BYTES) || has(&s, WR_BYTES));
	shared_free(&shared);
}

TEST(files_of_a_process_stay_open_while_it_is_sampled)
{
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct job_tree tree = { .id = "a" };
	struct shared shared = { .tree = &tree };
	tree_make(&t);
	put_processes(&t);
	job_tree_add(&tree, FRONT);
	source_init(&s, &(struct files){ .rootfd = t.fd }, job_type.metrics, job_type.n_metrics);
	s.shared = &shared;
	for (size_t want = 2; want > 0; want--) {
		for (int i = 0; i < 2; i++) {
			source_clear(&s);
			assert_int_equal(job_tree_collect(&s), 0);
			assert_int_equal(tree.n_open, want);
			assert_int_equal(rows_values(&s.rows, 0)[PIDS], want == 2 ? 3 : 0);
		}
		put(&t, FRONT, "task/100/children", "");
	}
	job_tree_free(&tree);
	shared_free(&shared);
}

/*
 * A swapped memory of 0 must be reported as 0, not as missing, so that swapping by other programs
 * is not blamed on the run.
 */
TEST(adds_the_swapped_memory_of_its_processes)
{
	static const struct {
		const char *swap;
		uint64_t bytes;
	} processes[] = { { "0 kB", 0 }, { "40 kB", 40960 } };
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
		struct tree t CLEANUP(tree_free);
		struct source s CLEANUP(source_free);
		struct shared shared = { .path = NULL };
		char text[128];
		tree_make(&t);
		put_processes(&t);
		snprintf(text, sizeof(text),
			 "Name:\ta) b\nRssAnon:\t     12 kB\nVmSwap:\t     %s\n",
			 processes[i].swap);
		put(&t, COMMAND, "status", text);
		put(&t, getpid(), "status", "Name:\tx\nVmSwap:\t       8 kB\n");
		look(&t, &s, &shared);
		assert_true(has(&s, SWAP));
		assert_int_equal(rows_values(&s.rows, 0)[SWAP], processes[i].bytes);
		assert_int_equal(rows_values(&s.rows, 0)[ANON], 12288);
		shared_free(&shared);
	}
}

TEST(row_lacks_swap_that_the_kernel_does_not_show)
{
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct shared shared = { .path = NULL };
	tree_make(&t);
	put_processes(&t);
	put(&t, getpid(), "status", "Name:\tx\n");
	look(&t, &s, &shared);
	assert_false(has(&s, SWAP));
	shared_free(&shared);
}

/* The kernel keeps the peak of a process that started and ended between two samples. */
TEST(ended_command_leaves_its_memory_peak)
{
	const struct job_tree_used used = { .value[TREE_MEM_PEAK] = 300 << 20 };
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct job_tree tree = { .id = "a" };
	struct shared shared = { .tree = &tree };
	tree_make(&t);
	put(&t, FRONT, "stat", "100 (nodometer-run) S 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ");
	put(&t, FRONT, "task/100/children", "");
	source_init(&s, &(struct files){ .rootfd = t.fd }, job_type.metrics, job_type.n_metrics);
	s.shared = &shared;
	job_tree_add(&tree, FRONT);
	assert_int_equal(job_tree_collect(&s), 0);
	assert_false(has(&s, MEM_PEAK));
	source_clear(&s);
	job_tree_end(&tree, FRONT, &used, &(struct job_tree_command){ .pid = 0 });
	assert_int_equal(job_tree_collect(&s), 0);
	assert_int_equal(rows_values(&s.rows, 0)[MEM_PEAK], 300 << 20);
	job_tree_free(&tree);
	shared_free(&shared);
}

/*
 * While the kernel's fork count stays the same, the list of children is not read again. The count
 * is trusted only after its first change.
 */
TEST(children_are_read_again_only_after_a_fork)
{
	static const struct {
		const char *forks, *children;
		uint64_t pids;
	} looks[] = {
		/* The first count is not trusted yet: it may never change. */
		{ "6", "101 ", 3 }, { "6", "", 0 },
		{ "7", "101 ", 3 }, { "7", "101 102 ", 3 }, { "8", "101 102 ", 4 },
		{ "8", "", 4 }, { "9", "", 0 },
	};
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	struct job_tree tree = { .id = "a" };
	struct shared shared = { .tree = &tree };
	char text[64];
	tree_make(&t);
	put_processes(&t);
	put(&t, 102, "stat", "102 (c) R 100 1 1 0 -1 0 5 0 2 0 300 100 0 0 20 0 1 0 8 ");
	job_tree_add(&tree, FRONT);
	source_init(&s, &(struct files){ .rootfd = t.fd }, job_type.metrics, job_type.n_metrics);
	s.shared = &shared;
	shared.files.rootfd = t.fd;
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		snprintf(text, sizeof(text), "cpu  1 2\nprocesses %s\n", looks[i].forks);
		tree_put(&t, "proc/stat", str_of(text));
		put(&t, FRONT, "task/100/children", looks[i].children);
		shared_clear(&shared, false);
		source_clear(&s);
		assert_int_equal(job_tree_collect(&s), 0);
		assert_int_equal(rows_values(&s.rows, 0)[PIDS], looks[i].pids);
	}
	job_tree_free(&tree);
	shared_free(&shared);
}

#define FRONT_STAT "100 (nodometer-run) S 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 "

static char killed[64];		/* pids that kill() got, each with a blank after it */

/* Replace kill(): the pids of a test's tree may belong to other processes of this machine. */
int kill(pid_t pid, int number)
{
	size_t n = strlen(killed);
	assert_int_equal(number, SIGKILL);
	snprintf(killed + n, sizeof(killed) - n, "%d ", (int)pid);
	return 0;
}

/* A run in a simulated /proc that is sampled several times. */
struct run {
	struct tree t;
	struct source s;
	struct job_tree tree;
	struct shared shared;
};

static void run_begin(struct run *r)
{
	*r = (struct run){ .tree = { .id = "a" } };
	tree_make(&r->t);
	put_processes(&r->t);
	job_tree_add(&r->tree, FRONT);
	source_init(&r->s, &(struct files){ .rootfd = r->t.fd }, job_type.metrics,
		    job_type.n_metrics);
	r->s.shared = &r->shared;
	r->shared.tree = &r->tree;
	r->shared.files.rootfd = r->t.fd;
	killed[0] = '\0';
}

static void run_end(struct run *r)
{
	job_tree_free(&r->tree);
	shared_free(&r->shared);
	source_free(&r->s);
	tree_free(&r->t);
}

static const uint64_t *run_look(struct run *r)
{
	shared_clear(&r->shared, false);
	source_clear(&r->s);
	assert_int_equal(job_tree_collect(&r->s), 0);
	return rows_values(&r->s.rows, 0);
}

/* Add a process of one thread that has no children. */
static void put_process(struct run *r, pid_t pid, const char *name, int start)
{
	char text[128];
	snprintf(text, sizeof(text), "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d ",
		 (int)pid, name, start);
	put(&r->t, pid, "stat", text);
}

TEST(neither_the_sampler_nor_a_helper_is_of_the_run)
{
	struct run r CLEANUP(run_end);
	char children[64];
	run_begin(&r);
	put_process(&r, getpid(), "sampler", 5);
	put_process(&r, 103, JOB_TREE_HELPER, 6);
	snprintf(children, sizeof(children), "%d 103 101 ", (int)getpid());
	put(&r.t, FRONT, "task/100/children", children);
	assert_int_equal(run_look(&r)[PIDS], 3);
}

TEST(a_process_that_is_listed_twice_counts_once)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	put(&r.t, FRONT, "task/100/children", "101 101 ");
	assert_int_equal(run_look(&r)[PIDS], 3);
	assert_int_equal(run_look(&r)[PIDS], 3);
}

TEST(children_of_each_thread_are_of_the_run)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	put(&r.t, COMMAND, "task/101/children", "");
	put(&r.t, COMMAND, "task/150/children", "103 ");
	put_process(&r, 103, "child", 9);
	assert_int_equal(run_look(&r)[PIDS], 4);
}

TEST(a_run_keeps_what_a_vanished_process_used)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	uint64_t user = run_look(&r)[USER];
	assert_true(user > 0);
	put(&r.t, FRONT, "task/100/children", "");
	assert_int_equal(run_look(&r)[USER], user);
}

TEST(the_peak_is_the_largest_of_all_supervisors_at_least_the_memory_now)
{
	static const struct job_tree_command none = { .pid = 0 };
	static const uint64_t peaks[] = { 300 << 20, 200 << 20 };
	struct run r CLEANUP(run_end);
	run_begin(&r);
	job_tree_add(&r.tree, 200);
	job_tree_add(&r.tree, 201);
	for (size_t i = 0; i < ARRAY_SIZE(peaks); i++) {
		const struct job_tree_used used = { .value[TREE_MEM_PEAK] = peaks[i] };
		job_tree_end(&r.tree, 200 + (pid_t)i, &used, &none);
	}
	assert_int_equal(run_look(&r)[MEM_PEAK], 300 << 20);
	put(&r.t, COMMAND, "status", "Name:\ta) b\nRssAnon:\t  409600 kB\n");
	assert_int_equal(run_look(&r)[MEM_PEAK], 400 << 20);
}

/*
 * After a nodometer-run process ("supervisor") has ended, the kernel may give its pid to another
 * process.
 */
TEST(the_end_of_a_front_is_not_of_an_earlier_one_with_its_pid)
{
	static const struct job_tree_command none = { .pid = 0 };
	struct run r CLEANUP(run_end);
	run_begin(&r);
	for (uint64_t n = 5; n < 10; n += 4) {
		const struct job_tree_used used = { .value[TREE_PGFAULT] = n };
		job_tree_add(&r.tree, 200);
		job_tree_end(&r.tree, 200, &used, &none);
	}
	put(&r.t, FRONT, "task/100/children", "");
	assert_int_equal(run_look(&r)[PGFAULT], 5 + 9);
}

/* Change the kernel's number of forks, because only a number that has changed is trusted. */
static void run_trust_forks(struct run *r)
{
	tree_put(&r->t, "proc/stat", STR("cpu  1 2\nprocesses 6\n"));
	run_look(r);
	tree_put(&r->t, "proc/stat", STR("cpu  1 2\nprocesses 7\n"));
	assert_int_equal(run_look(r)[PIDS], 3);
}

TEST(a_new_front_is_looked_at_even_without_a_fork)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	run_trust_forks(&r);
	put_process(&r, 200, "nodometer-run", 9);
	put(&r.t, 200, "task/200/children", "201 ");
	put_process(&r, 201, "command", 9);
	job_tree_add(&r.tree, 200);
	assert_int_equal(run_look(&r)[PIDS], 4);
}

TEST(processes_of_an_ended_front_are_not_counted_even_without_a_fork)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	run_trust_forks(&r);
	job_tree_end(&r.tree, FRONT, &(struct job_tree_used){ { 0 } },
		     &(struct job_tree_command){ .pid = 0 });
	assert_int_equal(run_look(&r)[PIDS], 0);
}

TEST(a_front_is_lost_if_it_is_a_zombie_or_its_pid_was_reused)
{
	static const char *const lost[] = {
		"100 (nodometer-run) Z 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ",
		"100 (nodometer-run) X 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ",
		"100 (nodometer-run) S 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 6 ",
	};
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		struct run r CLEANUP(run_end);
		run_begin(&r);
		assert_int_equal(run_look(&r)[PIDS], 3);
		put(&r.t, FRONT, "stat", lost[i]);
		assert_int_equal(run_look(&r)[PIDS], 0);
		put(&r.t, FRONT, "stat", FRONT_STAT);
		assert_int_equal(run_look(&r)[PIDS], 0);
	}
}

TEST(processes_of_a_lost_front_are_killed_with_their_new_children)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	put(&r.t, FRONT, "task/100/children", "101 102 ");
	put_process(&r, 102, "reused", 9);
	put_process(&r, 104, "new", 12);
	job_tree_add(&r.tree, 200);
	put_process(&r, 200, "nodometer-run", 9);
	put(&r.t, 200, "task/200/children", "201 ");
	put_process(&r, 201, "command", 9);
	run_look(&r);
	job_tree_kill_lost(&r.tree, &r.s, false);
	assert_string_equal(killed, "");
	put(&r.t, FRONT, "stat", "100 (x) Z 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ");
	run_look(&r);
	put_process(&r, 102, "reused", 11);
	put(&r.t, COMMAND, "task/101/children", "104 ");
	job_tree_kill_lost(&r.tree, &r.s, false);
	assert_string_equal(killed, "101 104 ");
}

TEST(when_all_supervisors_have_gone_only_ended_ones_leave_processes)
{
	struct run r CLEANUP(run_end);
	run_begin(&r);
	job_tree_add(&r.tree, 200);
	put_process(&r, 200, "nodometer-run", 9);
	put(&r.t, 200, "task/200/children", "201 ");
	put_process(&r, 201, "daemon", 9);
	run_look(&r);
	job_tree_end(&r.tree, 200, &(struct job_tree_used){ { 0 } },
		     &(struct job_tree_command){ .pid = 0 });
	job_tree_kill_lost(&r.tree, &r.s, true);
	assert_string_equal(killed, "101 ");
}

/* A run in a simulated /proc, whose waits for a CPU are sampled several times. */
struct waits {
	struct tree t;
	struct source s;
	struct job_tree tree;
	struct shared shared;
};

static void waits_begin(struct waits *w, const char *own)
{
	char leaf[64];
	*w = (struct waits){ .tree = { .id = "a" } };
	tree_make(&w->t);
	put_processes(&w->t);
	put(&w->t, FRONT, "task/100/schedstat", "5000000 7000000 3\n");
	snprintf(leaf, sizeof(leaf), "task/%d/schedstat", (int)getpid());
	if (own)
		put(&w->t, getpid(), leaf, own);
	w->shared.tree = &w->tree;
	w->shared.files.rootfd = w->t.fd;
	source_init(&w->s, &(struct files){ .rootfd = w->t.fd }, job_type.metrics,
		    job_type.n_metrics);
	w->s.shared = &w->shared;
	job_tree_add(&w->tree, FRONT);
}

static const uint64_t *waits_look(struct waits *w)
{
	shared_clear(&w->shared, false);
	source_clear(&w->s);
	assert_int_equal(job_tree_collect(&w->s), 0);
	return rows_values(&w->s.rows, 0);
}

static void waits_end(struct waits *w)
{
	job_tree_free(&w->tree);
	shared_free(&w->shared);
	source_free(&w->s);
	tree_free(&w->t);
}

TEST(adds_the_time_that_each_thread_waited_for_a_cpu)
{
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	put(&w.t, COMMAND, "task/102/schedstat", "1000000 20000000 8\n");
	put(&w.t, COMMAND, "task/103/schedstat", "2000000 0 8\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 29000);
	assert_int_equal(waits_look(&w)[CPU_WAIT_OF], 7000);
	put(&w.t, COMMAND, "task/102/schedstat", "1500000 24000000 9\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 33000);
	assert_int_equal(waits_look(&w)[CPU_WAIT_OF], 7500);
	waits_end(&w);
}

TEST(keeps_the_wait_of_an_ended_process_and_adds_its_last_reading_once)
{
	const struct job_tree_used used = { { 0 } };
	const struct job_tree_command command = { COMMAND, { 6000000, 50000000 } };
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	put(&w.t, COMMAND, "task/102/schedstat", "1000000 20000000 8\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 29000);
	job_tree_end(&w.tree, FRONT, &used, &command);
	for (int i = 0; i < 2; i++) {
		const uint64_t *v = waits_look(&w);
		assert_int_equal(v[CPU_WAIT], 70000);
		assert_int_equal(v[CPU_WAIT_OF], 7000);
	}
	assert_int_equal(w.tree.waits.before.n, 0);
	waits_end(&w);
}

/*
 * The supervisor reports the end of its command with a delay. Samples in between do not find the
 * process.
 */
TEST(adds_the_last_reading_once_if_samples_come_before_the_end_is_told)
{
	const struct job_tree_used used = { { 0 } };
	const struct job_tree_command command = { COMMAND, { 6000000, 50000000 } };
	for (int i = 0; i < 6; i++) {
		bool listed = i & 1;
		struct waits w;
		waits_begin(&w, "1 1 1\n");
		put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
		assert_int_equal(waits_look(&w)[CPU_WAIT], 9000);
		put(&w.t, COMMAND, "task/101/schedstat", "");
		if (!listed)
			put(&w.t, FRONT, "task/100/children", "");
		for (int look = 0; look <= i / 2; look++)
			assert_int_equal(waits_look(&w)[CPU_WAIT], 9000);
		job_tree_end(&w.tree, FRONT, &used, &command);
		for (int look = 0; look < 2; look++) {
			const uint64_t *v = waits_look(&w);
			assert_int_equal(v[CPU_WAIT], 50000);
			assert_int_equal(v[CPU_WAIT_OF], 6000);
		}
		assert_int_equal(w.tree.waits.before.n, 0);
		waits_end(&w);
	}
}

/* For a command that ended before the first sample, only its final reading is known. */
TEST(knows_the_wait_of_a_command_that_no_sample_saw)
{
	const struct job_tree_used used = { { 0 } };
	const struct job_tree_command command = { COMMAND, { 6000000, 50000000 } };
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, FRONT, "task/100/children", "");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 0);
	job_tree_end(&w.tree, FRONT, &used, &command);
	assert_int_equal(waits_look(&w)[CPU_WAIT], 50000);
	waits_end(&w);
}

/* A kernel that does not count waits has no /proc/PID/schedstat, or only zeros in it. */
TEST(row_lacks_waits_that_the_kernel_does_not_count)
{
	static const char *const texts[] = { NULL, "0 0 0\n", "" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct waits w;
		waits_begin(&w, texts[i]);
		waits_look(&w);
		assert_true(has(&w.s, USER));
		assert_false(has(&w.s, CPU_WAIT) || has(&w.s, CPU_WAIT_OF));
		waits_end(&w);
	}
}

/*
 * The kernel counts a task's own work only while the task has a CPU, so the counts of a process
 * that did not run are not read again.
 */
TEST(reads_counts_again_only_of_processes_that_ran)
{
	static const char grown[] =
		"101 (a) b) R 100 1 1 0 -1 0 6 0 2 0 300 100 0 0 20 0 1 0 8 ";
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "stat", "101 (a) b) R 100 1 1 0 -1 0 5 0 2 0 300 100 0 0 20 0 1 0 8 ");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	assert_int_equal(waits_look(&w)[PGFAULT], 5);
	put(&w.t, COMMAND, "stat", grown);
	/* the process may have run after its first stat was read: read stat again */
	assert_int_equal(waits_look(&w)[PGFAULT], 6);
	put(&w.t, COMMAND, "stat", "101 (a) b) R 100 1 1 0 -1 0 7 0 2 0 300 100 0 0 20 0 1 0 8 ");
	assert_int_equal(waits_look(&w)[PGFAULT], 6);
	assert_int_equal(waits_look(&w)[PIDS], 1);
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 9\n");
	assert_int_equal(waits_look(&w)[PGFAULT], 7);
	waits_end(&w);
}

/* The kernel shows a zombie's counts until its parent has waited for the zombie. */
TEST(the_final_reading_of_a_process_that_is_still_there_counts_once)
{
	const struct job_tree_command command = { COMMAND, { 6000000, 50000000 } };
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	put(&w.t, COMMAND, "task/102/schedstat", "1000000 20000000 8\n");
	waits_look(&w);
	job_tree_add(&w.tree, 200);
	job_waits_end(&w.tree.waits, COMMAND, &command.wait, &w.tree.wait);
	put(&w.t, COMMAND, "task/101/schedstat", "6000000 50000000 9\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 70000);
	assert_int_equal(waits_look(&w)[CPU_WAIT_OF], 7000);
	waits_end(&w);
}

TEST(a_smaller_count_of_waits_takes_nothing_away)
{
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 9000);
	put(&w.t, COMMAND, "task/101/schedstat", "5000000 8000000 9\n");
	assert_int_equal(waits_look(&w)[CPU_WAIT], 9000);
	assert_int_equal(waits_look(&w)[CPU_WAIT_OF], 5000);
	waits_end(&w);
}

TEST(a_rescan_finds_a_thread_that_replaced_another_one)
{
	struct waits w;
	waits_begin(&w, "1 1 1\n");
	put(&w.t, COMMAND, "task/101/schedstat", "4000000 9000000 8\n");
	put(&w.t, COMMAND, "task/102/schedstat", "1000000 20000000 8\n");
	put(&w.t, COMMAND, "task/103/schedstat", "1 1 1\n");
	waits_look(&w);
	put(&w.t, COMMAND, "task/104/schedstat", "1000000 3000000 8\n");
	w.s.rescan = true;
	assert_int_equal(waits_look(&w)[CPU_WAIT], 32000);
	waits_end(&w);
}

int main(void)
{
	RUN(cmocka_unit_test(a_rescan_finds_a_thread_that_replaced_another_one),
	    cmocka_unit_test(a_smaller_count_of_waits_takes_nothing_away),
	    cmocka_unit_test(the_final_reading_of_a_process_that_is_still_there_counts_once),
	    cmocka_unit_test(neither_the_sampler_nor_a_helper_is_of_the_run),
	    cmocka_unit_test(a_process_that_is_listed_twice_counts_once),
	    cmocka_unit_test(children_of_each_thread_are_of_the_run),
	    cmocka_unit_test(a_run_keeps_what_a_vanished_process_used),
	    cmocka_unit_test(the_peak_is_the_largest_of_all_supervisors_at_least_the_memory_now),
	    cmocka_unit_test(the_end_of_a_front_is_not_of_an_earlier_one_with_its_pid),
	    cmocka_unit_test(a_new_front_is_looked_at_even_without_a_fork),
	    cmocka_unit_test(processes_of_an_ended_front_are_not_counted_even_without_a_fork),
	    cmocka_unit_test(a_front_is_lost_if_it_is_a_zombie_or_its_pid_was_reused),
	    cmocka_unit_test(processes_of_a_lost_front_are_killed_with_their_new_children),
	    cmocka_unit_test(when_all_supervisors_have_gone_only_ended_ones_leave_processes),
	    cmocka_unit_test(run_used_the_sum_of_its_processes),
	    cmocka_unit_test(row_lacks_bytes_that_the_kernel_does_not_count),
	    cmocka_unit_test(ended_command_leaves_its_memory_peak),
	    cmocka_unit_test(children_are_read_again_only_after_a_fork),
	    cmocka_unit_test(adds_the_swapped_memory_of_its_processes),
	    cmocka_unit_test(row_lacks_swap_that_the_kernel_does_not_show),
	    cmocka_unit_test(adds_the_time_that_each_thread_waited_for_a_cpu),
	    cmocka_unit_test(keeps_the_wait_of_an_ended_process_and_adds_its_last_reading_once),
	    cmocka_unit_test(adds_the_last_reading_once_if_samples_come_before_the_end_is_told),
	    cmocka_unit_test(knows_the_wait_of_a_command_that_no_sample_saw),
	    cmocka_unit_test(row_lacks_waits_that_the_kernel_does_not_count),
	    cmocka_unit_test(reads_counts_again_only_of_processes_that_ran),
	    cmocka_unit_test(files_of_a_process_stay_open_while_it_is_sampled));
}
