/* SPDX-License-Identifier: BSD-3-Clause */
/* test_killed.c - write each mark once if the agent is killed before it has saved its jobs */
#include "tests/unit/recorder_node.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Kill the agent at its warning that the state file cannot be saved. The archive has the mark by
 * then.
 */
static void kill_here(void *arg, enum log_level level, const char *text)
{
	(void)arg;
	(void)text;
	if (level == LOG_LEVEL_WARNING)
		kill(getpid(), SIGKILL);
}

/*
 * Run act() in an agent that is killed after the mark is in the archive and before the jobs are
 * saved. Then start the next agent, which first completes the interrupted work.
 */
static void be_killed(struct node *n, void (*act)(struct node *n))
{
	const struct listener killer = { .hear = kill_here };
	char error[768], next[64];
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		snprintf(next, sizeof(next), "run/jobs.%d.new/x", (int)getpid());
		tree_put(&n->tree, next, STR("a folder where the next state is written"));
		n->r->listener = &killer;
		act(n);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	recorder_close(n->r);
	assert_int_equal(recorder_open(n->r, &n->config, NULL, error, sizeof(error)), 0);
	n->r->to.keep = true;
	assert_true(recorder_drain(n->r, NULL, NULL) >= 0);
}

/* Compare the kinds and jobs of all marks, in order, for example "begin 9 end 9". */
static void assert_marks(struct node *n, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	struct str line;
	tree_get(&n->tree, "archive/n1/current", &n->text);
	for (struct str text = buf_str(&n->text); str_take_line(&text, &line); ) {
		struct mark mark = mark_parse(str_skip(line, line.n > 0));
		if (str_peek(line) == '%')
			buf_addf(&got, "%s%s " STR_FMT, got.n ? " " : "", mark_verbs[mark.kind],
				 STR_ARG(mark.subject));
	}
	assert_text(buf_str(&got), str_of(want));
}

static void see_group(struct node *n)
{
	const struct job_cgroup g = { .id = "9", .is_new = true };
	assert_true(recorder_groups(n->r, &g, 1) >= 0);
}

static void see_no_group(struct node *n)
{
	assert_true(recorder_groups(n->r, NULL, 0) >= 0);
}

static void see_job_file(struct node *n)
{
	assert_true(recorder_job_file(n->r) >= 0);
}

static void take_end(struct node *n)
{
	assert_int_equal(recorder_end(n->r, STR("9 request=1000500000.12")), 0);
}

static void take_next_begin(struct node *n)
{
	assert_int_equal(recorder_begin(n->r, STR("9 request=9000500000.12")), 0);
}

static void take_later_begin(struct node *n)
{
	assert_int_equal(recorder_begin(n->r, STR("8 request=9000600000.12")), 0);
}

TEST(groups_are_marked_once_despite_a_kill)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	be_killed(&n, see_group);
	see_group(&n);
	assert_marks(&n, "begin 9");
	assert_last(&n, "9");		/* a second record group, without the mark */
	be_killed(&n, see_no_group);
	see_no_group(&n);
	assert_marks(&n, "begin 9 end 9");
	assert_int_equal(n.r->jobs.n, 0);

	tree_put(&n.tree, "job", STR("7\n"));
	be_killed(&n, see_job_file);
	see_job_file(&n);
	assert_marks(&n, "begin 9 end 9 begin 7");
	tree_put(&n.tree, "job", STR("6\n"));
	be_killed(&n, see_job_file);
	see_job_file(&n);
	assert_marks(&n, "begin 9 end 9 begin 7 end 7 begin 6");
	assert_int_equal(n.r->jobs.n, 1);
	assert_int_equal(spool_count(n.config.runtime_dir), 0);
}

/* A hook and the agent end the job, in either order, and the agent is killed in between. */
TEST(hook_and_agent_end_a_job_once_despite_a_kill)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	see_group(&n);
	be_killed(&n, take_end);
	see_no_group(&n);
	assert_int_equal(recorder_end(n.r, STR("9 request=1000500000.12")), -EALREADY);
	assert_marks(&n, "begin 9 end 9");
	see_group(&n);
	be_killed(&n, see_no_group);
	leave(&n, 1000600000, REQUEST_END, "9 request=1000600000.13");
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 1);
	see_no_group(&n);
	assert_marks(&n, "begin 9 end 9 begin 9 end 9");
}

TEST(begin_ends_the_previous_run_once_despite_a_kill)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	tree_put(&n.tree, "run/jobs", STR("9 1000.000000 hook\n"));
	be_killed(&n, take_next_begin);
	assert_marks(&n, "end 9 begin 9");
	n.config.exclusive_jobs = true;
	be_killed(&n, take_later_begin);
	assert_marks(&n, "end 9 begin 9 end 9 begin 8");
	assert_int_equal(n.r->jobs.n, 1);
}

int main(void)
{
	RUN(cmocka_unit_test(groups_are_marked_once_despite_a_kill),
	    cmocka_unit_test(hook_and_agent_end_a_job_once_despite_a_kill),
	    cmocka_unit_test(begin_ends_the_previous_run_once_despite_a_kill));
}
