/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_ends.c - inotify events mark the jobs in which processes or steps started or ended */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include "collectors/job_ends.h"
#include "tests/unit/tree.h"

#define JOBS 3

/*
 * Three ended jobs. The test writes inotify events to a pipe, which replaces the inotify
 * descriptor. Watch 10 belongs to job 1, watch 11 to job 2, watch 12 to job 3.
 */
struct node {
	struct job_last job[JOBS];
	struct job_end watch[JOBS];
	struct job_lasts lasts;
	struct job_ends ends;
	int pipe[2];
};

static void node_make(struct node *n)
{
	*n = (struct node){ .lasts = { .job = n->job, .n = JOBS } };
	assert_int_equal(pipe2(n->pipe, O_NONBLOCK | O_CLOEXEC), 0);
	for (size_t i = 0; i < JOBS; i++) {
		n->job[i] = (struct job_last){ .number = i + 1, .ended = true };
		n->watch[i] = (struct job_end){ .wd = 10 + (int)i, .job = i + 1 };
	}
	n->ends = (struct job_ends){ .fd = n->pipe[0], .watch = n->watch, .n = JOBS, .cap = JOBS };
}

static void node_free(struct node *n)
{
	close_fd(&n->pipe[0]);
	close_fd(&n->pipe[1]);
}

static bool read_event(struct node *n, int wd, uint32_t mask)
{
	const struct inotify_event event = { .wd = wd, .mask = mask };
	assert_int_equal(write(n->pipe[1], &event, sizeof(event)), sizeof(event));
	return job_ends_read(&n->ends, &n->lasts);
}

/* Return a character for each job: 'c' if the job is marked as changed, else '-'. */
static const char *changed(const struct node *n)
{
	static char text[JOBS + 1];
	for (size_t i = 0; i < JOBS; i++)
		text[i] = n->job[i].changed ? 'c' : '-';
	return text;
}

TEST(an_overflow_of_the_event_queue_marks_all_jobs)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	assert_true(read_event(&n, -1, IN_Q_OVERFLOW));
	assert_string_equal(changed(&n), "ccc");
	for (size_t i = 0; i < JOBS; i++)
		/* a lost event may have been about a new process of the job */
		assert_false(n.job[i].ended);
}

TEST(an_event_marks_the_job_of_its_watch_only)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	assert_true(read_event(&n, 11, IN_MODIFY));
	assert_string_equal(changed(&n), "-c-");
	assert_true(n.job[1].ended);
	assert_true(n.job[1].ran);
	assert_false(n.job[0].ran);
	assert_false(read_event(&n, 77, IN_MODIFY));
	assert_string_equal(changed(&n), "-c-");
}

TEST(a_job_with_a_new_step_has_not_ended)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	assert_true(read_event(&n, 12, IN_DELETE));
	assert_true(n.job[2].ended);
	assert_true(read_event(&n, 12, IN_CREATE));
	assert_false(n.job[2].ended);
	assert_false(n.job[2].ran);	/* a new directory does not prove that a process ran */
	assert_string_equal(changed(&n), "--c");
}

TEST(a_watch_that_the_kernel_removed_is_forgotten)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	assert_false(read_event(&n, 10, IN_IGNORED));
	assert_int_equal(n.ends.n, 2);
	assert_false(read_event(&n, 10, IN_MODIFY));
	assert_string_equal(changed(&n), "---");
	assert_true(read_event(&n, 12, IN_MODIFY));
	assert_string_equal(changed(&n), "--c");
}

#define GROUP "sys/fs/cgroup/job_1/"

/* A job whose processes are in directories named user, as below a step of Slurm. */
static struct job_last job_of_users(void)
{
	return (struct job_last){ .mount = "sys/fs/cgroup", .dir = "job_1", .number = 7,
				  .users = "step_*/user" };
}

static bool look(struct tree *t, struct job_ends *e)
{
	const struct job_last j = job_of_users();
	struct files root;
	struct source s;
	assert_int_equal(files_open_root(&root, t->path), 0);
	source_init(&s, &root, NULL, 0);
	bool runs = job_ends_look(e, &s, &j);
	source_free(&s);
	files_free(&root);
	return runs;
}

TEST(each_step_is_watched_and_one_with_a_process_is_enough)
{
	struct tree t CLEANUP(tree_free);
	struct job_ends e = { .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	tree_make(&t);
	tree_put(&t, GROUP "step_0/user/cgroup.events", STR("populated 0\nfrozen 0\n"));
	tree_put(&t, GROUP "step_1/user/cgroup.events", STR("populated 0\nfrozen 0\n"));
	assert_false(look(&t, &e));
	/* watches: the job's directory, two steps and two files */
	assert_int_equal(e.n, 5);
	tree_put(&t, GROUP "step_0/user/cgroup.events", STR("populated 1\nfrozen 0\n"));
	assert_true(look(&t, &e));
	assert_int_equal(e.n, 5);
	job_ends_forget(&e, 8);
	assert_int_equal(e.n, 5);
	job_ends_forget(&e, 7);
	assert_int_equal(e.n, 0);
	close(e.fd);
	job_ends_free(&e);
}

TEST(a_job_has_a_limited_number_of_watches)
{
	struct tree t CLEANUP(tree_free);
	struct job_ends e = { .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	char path[128];
	tree_make(&t);
	for (int i = 0; i < JOB_ENDS_OF_JOB; i++) {
		snprintf(path, sizeof(path), GROUP "step_%d/user/cgroup.events", i);
		tree_put(&t, path, STR("populated 0\n"));
	}
	assert_false(look(&t, &e));
	assert_int_equal(e.n, JOB_ENDS_OF_JOB);
	assert_false(look(&t, &e));
	assert_int_equal(e.n, JOB_ENDS_OF_JOB);
	close(e.fd);
	job_ends_free(&e);
}

int main(void)
{
	RUN(cmocka_unit_test(an_overflow_of_the_event_queue_marks_all_jobs),
	    cmocka_unit_test(an_event_marks_the_job_of_its_watch_only),
	    cmocka_unit_test(a_job_with_a_new_step_has_not_ended),
	    cmocka_unit_test(a_watch_that_the_kernel_removed_is_forgotten),
	    cmocka_unit_test(each_step_is_watched_and_one_with_a_process_is_enough),
	    cmocka_unit_test(a_job_has_a_limited_number_of_watches));
}
