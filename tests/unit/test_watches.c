/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_watches.c - watch files and folders for the agent, read them again in time, and confine the
 * agent
 *
 * The linker option --wrap records the callbacks that the agent's parts register, so that a test
 * can call them with events that a kernel rarely sends.
 */
#include "tests/unit/recorder_node.h"

#include <sys/inotify.h>
#include <time.h>
#include "agent/confinement.h"
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "collectors/job_dirs.h"

static struct {
	sd_event_source *source;
	sd_event_time_handler_t call;	/* NULL: no timer */
	void *arg;
} timer[4];
static struct {
	char path[CONFIG_TEXT_MAX];
	sd_event_inotify_handler_t call;
	void *arg;
} watch[4];
static size_t watches;	/* number of watches that were added; the first ones are in watch[] */

int __real_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock,
			     uint64_t usec, uint64_t accuracy, sd_event_time_handler_t call,
			     void *arg);
int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock,
			     uint64_t usec, uint64_t accuracy, sd_event_time_handler_t call,
			     void *arg);
int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock,
			     uint64_t usec, uint64_t accuracy, sd_event_time_handler_t call,
			     void *arg)
{
	int r = __real_sd_event_add_time(event, ret, clock, usec, accuracy, call, arg);
	size_t i = 0;
	while (timer[i].call && i + 1 < ARRAY_SIZE(timer))
		i++;
	timer[i].source = *ret;
	timer[i].call = call;
	timer[i].arg = arg;
	return r;
}

sd_event_source *__real_sd_event_source_unref(sd_event_source *source);
sd_event_source *__wrap_sd_event_source_unref(sd_event_source *source);
sd_event_source *__wrap_sd_event_source_unref(sd_event_source *source)
{
	for (size_t i = 0; i < ARRAY_SIZE(timer); i++)
		if (timer[i].source == source)
			timer[i].call = NULL;
	return __real_sd_event_source_unref(source);
}

int __real_sd_event_add_inotify(sd_event *event, sd_event_source **ret, const char *path,
				uint32_t mask, sd_event_inotify_handler_t call, void *arg);
int __wrap_sd_event_add_inotify(sd_event *event, sd_event_source **ret, const char *path,
				uint32_t mask, sd_event_inotify_handler_t call, void *arg);
int __wrap_sd_event_add_inotify(sd_event *event, sd_event_source **ret, const char *path,
				uint32_t mask, sd_event_inotify_handler_t call, void *arg)
{
	size_t i = watches++;
	if (i < ARRAY_SIZE(watch)) {
		str_copy(watch[i].path, sizeof(watch[i].path), str_of(path));
		watch[i].call = call;
		watch[i].arg = arg;
	}
	return __real_sd_event_add_inotify(event, ret, path, mask, call, arg);
}

static int64_t reading_ns;	/* CPU time that a reading of all jobs takes */

