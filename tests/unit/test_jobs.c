/* SPDX-License-Identifier: BSD-3-Clause */
/* test_jobs.c - list the jobs of a node, and keep them in a state file over a restart */
#include "tests/unit/tree.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include "recorder/jobs.h"

TEST(id_is_one_word)
{
	static const struct {
		struct str id;
		bool want;
	} cases[] = {
		{ STR("1"), true },
		{ STR("1981063.batch_0[7]"), true },
		{ STR("job-\xc3\xa9"), true },
		{ STR("--"), true },
		{ STR("a%"), true },
		{ STR(""), false },
		{ STR("-"), false },
		{ STR("%1"), false },
		{ STR("1,2"), false },
		{ STR("1 2"), false },
		{ STR("1\t"), false },
		{ STR("1\n"), false },
		{ STR("1\0"), false },
		{ STR("\x1b[m"), false },
		{ STR("1\x7f"), false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(job_id_valid(cases[i].id), cases[i].want);

	char longest[JOB_ID_MAX + 1];
	memset(longest, 'x', sizeof(longest));
	assert_true(job_id_valid((struct str){ longest, JOB_ID_MAX }));
	assert_false(job_id_valid((struct str){ longest, JOB_ID_MAX + 1 }));
}

static void assert_jobs(const struct jobs *j, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	jobs_put(j, &b);
	assert_text(buf_str(&b), str_of(want));
}

TEST(jobs_are_added_and_removed)
{
	struct jobs j CLEANUP(jobs_free) = { 0 };
	struct job ended;
	assert_jobs(&j, "");
	assert_int_equal(jobs_add(&j, STR("1"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("2"), 20, JOB_FROM_FILE), 0);
	assert_int_equal(jobs_add(&j, STR("3"), 30, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("2"), 40, JOB_FROM_HOOK), -EEXIST);
	assert_int_equal(jobs_add(&j, STR("-"), 40, JOB_FROM_HOOK), -EINVAL);
	assert_jobs(&j, "1,2,3");
	assert_int_equal(jobs_find(&j, STR("2"))->since_us, 20);
	assert_int_equal(jobs_end(&j, STR("2"), 50, false, &ended), 0);
	assert_int_equal(ended.since_us, 20);
	assert_int_equal(jobs_end(&j, STR("2"), 50, false, &ended), -ENOENT);
	assert_string_equal(ended.id, "2");
	assert_int_equal(ended.since_us, 0);
	assert_null(jobs_find(&j, STR("2")));
	assert_jobs(&j, "1,3");
}

TEST(jobs_may_have_the_counters)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct jobs j CLEANUP(jobs_free) = { 0 };
	struct job ended;
	assert_int_equal(jobs_add(&j, STR("1"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("2"), 20, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("3"), 30, JOB_FROM_HOOK), 0);
	assert_false(jobs_any_released(&j));
	jobs_get(&j, STR("3"))->released = jobs_get(&j, STR("1"))->released = true;
	jobs_put_released(&j, &b);
	assert_text(buf_str(&b), STR("1,3"));
	assert_int_equal(jobs_end(&j, STR("1"), 50, false, &ended), 0);
	assert_true(jobs_any_released(&j));
	jobs_get(&j, STR("3"))->released = false;
	assert_false(jobs_any_released(&j));
}

TEST(number_of_jobs_is_limited)
{
	struct jobs j CLEANUP(jobs_free) = { 0 };
	struct job ended;
	char id[16];
	for (int i = 0; i < JOBS_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		assert_int_equal(jobs_add(&j, str_of(id), i, JOB_FROM_HOOK), 0);
	}
	assert_int_equal(jobs_add(&j, STR("more"), 1, JOB_FROM_HOOK), -EOVERFLOW);
	assert_int_equal(jobs_end(&j, STR("0"), 50, false, &ended), 0);
	assert_int_equal(jobs_add(&j, STR("more"), 1, JOB_FROM_HOOK), 0);
}

TEST(saved_jobs_are_loaded)
{
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 }, k CLEANUP(jobs_free) = { 0 };
	char path[128];
	struct stat st;
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	assert_int_equal(jobs_add(&j, STR("1"), 1307509201250000, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("2[7]"), 20000000, JOB_FROM_FILE), 0);

	umask(077);
	assert_int_equal(jobs_save(&j, path), 0);
	umask(022);
	jobs_get(&j, STR("2[7]"))->released = true;
	assert_file(&t, "jobs", STR("1 1307509201.25 hook\n2[7] 20 file\n"));
	assert_int_equal(jobs_save(&j, path), 0);
	assert_file(&t, "jobs", STR("1 1307509201.25 hook\n2[7] 20 file released\n"));
	assert_int_equal(fstatat(t.fd, "jobs", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(jobs_load(&k, path), 0);
	assert_int_equal(k.n, 2);
	assert_memory_equal(j.job, k.job, j.n * sizeof(*j.job));

	j.n = 0;
	assert_int_equal(jobs_save(&j, path), 0);
	assert_int_equal(jobs_load(&k, path), 0);
	assert_int_equal(k.n, 0);
}

TEST(groups_hooks_and_ends_are_saved)
{
	static const char text[] = "1 10 hook released grouped hooked 12.5\n2 11 cgroup grouped\n"
				   "3 20 ended\n4 30.25 ended grouped\n";
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 };
	char path[128];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	tree_put(&t, "jobs", STR(text));
	assert_int_equal(jobs_load(&j, path), 0);
	assert_jobs(&j, "1,2");
	assert_int_equal(jobs_find(&j, STR("1"))->hooked_us, 12500000);
	assert_int_equal(jobs_find(&j, STR("2"))->hooked_us, 11000000);
	assert_true(jobs_find(&j, STR("2"))->grouped);
	assert_null(jobs_ended_since(&j, STR("3"), 20000000));
	assert_false(jobs_ended_since(&j, STR("3"), 19999999)->grouped);
	assert_true(jobs_ended_since(&j, STR("4"), 0)->grouped);
	assert_int_equal(jobs_load(&j, path), 0);	/* loading twice changes nothing */
	assert_int_equal(jobs_save(&j, path), 0);
	assert_file(&t, "jobs", STR(text));
}

/* End jobs `first` to `last`. The time of each end, in microseconds, is the job's number. */
static void end_jobs(struct jobs *j, int first, int last)
{
	struct job ended;
	char id[16];
	for (int i = first; i <= last; i++) {
		snprintf(id, sizeof(id), "%d", i);
		assert_int_equal(jobs_end(j, str_of(id), i, false, &ended), -ENOENT);
	}
}

/*
 * Check that the ends of jobs `first` to `last` are remembered, and the ends of earlier jobs are
 * not.
 */
static void assert_ends(const struct jobs *j, int first, int last)
{
	char id[16];
	for (int i = 1; i <= last; i++) {
		snprintf(id, sizeof(id), "%d", i);
		const struct ended *e = jobs_ended_since(j, str_of(id), 0);
		if (i < first)
			assert_null(e);
		else
			assert_int_equal(e ? e->at_us : 0, i);
	}
}

TEST(last_1024_ends_are_remembered)
{
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 }, k CLEANUP(jobs_free) = { 0 };
	char path[128];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	end_jobs(&j, 1, 1024);
	assert_ends(&j, 1, 1024);
	end_jobs(&j, 1025, 1030);
	assert_ends(&j, 7, 1030);
	assert_int_equal(jobs_save(&j, path), 0);
	assert_int_equal(jobs_load(&k, path), 0);
	assert_ends(&k, 7, 1030);
	end_jobs(&k, 1031, 1040);	/* the state file keeps the order of the ends */
	assert_ends(&k, 17, 1040);
	end_jobs(&j, 1031, 2060);	/* all ends are replaced, some of them twice */
	assert_ends(&j, 1037, 2060);
}

TEST(invalid_lines_are_left_out)
{
	static const struct {
		struct str text;
		const char *want;
	} cases[] = {
		{ STR(""), "" },
		{ STR("\n\n\n"), "" },
		{ STR("1 10 hook"), "1" },
		{ STR("1 10 hook\n2 11 file\n"), "1,2" },
		{ STR("1 10 hook\n1 11 file\n"), "1" },
		{ STR("1\n2 \n3 4\n5 6 rumour\n7 8 file\n"), "7" },
		{ STR("1 ten hook\n2 -1 hook\n3 99999999999999999999 hook\n4 5 hook\n"), "4" },
		{ STR("1  10 hook\n2\t10 hook\n3 10 hook\n"), "3" },
		{ STR("1 10 hook\n2 10 rumour released\n1 10 hook released\n"), "1" },
		{ STR("- 10 hook\n% 10 hook\na,b 10 hook\nok 10 hook"), "ok" },
		{ STR("1 10 ended\n2 x ended\n- 3 ended\n4 5 hook hooked\n5 5 hook hooked x\n"),
		  "4,5" },
		{ STR("a\0b 10 hook\n\0\0\0\0\n1 1 hook\n"), "1" },
		{ STR("\xff\xfe 1 hook\n1 1.5x hook\n2 1.5.5 hook\n3 1. hook\n"), "\xff\xfe,3" },
	};
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 };
	char path[128];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_put(&t, "jobs", cases[i].text);
		assert_int_equal(jobs_load(&j, path), 0);
		assert_jobs(&j, cases[i].want);
	}
}

