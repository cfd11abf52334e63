/* SPDX-License-Identifier: BSD-3-Clause */
/* test_peer_job.c - find the job of a process that connects to the control socket */
#include "tests/unit/recorder_node.h"

#include <errno.h>
#include <sys/inotify.h>
#include "agent/peer_job.h"

#define SCOPE "sys/fs/cgroup/system.slice/slurmstepd.scope/"

/* Make a node on which these jobs have begun, and put the test's own process into `cgroup`. */
static void desk_open(struct node *n, const char *const *jobs, const char *cgroup)
{
	char path[64];
	node_open(n, true);
	for (; *jobs; jobs++)
		assert_int_equal(recorder_begin(n->r, str_of(*jobs)), 0);
	snprintf(path, sizeof(path), "root/proc/%d/cgroup", (int)getpid());
	tree_put(&n->tree, path, str_of(cgroup));
}

static void make_group(struct node *n, const char *job)
{
	char path[128];
	snprintf(path, sizeof(path), "root/" SCOPE "%s/cpu.stat", job);
	tree_put(&n->tree, path, STR("usage_usec 5\n"));
}

static int ask(struct node *n, pid_t pid, uid_t uid, const char *want)
{
	const struct ucred peer = { .pid = pid, .uid = uid };
	char id[JOB_ID_MAX + 1] = "";
	int r = peer_job(n->r, &peer, id, sizeof(id));
	if (want)
		assert_string_equal(id, want);
	return r;
}

TEST(process_in_a_jobs_group_belongs_to_the_job)
{
	static const char *const jobs[] = { "7", "8", NULL };
	struct node n CLEANUP(node_free);
	desk_open(&n, jobs, "0::/system.slice/slurmstepd.scope/job_8/step_0/user/task_0\n");
	make_group(&n, "job_8");
	assert_int_equal(ask(&n, getpid(), geteuid(), "8"), 0);
	/* if the process has another user, its pid may have been reused */
	assert_int_equal(ask(&n, getpid(), geteuid() + 1, NULL), -ESRCH);
	assert_int_equal(ask(&n, 0, geteuid(), NULL), -ESRCH);
}

TEST(job_without_a_begin_on_this_node_is_named)
{
	static const char *const jobs[] = { "7", NULL };
	struct node n CLEANUP(node_free);
	desk_open(&n, jobs, "0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0\n");
	make_group(&n, "job_9");
	assert_int_equal(ask(&n, getpid(), geteuid(), "9"), -ENOENT);
}

TEST(process_without_a_group_has_the_only_job_unless_the_job_has_a_group)
{
	static const char *const one[] = { "7", NULL }, *const two[] = { "7", "8", NULL };
	static const char *const none[] = { NULL };
	struct node n;
	desk_open(&n, one, "0::/user.slice/session-1.scope\n");
	assert_int_equal(ask(&n, getpid(), geteuid(), "7"), 0);
	make_group(&n, "job_7");
	assert_int_equal(ask(&n, getpid(), geteuid(), NULL), -ESRCH);
	node_free(&n);

	desk_open(&n, two, "0::/user.slice/session-1.scope\n");
	assert_int_equal(ask(&n, getpid(), geteuid(), NULL), -ESRCH);
	node_free(&n);
	desk_open(&n, none, "0::/user.slice/session-1.scope\n");
	assert_int_equal(ask(&n, getpid(), geteuid(), NULL), -ESRCH);
	node_free(&n);
}

/* A watch of the job's processes tells the sampler when to read the job's last values. */
TEST(search_for_a_job_keeps_the_watches_of_the_sampler)
{
	static const char *const one[] = { "7", NULL };
	struct node n CLEANUP(node_free);
	char path[256];
	struct inotify_event event;
	desk_open(&n, one, "0::/user.slice/session-1.scope\n");
	make_group(&n, "job_7");
	tree_put(&n.tree, "root/" SCOPE "job_7/step_0/user/cgroup.events", STR("populated 1\n"));
	int fd = n.r->sampler.shared.ended = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/root/" SCOPE "job_7/step_0/user/cgroup.events",
		 n.tree.path);
	assert_true(inotify_add_watch(fd, path, IN_MODIFY) >= 0);
	assert_int_equal(ask(&n, getpid(), geteuid(), NULL), -ESRCH);
	/* the kernel reports IN_IGNORED for a watch that was removed */
	assert_int_equal(read(fd, &event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
}

int main(void)
{
	RUN(cmocka_unit_test(process_in_a_jobs_group_belongs_to_the_job),
	    cmocka_unit_test(job_without_a_begin_on_this_node_is_named),
	    cmocka_unit_test(search_for_a_job_keeps_the_watches_of_the_sampler),
	    cmocka_unit_test(
		    process_without_a_group_has_the_only_job_unless_the_job_has_a_group));
}