bool __wrap_sampler_look_between(struct sampler *s, bool due);
bool __wrap_sampler_look_between(struct sampler *s, bool due)
{
	int64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + reading_ns;
	(void)s;
	(void)due;
	while (reading_ns && clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	return true;
}

/* the rules of the agent's confinement, which is not put into force here */
static const struct confine_path *rule;
static size_t rules;

void __wrap_confine(const struct confine_path *paths, size_t n, unsigned may,
		    struct confined *ret);
void __wrap_confine(const struct confine_path *paths, size_t n, unsigned may,
		    struct confined *ret)
{
	(void)may;
	rule = paths;
	rules = n;
	*ret = (struct confined){ .landlock = 1, .seccomp = true };
}

int __wrap_privileges_keep(uint64_t kept);
int __wrap_privileges_keep(uint64_t kept)
{
	(void)kept;
	return 0;
}

/* Simulate that the time of the first timer has come. */
static void fire_timer(void)
{
	assert_non_null(timer[0].call);
	assert_int_equal(timer[0].call(timer[0].source, 0, timer[0].arg), 0);
}

/* An agent that has only its spool, and a hook on the same node. */
struct agent {
	struct node node;
	struct daemon d;
};

static void ignore(struct daemon *d)
{
	(void)d;
}

static struct agent *agent_start(void)
{
	char error[768];
	struct agent *a = test_calloc(1, sizeof(*a));
	watches = 0;
	node_open(&a->node, false);
	a->d.config = a->node.config;
	assert_int_equal(recorder_open(&a->d.recorder, &a->d.config, NULL, error, sizeof(error)),
			 0);
	a->d.recorder.to.keep = true;
	assert_true(sd_event_new(&a->d.event) >= 0);
	assert_int_equal(spool_start(&a->d, ignore), 0);
	fire_timer();	/* the first look at the spool */
	assert_null(timer[0].call);
	return a;
}

static void agent_end(struct agent **agent)	/* function for CLEANUP() */
{
	struct agent *a = *agent;
	job_reads_stop(&a->d);
	cgroups_stop(&a->d);
	job_file_stop(&a->d);
	spool_stop(&a->d);
	recorder_close(&a->d.recorder);
	sd_event_unref(a->d.event);
	node_free(&a->node);
	test_free(a);
}

/* Simulate that the kernel has dropped events of this watch. */
static void overflow(size_t i)
{
	const struct inotify_event event = { .wd = -1, .mask = IN_Q_OVERFLOW };
	assert_true(i < watches);
	assert_true(watch[i].call(NULL, &event, watch[i].arg) >= 0);
}

TEST(job_file_is_read_again_if_events_were_lost)
{
	struct agent *a CLEANUP(agent_end) = agent_start();
	size_t i = watches;
	assert_int_equal(job_file_start(&a->d), 0);
	assert_string_equal(watch[i].path, a->node.tree.path);
	tree_put(&a->node.tree, "job", STR("42\n"));
	overflow(i);
	assert_non_null(jobs_find(&a->d.recorder.jobs, STR("42")));
}

TEST(spool_is_read_again_if_events_were_lost)
{
	struct agent *a CLEANUP(agent_end) = agent_start();
	leave(&a->node, realtime_us(), REQUEST_BEGIN, "7");
	overflow(0);
	fire_timer();
	assert_non_null(jobs_find(&a->d.recorder.jobs, STR("7")));
}

#define SCOPE "root/sys/fs/cgroup/system.slice/slurmstepd.scope"

/* Each restart of a scheduler may make a new directory, and removes the old one. */
TEST(each_new_directory_of_jobs_is_watched)
{
	struct agent *a CLEANUP(agent_end) = agent_start();
	const struct tree *t = &a->node.tree;
	const struct inotify_event event = { .mask = IN_CREATE };
	size_t i = watches;
	a->d.config.job_cgroups = true;
	tree_put(t, SCOPE "/cgroup.procs", STR(""));
	cgroups_start(&a->d);
	assert_true(watches > i);
	for (int k = 0; k < JOB_WATCHES; k++) {
		char old[32];
		size_t before = watches;
		/* keep the old directory, so that the new one has another inode */
		snprintf(old, sizeof(old), "old%d", k);
		assert_int_equal(renameat(t->fd, SCOPE, t->fd, old), 0);
		tree_put(t, SCOPE "/cgroup.procs", STR(""));
		assert_int_equal(watch[i].call(NULL, &event, watch[i].arg), 0);
		assert_int_equal(watches, before + 1);
	}
}

/*
 * The simulated reading of all jobs takes 10 ms of CPU time. At 1/500 of a CPU, the next reading is
 * due 5 s later.
 */
TEST(reading_jobs_uses_at_most_a_five_hundredth_of_a_cpu)
{
	struct agent *a CLEANUP(agent_end) = agent_start();
	int64_t began_us = monotonic_ns() / 1000;
	uint64_t next_us;
	job_reads_start(&a->d);
	reading_ns = 10000000;
	fire_timer();
	reading_ns = 0;
	assert_int_equal(sd_event_source_get_time(timer[0].source, &next_us), 0);
	assert_true((int64_t)next_us >= began_us + 5000000);
}

/* Return true if the rules allow to keep files in this folder. */
static bool may_keep(const char *folder)
{
	const struct confine_path wanted = { folder, CONFINE_KEEP };
	return confine_covers(rule, rules, &wanted);
}

TEST(confined_agent_keeps_files_in_each_folder_of_its_configuration)
{
	struct node n CLEANUP(node_free);
	const struct options o = { .sinks = NULL };
	struct buf errors CLEANUP(buf_free) = { 0 };
	node_open(&n, false);
	char *const folders[] = {
		n.config.dir, n.config.runtime_dir, n.config.gpu_job_dir, n.config.dcgm_job_dir,
		n.config.summary_dir,
	};
	put_path(n.config.gpu_job_dir, &n.tree, "gpu/jobs");
	put_path(n.config.dcgm_job_dir, &n.tree, "dcgm/jobs");
	put_path(n.config.summary_dir, &n.tree, "summary/jobs");
	n.config.confine = true;
	struct confinement *c = confinement_start(&o, &n.config, false);
	assert_true(rules > 0);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		assert_true(may_keep(folders[i]));
	assert_int_equal(confinement_allows(c, &n.config, &errors), 0);

	/* A reload cannot add a folder. A build without landlock has no rules to check. */
	for (size_t i = 0; i < ARRAY_SIZE(folders) && !may_keep("/nowhere/else"); i++) {
		char before[CONFIG_TEXT_MAX];
		str_copy(before, sizeof(before), str_of(folders[i]));
		str_copy(folders[i], CONFIG_TEXT_MAX, STR("/nowhere/else"));
		assert_int_equal(confinement_allows(c, &n.config, &errors), -EPERM);
		str_copy(folders[i], CONFIG_TEXT_MAX, str_of(before));
	}
	free(c);
}

int main(void)
{
	RUN(cmocka_unit_test(job_file_is_read_again_if_events_were_lost),
	    cmocka_unit_test(spool_is_read_again_if_events_were_lost),
	    cmocka_unit_test(each_new_directory_of_jobs_is_watched),
	    cmocka_unit_test(reading_jobs_uses_at_most_a_five_hundredth_of_a_cpu),
	    cmocka_unit_test(confined_agent_keeps_files_in_each_folder_of_its_configuration));
}