TEST(long_state_file_gives_at_most_the_limit_of_jobs)
{
	struct tree t CLEANUP(tree_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct jobs j CLEANUP(jobs_free) = { 0 };
	char path[128];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	for (int i = 0; i < 3 * JOBS_MAX; i++)
		buf_addf(&b, "%d %d hook\n", i, i);
	tree_put(&t, "jobs", buf_str(&b));
	assert_int_equal(jobs_load(&j, path), 0);
	assert_int_equal(j.n, JOBS_MAX);
}

TEST(without_a_state_file_there_are_no_jobs)
{
	struct jobs j CLEANUP(jobs_free) = { 0 };
	assert_int_equal(jobs_add(&j, STR("1"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_load(&j, "/nonexistent/jobs"), 0);
	assert_int_equal(j.n, 0);
}

TEST(unreadable_state_file_changes_nothing)
{
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 };
	tree_make(&t);
	assert_int_equal(jobs_add(&j, STR("1"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_load(&j, t.path), -EISDIR);
	assert_jobs(&j, "1");
}

static bool has_new(const struct tree *t)
{
	char name[64];
	snprintf(name, sizeof(name), "jobs.%d.new", (int)getpid());
	return faccessat(t->fd, name, F_OK, 0) == 0;
}

TEST(failed_save_leaves_the_file_as_it_was)
{
	struct tree t CLEANUP(tree_free);
	struct jobs j CLEANUP(jobs_free) = { 0 };
	char path[1100];
	tree_make(&t);
	tree_put(&t, "jobs", STR("1 10 hook\n"));
	snprintf(path, sizeof(path), "%s/jobs", t.path);
	assert_int_equal(jobs_add(&j, STR("1"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&j, STR("2"), 10, JOB_FROM_HOOK), 0);

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 12, RLIM_INFINITY }), 0);
	errno = 0;
	int r = jobs_save(&j, path);
	assert_int_equal(setrlimit(RLIMIT_FSIZE,
				   &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }), 0);
	assert_int_equal(r, -EFBIG);
	assert_file(&t, "jobs", STR("1 10 hook\n"));
	assert_false(has_new(&t));

	assert_int_equal(jobs_save(&j, "/nonexistent/jobs"), -ENOENT);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(jobs_save(&j, path), -ENAMETOOLONG);
}

/* Once a job starts again, the end of its earlier run is no end of the new run. */
TEST(job_that_starts_again_has_not_ended)
{
	struct jobs j CLEANUP(jobs_free) = { 0 };
	struct job ended;
	assert_int_equal(jobs_add(&j, STR("7"), 10, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_end(&j, STR("7"), 20, true, &ended), 0);
	assert_int_equal(ended.since_us, 10);
	assert_true(jobs_ended_since(&j, STR("7"), 0)->grouped);
	assert_int_equal(jobs_add(&j, STR("7"), 30, JOB_FROM_HOOK), 0);
	assert_null(jobs_ended_since(&j, STR("7"), 0));
	jobs_note_later(&j, STR("7"));
	assert_int_equal(jobs_end(&j, STR("7"), 40, false, &ended), 0);
	assert_int_equal(jobs_ended_since(&j, STR("7"), 0)->at_us, 40);
	assert_false(jobs_ended_since(&j, STR("7"), 0)->later);
	assert_false(jobs_ended_since(&j, STR("7"), 0)->grouped);
}

/* The cgroup of a job may outlive the job. */
TEST(end_keeps_whether_the_jobs_group_exists)
{
	static const struct {
		bool grouped, gone, want;
	} cases[] = { { true, false, true }, { true, true, false }, { false, false, false } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct jobs j CLEANUP(jobs_free) = { 0 };
		struct job ended;
		assert_int_equal(jobs_add(&j, STR("7"), 10, JOB_FROM_HOOK), 0);
		jobs_get(&j, STR("7"))->grouped = cases[i].grouped;
		jobs_get(&j, STR("7"))->gone_us = cases[i].gone;
		assert_int_equal(jobs_end(&j, STR("7"), 20, false, &ended), 0);
		assert_int_equal(jobs_ended_since(&j, STR("7"), 0)->grouped, cases[i].want);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(id_is_one_word),
	    cmocka_unit_test(jobs_are_added_and_removed),
	    cmocka_unit_test(jobs_may_have_the_counters),
	    cmocka_unit_test(number_of_jobs_is_limited),
	    cmocka_unit_test(saved_jobs_are_loaded),
	    cmocka_unit_test(groups_hooks_and_ends_are_saved),
	    cmocka_unit_test(last_1024_ends_are_remembered),
	    cmocka_unit_test(invalid_lines_are_left_out),
	    cmocka_unit_test(long_state_file_gives_at_most_the_limit_of_jobs),
	    cmocka_unit_test(without_a_state_file_there_are_no_jobs),
	    cmocka_unit_test(unreadable_state_file_changes_nothing),
	    cmocka_unit_test(failed_save_leaves_the_file_as_it_was),
	    cmocka_unit_test(job_that_starts_again_has_not_ended),
	    cmocka_unit_test(end_keeps_whether_the_jobs_group_exists));
}
