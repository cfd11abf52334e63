/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_tree.c - measure the processes of a run in a /proc of the test's own */
#include "tests/unit/test.h"

#include <stdlib.h>
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

/* A front with a command "a) b", which used 3 s of user time and 1 s of the kernel's. */
static void put_processes(const struct tree *t)
{
	put(t, FRONT, "stat", "100 (nodometer-run) S 1 1 1 0 -1 0 1 0 0 0 9 9 0 0 20 0 1 0 7 ");
	put(t, FRONT, "task/100/children", "101 ");
	put(t, COMMAND, "stat", "101 (a) b) R 100 1 1 0 -1 0 5 0 2 0 300 100 0 0 20 0 3 0 8 ");
	put(t, COMMAND, "status", "Name:\ta) b\nVmRSS:\t     36 kB\nRssAnon:\t     12 kB\n");
}

/* The row of a look at them. */
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

TEST(a_run_used_what_its_processes_did)
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

TEST(a_kernel_that_counts_no_bytes_has_none_in_the_row)
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

TEST(files_of_a_process_stay_open_while_it_is_looked_at)
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

/* The kernel keeps the peak of a process that came and went between two looks. */
TEST(a_command_that_ended_leaves_its_peak)
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
	job_tree_end(&tree, FRONT, &used);
	assert_int_equal(job_tree_collect(&s), 0);
	assert_int_equal(rows_values(&s.rows, 0)[MEM_PEAK], 300 << 20);
	job_tree_free(&tree);
	shared_free(&shared);
}

/* The kernel says how many there were; that is believed from when it changed. */
TEST(a_node_without_a_fork_has_no_new_process)
{
	static const struct {
		const char *forks, *children;
		uint64_t pids;
	} looks[] = {
		{ "6", "101 ", 3 }, { "6", "", 0 },	/* perhaps it never changes */
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

int main(void)
{
	RUN(cmocka_unit_test(a_run_used_what_its_processes_did),
	    cmocka_unit_test(a_kernel_that_counts_no_bytes_has_none_in_the_row),
	    cmocka_unit_test(a_command_that_ended_leaves_its_peak),
	    cmocka_unit_test(a_node_without_a_fork_has_no_new_process),
	    cmocka_unit_test(files_of_a_process_stay_open_while_it_is_looked_at));
}
