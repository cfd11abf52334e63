/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_job.c - find jobs that start, end and get their names between samples, in the cgroup layouts
 * of schedulers
 */
#include "tests/unit/test.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "collectors/collector.h"
#include "collectors/job_dirs.h"
#include "collectors/job_groups.h"
#include "collectors/job_layouts.h"
#include "collectors/job_names.h"
#include "collectors/job_slot.h"
#include "tests/unit/tree.h"

#define SCOPE "sys/fs/cgroup/system.slice/slurmstepd.scope/"
#define CPU "usage_usec 5\nuser_usec 3\nsystem_usec 2\n"

struct node {
	struct tree tree;
	struct files root;
	struct source s;
	const struct collector *c;
};

static void node_make(struct node *n)
{
	tree_make(&n->tree);
	tree_put(&n->tree, SCOPE "system/cgroup.procs", STR(""));
	assert_int_equal(files_open_root(&n->root, n->tree.path), 0);
	n->c = collector_find("job");
	assert_non_null(n->c);
	source_init(&n->s, &n->root, n->c->type->metrics, n->c->type->n_metrics);
}

static void node_free(struct node *n)
{
	source_free(&n->s);
	files_free(&n->root);
	tree_free(&n->tree);
}

/* Take a sample and return its devices, each followed by a blank. */
static const char *jobs(struct node *n)
{
	static char text[256];
	size_t at = 0;
	source_clear(&n->s);
	assert_int_equal(n->c->collect(&n->s), 0);
	for (size_t i = 0; i < n->s.rows.n; i++) {
		struct str d = rows_device(&n->s.rows, i);
		at += (size_t)snprintf(text + at, sizeof(text) - at, STR_FMT " ", STR_ARG(d));
	}
	text[at] = '\0';
	return text;
}

/*
 * Skip the test if the file system, such as btrfs, does not count subdirectories in the link count
 * of a directory.
 */
static void need_links(const struct node *n)
{
	struct stat st;
	assert_int_equal(fstatat(n->tree.fd, "sys/fs", &st, 0), 0);
	if (st.st_nlink < 3)
		skip();
}

static void remove_job(const struct node *n, const char *job)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/" SCOPE "%s", n->tree.path, job);
	assert_int_equal(nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

TEST(jobs_are_found_at_their_start_and_gone_at_their_end)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	need_links(&n);

	assert_string_equal(jobs(&n), "");
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "1 ");
	tree_put(&n.tree, SCOPE "job_2/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "1 2 ");
	assert_string_equal(jobs(&n), "1 2 ");
	remove_job(&n, "job_1");
	assert_string_equal(jobs(&n), "2 ");
	tree_put(&n.tree, "sys/fs/cgroup/system.slice/n2_slurmstepd.scope/job_3/cpu.stat",
		 STR(CPU));
	assert_string_equal(jobs(&n), "2 3 ");
}

/*
 * The parent's link count is unchanged: only the unreadable file shows that the first job is gone.
 */
TEST(job_replaced_by_another_is_noticed)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "1 ");

	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(""));	/* the kernel would return ENODEV */
	remove_job(&n, "job_1");
	tree_put(&n.tree, SCOPE "job_2/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "");
	assert_string_equal(jobs(&n), "2 ");
}

/* If a job ends while its files are read, no row with only a part of its values is written. */
TEST(job_that_lacks_a_key_for_the_first_time_has_no_row)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	tree_put(&n.tree, SCOPE "job_1/memory.current", STR("4096\n"));
	assert_string_equal(jobs(&n), "1 ");
	tree_put(&n.tree, SCOPE "job_1/memory.current", STR("")); /* the kernel gives ENODEV */
	assert_string_equal(jobs(&n), "");
	assert_string_equal(jobs(&n), "1 ");	/* the job is still there */
}

/* Return a value of the first row, or fail if it is missing. */
static uint64_t value_of(const struct node *n, const char *key)
{
	for (size_t k = 0; k < n->c->type->n_metrics; k++)
		if (strcmp(n->c->type->metrics[k].name, key) == 0) {
			assert_true(rows_present(&n->s.rows, 0)[k / 64] >> k % 64 & 1);
			return rows_values(&n->s.rows, 0)[k];
		}
	fail_msg("no key %s", key);
	return 0;
}

/*
 * A restarting scheduler removes the parent of its jobs' directories and makes it again. The open
 * files of the removed parent cannot be read. The test puts a directory in the place of such a
 * file, which cannot be read either.
 */
TEST(parent_that_was_made_again_shows_the_last_time_of_a_job)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	need_links(&n);
	tree_put(&n.tree, SCOPE "cpu.stat/x", STR(""));
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "1 ");
	assert_int_equal(renameat(n.tree.fd, SCOPE "cpu.stat", n.tree.fd, "old"), 0);
	tree_put(&n.tree, SCOPE "cpu.stat", STR("usage_usec 100\nuser_usec 60\nsystem_usec 40\n"));
	assert_string_equal(jobs(&n), "1 ");
	remove_job(&n, "job_1");
	tree_put(&n.tree, SCOPE "cpu.stat", STR("usage_usec 130\nuser_usec 80\nsystem_usec 50\n"));
	assert_string_equal(jobs(&n), "1 ");
	assert_int_equal(value_of(&n, "cpu"), 35);
	assert_int_equal(value_of(&n, "whole"), 1);
}

/* If the parent cgroup was made again, its growth since the job's last reading is unknown. */
TEST(job_that_goes_with_its_parent_is_not_whole)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	need_links(&n);
	tree_put(&n.tree, SCOPE "cpu.stat", STR("usage_usec 100\nuser_usec 60\nsystem_usec 40\n"));
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "1 ");
	tree_put(&n.tree, SCOPE "job_1/cpu.stat",
		 STR("usage_usec 6\nuser_usec 4\nsystem_usec 2\n"));
	n.c->reread(&n.s, true);
	remove_job(&n, "job_1");
	tree_put(&n.tree, SCOPE "cpu.stat", STR("usage_usec 9\nuser_usec 6\nsystem_usec 3\n"));
	assert_string_equal(jobs(&n), "1 ");
	assert_int_equal(value_of(&n, "cpu"), 6);
	assert_int_equal(value_of(&n, "whole"), 0);
}

/* Slurm may run several slurmds on a node, each with a job of the same id. */
TEST(two_groups_with_one_job_id_have_different_devices)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	tree_put(&n.tree, "sys/fs/cgroup/system.slice/n2_slurmstepd.scope/job_1/cpu.stat",
		 STR(CPU));
	const char *got = jobs(&n);
	if (strcmp(got, "1 system.slice/n2_slurmstepd.scope/job_1 ") != 0 &&
	    strcmp(got, "1 system.slice/slurmstepd.scope/job_1 ") != 0)
		fail_msg("got \"%s\"", got);
}

TEST(job_without_its_step_daemon_waits_for_its_name)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	tree_put(&n.tree, SCOPE "sEKNKTV3WPV500/cpu.stat", STR(CPU));
	assert_string_equal(jobs(&n), "");
	tree_put(&n.tree, SCOPE "sEKNKTV3WPV500/step_0/slurm/cgroup.procs", STR("77\n"));
	tree_put(&n.tree, "proc/77/cmdline", STR("slurmstepd: [3385.0]"));
	assert_string_equal(jobs(&n), "3385 ");
	tree_put(&n.tree, "proc/77/cmdline", STR("another"));
	n.s.rescan = true;
	assert_string_equal(jobs(&n), "3385 ");
}

/*
 * Slurm may use proctrack/cgroup alone: jobs are then in the freezer controller, which has no
 * values.
 */
TEST(jobs_of_a_controller_without_values_have_no_rows)
{
	struct node n CLEANUP(node_free);
	struct job_dirs dirs = { 0 };
	node_make(&n);
	tree_put(&n.tree, "sys/fs/cgroup/freezer/slurm/uid_1/job_5/freezer.state", STR("THAWED\n"));
	assert_string_equal(jobs(&n), "");
	assert_int_equal(renameat(n.tree.fd, "sys/fs/cgroup/system.slice", n.tree.fd, "x"), 0);
	source_clear(&n.s);
	n.s.rescan = true;
	assert_int_equal(n.c->collect(&n.s), -ENOENT);
	job_dirs_look(&dirs, &n.s);
	assert_int_equal(dirs.n, 1);
	assert_string_equal(dirs.job[0].id, "5");
	tree_put(&n.tree, "sys/fs/cgroup/memory/slurm/uid_1/job_5/memory.usage_in_bytes",
		 STR("5\n"));
	assert_string_equal(jobs(&n), "5 ");
	job_dirs_look(&dirs, &n.s);
	assert_int_equal(dirs.n, 1);
	job_dirs_free(&dirs);
}

TEST(directories_that_cannot_be_watched_are_closed)
{
	struct node n CLEANUP(node_free);
	struct job_dirs dirs = { 0 };
	char path[128];
	node_make(&n);
	for (unsigned uid = 1; uid <= JOB_WATCHES + 2; uid++) {
		snprintf(path, sizeof(path), "sys/fs/cgroup/memory/slurm/uid_%u/job_%u/"
			 "memory.usage_in_bytes", uid, uid);
		tree_put(&n.tree, path, STR("5\n"));
	}
	job_dirs_look(&dirs, &n.s);
	assert_int_equal(dirs.n, JOB_WATCHES + 2);
	assert_int_equal(dirs.watches, JOB_WATCHES);
	job_dirs_free(&dirs);
}

#define SLICE "sys/fs/cgroup/system.slice/htcondor/"
#define AD "MyType = \"Job\"\nClusterId = 12\nOwner = \"ann\"\nProcId = 3\n"

/* Make an HTCondor slot with a process whose grandparent is the slot's starter, process 250. */
static void put_slot(const struct node *n, const char *group)
{
	char path[256];
	snprintf(path, sizeof(path), SLICE "%s/cpu.stat", group);
	tree_put(&n->tree, path, STR(CPU));
	snprintf(path, sizeof(path), SLICE "%s/cgroup.procs", group);
	tree_put(&n->tree, path, STR("310\n300\n"));
	tree_put(&n->tree, "proc/310/stat", STR("310 (left) S 1 310\n"));
	tree_put(&n->tree, "proc/300/stat", STR("300 (a) S 9 (b) S 251 300\n"));
	tree_put(&n->tree, "proc/251/stat", STR("251 (condor_exec.exe) S 250 251\n"));
	tree_put(&n->tree, "proc/250/stat", STR("250 (condor_starter) S 200 250\n"));
	tree_put(&n->tree, "proc/200/stat", STR("200 (condor_startd) S 1 200\n"));
}

TEST(starters_directory_names_the_job_of_a_slot)
{
	static const struct {
		const char *group, *ad;
		struct str text;
		const char *want;
	} cases[] = {
		{ "condor_var_lib_condor_execute_slot1_1@n1",
		  "var/lib/condor/execute/dir_250/.job.ad", STR(AD), "12.3 " },
		{ "condor_var_lib_condor_execute_slot1@n1",
		  "var/lib/condor/execute/dir_250/htcondor/.job.ad", STR(AD), "12.3 " },
		{ "condor_var_lib_condor_execute_slot1@n1",
		  "var/lib/condor/execute/dir_250/scratch/.job.ad", STR(AD), "12.3 " },
		{ "condor_scratch_my_jobs_slot1@n1",
		  "scratch/my_jobs/dir_250/.job.ad", STR(AD), "12.3 " },
		{ "condor_execute_slot1@n1", "execute/dir_250/.job.ad",
		  STR("procid=0\nCLUSTERID  =  7\nClusterId2 = 8\nProcIdx = 9\n"), "7.0 " },
		/* These job ads belong to another starter, are missing, or do not name a job. */
		{ "condor_execute_slot1@n1", "execute/dir_251x/.job.ad", STR(AD),
		  "execute_slot1@n1 " },
		{ "condor_execute_slot1@n1", "execute/dir_250/x", STR(AD), "execute_slot1@n1 " },
		{ "condor_execute_slot1@n1", "execute/dir_250/.job.ad", STR("ClusterId = 7\n"),
		  "execute_slot1@n1 " },
		{ "condor_execute_slot1@n1", "execute/dir_250/.job.ad",
		  STR("ClusterId = 7x\nProcId = 1\n"), "execute_slot1@n1 " },
		{ "condor_execute_slot1@n1", "execute/dir_250/.job.ad",
		  STR("ClusterId = \"7\"\nProcId = -1\n\0"), "execute_slot1@n1 " },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		node_make(&n);
		put_slot(&n, cases[i].group);
		tree_put(&n.tree, cases[i].ad, cases[i].text);
		if (strcmp(jobs(&n), cases[i].want) != 0)
			fail_msg("case %zu: \"%s\"", i, jobs(&n));
	}
}

TEST(slot_waits_for_its_process_and_runs_jobs_in_turn)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	tree_put(&n.tree, SLICE "condor_execute_slot1@n1/cgroup.procs", STR(""));
	tree_put(&n.tree, "execute/dir_250/.job.ad", STR(AD));
	assert_string_equal(jobs(&n), "");
	put_slot(&n, "condor_execute_slot1@n1");
	assert_string_equal(jobs(&n), "12.3 ");
	tree_put(&n.tree, "execute/dir_250/.job.ad", STR("ClusterId = 1\nProcId = 1\n"));
	n.s.rescan = true;
	assert_string_equal(jobs(&n), "12.3 ");	/* later changes of the job ad are ignored */

	assert_int_equal(renameat(n.tree.fd, SLICE "condor_execute_slot1@n1", n.tree.fd, "old"), 0);
	put_slot(&n, "condor_execute_slot1@n1");
	assert_string_equal(jobs(&n), "1.1 ");
}

/* A job may own its cgroup and create any number of cgroups below it. */
TEST(slot_with_many_groups_is_cheap)
{
	struct node n CLEANUP(node_free);
	char path[256];
	node_make(&n);
	put_slot(&n, "condor_execute_slot1@n1");
	tree_put(&n.tree, "execute/dir_250/.job.ad", STR(AD));
	tree_put(&n.tree, SLICE "condor_execute_slot1@n1/cgroup.procs", STR(""));
	tree_put(&n.tree, SLICE "condor_execute_slot1@n1/g200/cgroup.procs", STR("300\n"));
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), SLICE "condor_execute_slot1@n1/g%d/cgroup.procs", i);
		tree_put(&n.tree, path, STR(""));
	}
	assert_string_equal(jobs(&n), "");
	tree_put(&n.tree, SLICE "condor_execute_slot1@n1/g50/cgroup.procs", STR("300\n"));
	assert_string_equal(jobs(&n), "12.3 ");
}

/* A job can write to its directory, so reading the job ad there must never block. */
TEST(ad_that_is_not_a_file_is_ignored)
{
	struct node n CLEANUP(node_free);
	node_make(&n);
	put_slot(&n, "condor_execute_slot1@n1");
	tree_put(&n.tree, "execute/dir_250/x", STR(""));
	assert_int_equal(mkfifoat(n.tree.fd, "execute/dir_250/.job.ad", 0600), 0);
	assert_string_equal(jobs(&n), "execute_slot1@n1 ");
}

TEST(jobs_above_the_limit_are_left_out)
{
	struct node n CLEANUP(node_free);
	char path[128];
	node_make(&n);
	for (int i = 0; i < 1030; i++) {
		snprintf(path, sizeof(path), SCOPE "job_%d/cpu.stat", i);
		tree_put(&n.tree, path, STR(CPU));
	}
	source_clear(&n.s);
	assert_int_equal(n.c->collect(&n.s), 0);
	assert_int_equal(n.s.rows.n, 1024);
}

/* Make the user the owner of a file or directory. */
static void give(const struct node *n, const char *path, uid_t uid)
{
	assert_int_equal(fchownat(n->tree.fd, path, uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW), 0);
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip();
}

static const char *jobs_again(struct node *n)
{
	n->s.rescan = true;
	return jobs(n);
}

/* Mount an empty /sys/fs/cgroup for this process only. */
static void mount_cgroups(struct tree *t)
{
	str_copy(t->path, sizeof(t->path), STR("/sys/fs/cgroup"));
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", t->path, "tmpfs", 0, "mode=755") < 0)
		skip();
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
}

/* OpenPBS and Torque name an array job "12[3].server", which glob(3) could take for a pattern. */
TEST(sockets_of_an_array_job_are_found_on_v1)
{
	struct tree t;
	struct job_groups *g;
	struct stat st;
	char pid[32];
	int ends[2];
	need_root();
	mount_cgroups(&t);
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	tree_put(&t, "memory/torque/12[3].server/cgroup.procs", str_of(pid));
	tree_put(&t, "memory/torque/123.server/cgroup.procs", STR(""));
	close(t.fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(fstat(ends[0], &st), 0);
	const struct socket_seen own = { .inode = st.st_ino };
	assert_int_equal(job_groups_open(&g, "12[3].server"), 0);
	job_groups_look(g);
	assert_true(job_groups_has(g, &own));
	job_groups_free(g);
	assert_int_equal(job_groups_open(&g, "123.server"), 0);
	job_groups_look(g);
	assert_false(job_groups_has(g, &own));
	job_groups_free(g);
	close(ends[0]);
	close(ends[1]);
}

#define USERS "sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service"

TEST(groups_made_by_a_user_name_no_job)
{
	struct node n CLEANUP(node_free);
	struct shared shared = { .job_owners = { 1, { 500 } } };
	char job[32];
	struct str mine = STR("0::/user.slice/user-1000.slice/user@1000.service/"
			      "x-shell-0-forged.service\n");
	need_root();
	node_make(&n);
	n.s.shared = &shared;
	tree_put(&n.tree, USERS "/x-shell-0-forged.service/cpu.stat", STR(CPU));
	tree_put(&n.tree, USERS "/app.slice/x-shell-0-forged2.service/cpu.stat", STR(CPU));
	give(&n, USERS, 1000);
	assert_string_equal(jobs(&n), "");
	assert_false(job_of_cgroups(&n.s, mine, 1000, job, sizeof(job)));

	/* Cgroups below a user's cgroup are not trusted, even if root owns them. */
	give(&n, USERS "/app.slice", 0);
	assert_string_equal(jobs_again(&n), "");
	give(&n, USERS, 500);
	assert_string_equal(jobs_again(&n), "forged forged2 ");
	assert_true(job_of_cgroups(&n.s, mine, 1000, job, sizeof(job)));
	assert_string_equal(job, "forged");
	give(&n, USERS "/app.slice", 1000);
	assert_string_equal(jobs_again(&n), "forged ");

	/* The parent cgroup belongs to root, but everybody may write to it. */
	assert_int_equal(fchmodat(n.tree.fd, USERS, 0777, 0), 0);
	assert_string_equal(jobs_again(&n), "");
	assert_false(job_of_cgroups(&n.s, mine, 1000, job, sizeof(job)));
	n.s.shared = NULL;
	shared_free(&shared);
}

/*
 * HTCondor makes the job's user the owner of the cgroup. Only the owner of the parent cgroup
 * decides whether the name is trusted.
 */
TEST(job_may_own_its_directory)
{
	struct node n CLEANUP(node_free);
	char job[32];
	need_root();
	node_make(&n);
	tree_put(&n.tree, "sys/fs/cgroup/system.slice/n2_slurmstepd.scope/system/x", STR(""));
	tree_put(&n.tree, SCOPE "job_1/cpu.stat", STR(CPU));
	give(&n, SCOPE "job_1", 1000);
	assert_string_equal(jobs(&n), "1 ");
	assert_true(job_of_cgroups(&n.s, STR("0::/system.slice/slurmstepd.scope/job_1/x\n"), 1000,
				   job, sizeof(job)));
	give(&n, "sys/fs/cgroup/system.slice/slurmstepd.scope", 1000);
	assert_string_equal(jobs_again(&n), "");
	give(&n, "sys/fs/cgroup/system.slice/slurmstepd.scope", 0);
	give(&n, "sys/fs/cgroup", 1000);
	assert_false(job_of_cgroups(&n.s, STR("0::/system.slice/slurmstepd.scope/job_1/x\n"), 1000,
				    job, sizeof(job)));
}

#define DIR_AD "execute/dir_250/.job.ad"
#define SLOT   "condor_execute_slot1@n1"

/* Make the slot's directory anew, because the ad of a known slot is not read again. */
static const char *next_slot(struct node *n)
{
	static int slot;
	char from[128], to[128];
	snprintf(from, sizeof(from), SLICE "%s", SLOT);
	snprintf(to, sizeof(to), "old%d", slot++);
	assert_int_equal(renameat(n->tree.fd, from, n->tree.fd, to), 0);
	put_slot(n, SLOT);
	return jobs_again(n);
}

TEST(ad_that_its_job_may_have_written_names_no_job)
{
	struct node n CLEANUP(node_free);
	struct shared shared = { .job_owners = { 1, { 500 } } };
	need_root();
	node_make(&n);
	n.s.shared = &shared;
	put_slot(&n, SLOT);
	tree_put(&n.tree, DIR_AD, STR(AD));
	give(&n, "execute/dir_250", 1000);
	assert_string_equal(jobs(&n), "12.3 ");
	give(&n, DIR_AD, 500);
	assert_string_equal(next_slot(&n), "12.3 ");
	give(&n, DIR_AD, 1000);
	assert_string_equal(next_slot(&n), "execute_slot1@n1 ");

	/*
	 * A symbolic link, a hard link or a linked folder leads to the ad of another job, which
	 * belongs to root.
	 */
	tree_put(&n.tree, "execute/dir_9/.job.ad", STR(AD));
	assert_int_equal(unlinkat(n.tree.fd, DIR_AD, 0), 0);
	assert_int_equal(symlinkat("../dir_9/.job.ad", n.tree.fd, DIR_AD), 0);
	assert_string_equal(next_slot(&n), "execute_slot1@n1 ");
	assert_int_equal(unlinkat(n.tree.fd, DIR_AD, 0), 0);
	assert_int_equal(linkat(n.tree.fd, "execute/dir_9/.job.ad", n.tree.fd, DIR_AD, 0), 0);
	assert_string_equal(next_slot(&n), "execute_slot1@n1 ");
	assert_int_equal(unlinkat(n.tree.fd, DIR_AD, 0), 0);
	assert_int_equal(symlinkat("../dir_9", n.tree.fd, "execute/dir_250/htcondor"), 0);
	assert_string_equal(next_slot(&n), "execute_slot1@n1 ");
	n.s.shared = NULL;
	shared_free(&shared);
}

TEST(pattern_finds_the_job_in_a_name)
{
	static const struct {
		const char *pattern, *name, *job; /* .job is NULL if the name does not match */
	} cases[] = {
		{ "job_{job}",                "job_12",                 "12"    },
		{ "job_{job}",                "job_",                   ""      },
		{ "job_{job}",                "xjob_12",                NULL    },
		{ "{job}",                    "1182724.batch",          "1182724.batch" },
		{ "*shell-*-{job}.service",   "imp-shell-0-f2.service", "f2"    },
		{ "*shell-*-{job}.service",   "shell-0.service",        NULL    },
		{ "*shell-*-{job}.service",   "shell-0-f2.scope",       NULL    },
		{ "*slurmstepd.scope",        "slurmstepd.scope",       ""      },
		{ "*slurmstepd.scope",        "slurmstepd.scope.x",     NULL    },
		{ "slurm*",                   "slurm",                  ""      },
		{ "user-*.slice",             "user-.slice",            ""      },
		{ "user-*.slice",             "user.slice",             NULL    },
		{ "torque",                   "torque2",                NULL    },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str job = { 0 };
		bool fits = job_name_matches(str_of(cases[i].pattern), str_of(cases[i].name), &job);
		assert_int_equal(fits, cases[i].job != NULL);
		if (fits && cases[i].job)
			assert_text(job, str_of(cases[i].job));
	}
}

TEST(process_belongs_to_the_job_of_its_control_group)
{
	static const struct {
		struct str cgroups;
		const char *job;	/* NULL: the process belongs to no job */
	} cases[] = {
		{ STR("9:name=systemd:/system.slice/slurmd.service\n"
		      "4:memory:/slurm/uid_1000/job_123/step_0/task_0\n0::/\n"), "123" },
		{ STR("4:cpu,cpuacct:/slurm_n1/uid_1000/job_123"), "123" },
		{ STR("4:cpuacct,cpu:/slurm_n2/uid_1000/job_124"), "124" },
		{ STR("4:memory:/slurm/uid_1001/job_123/step_0\n"), NULL },
		{ STR("4:memory:/slurm/uid_1000x/job_123/step_0\n"), NULL },
		{ STR("4:memory:/slurm/uid_1000\n"), NULL },
		{ STR("0::/slurm/uid_1000/job_123\n"), NULL },
		{ STR("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n"), "7" },
		{ STR("0::/system.slice/slurmstepd.scope/system\n"), NULL },
		{ STR("0::/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_0/user\n"), "3385" },
		{ STR("0::/system.slice/slurmstepd.scope/sAAAAAAAAAAAAA\n"), NULL },
		{ STR("0::/pbs_jobs.service/jobid/12.server\n"), "12.server" },
		{ STR("2:memory:/torque/9.server\n"), "9.server" },
		{ STR("2:memory:/lsf/cluster1/job.815.4711.1763683200\n"), "815" },
		{ STR("0::/lsf/cluster1/job.815\n"), "815" },
		{ STR("0::/system.slice/htcondor/condor_execute_slot1@n1\n"), "execute_slot1@n1" },
		{ STR("0::/user.slice/user-500.slice/user@500.service/imp-shell-0-f2.service\n"),
		  "f2" },
		{ STR("0::/user.slice/user-1000.slice/user@1000.service/x-shell-0-f2.service\n"),
		  NULL },
		{ STR("0::/user.slice/user-1000.slice/user@1000.service/app.slice/"
		      "x-shell-0-f2.service\n"), NULL },
		{ STR("0::/user.slice/user-1000.slice/session-3.scope\n"), NULL },
		{ STR("0::/../../slurmstepd.scope/job_7\n"), NULL },
		{ STR("2:memory:/torque/\0\n2:memory:/torque/9\0\n"), NULL },
		{ STR("0::/system.slice\0/slurmstepd.scope/job_7\n"), NULL },
		{ STR("0::/pbs\0_jobs.service/jobid/12.server\n"), NULL },
		{ STR("x\n::\n0:\n0::\n0::/\n:/:/\n\n"), NULL },
		{ STR(""), NULL },
		{ STR("0::/lsf/cluster2/job.815\n"), NULL },	/* this cgroup does not exist */
	};
	static const char *const dirs[] = {
		"sys/fs/cgroup/memory/slurm/uid_1000/job_123/x",
		"sys/fs/cgroup/memory/slurm/uid_1001/job_123/x",
		"sys/fs/cgroup/cpu,cpuacct/slurm_n1/uid_1000/job_123/x",
		"sys/fs/cgroup/cpuacct/slurm_n2/uid_1000/job_124/x",
		"sys/fs/cgroup/pbs_jobs.service/jobid/12.server/x",
		"sys/fs/cgroup/memory/torque/9.server/x",
		"sys/fs/cgroup/memory/lsf/cluster1/job.815.4711.1763683200/x",
		"sys/fs/cgroup/lsf/cluster1/job.815/x",
		"sys/fs/cgroup/system.slice/htcondor/condor_execute_slot1@n1/x",
		"sys/fs/cgroup/user.slice/user-500.slice/user@500.service/imp-shell-0-f2.service/x",
	};
	struct node n CLEANUP(node_free);
	char job[32];
	node_make(&n);
	tree_put(&n.tree, SCOPE "sEKNKTV3WPV500/step_0/slurm/cgroup.procs", STR("77\n"));
	tree_put(&n.tree, "proc/77/cmdline", STR("slurmstepd: [3385.0]"));
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		tree_put(&n.tree, dirs[i], STR(""));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool found = job_of_cgroups(&n.s, cases[i].cgroups, 1000, job, sizeof(job));
		if (found != (cases[i].job != NULL))
			fail_msg("case %zu", i);
		if (cases[i].job)
			assert_string_equal(job, cases[i].job);
	}
	assert_false(job_of_cgroups(&n.s, STR("0::/pbs_jobs.service/jobid/12.server"), 1000, job,
				    9));
}

int main(void)
{
	RUN(cmocka_unit_test(two_groups_with_one_job_id_have_different_devices),
	    cmocka_unit_test(jobs_are_found_at_their_start_and_gone_at_their_end),
	    cmocka_unit_test(job_replaced_by_another_is_noticed),
	    cmocka_unit_test(job_that_lacks_a_key_for_the_first_time_has_no_row),
	    cmocka_unit_test(parent_that_was_made_again_shows_the_last_time_of_a_job),
	    cmocka_unit_test(job_that_goes_with_its_parent_is_not_whole),
	    cmocka_unit_test(job_without_its_step_daemon_waits_for_its_name),
	    cmocka_unit_test(jobs_of_a_controller_without_values_have_no_rows),
	    cmocka_unit_test(directories_that_cannot_be_watched_are_closed),
	    cmocka_unit_test(starters_directory_names_the_job_of_a_slot),
	    cmocka_unit_test(slot_waits_for_its_process_and_runs_jobs_in_turn),
	    cmocka_unit_test(slot_with_many_groups_is_cheap),
	    cmocka_unit_test(ad_that_is_not_a_file_is_ignored),
	    cmocka_unit_test(jobs_above_the_limit_are_left_out),
	    cmocka_unit_test(groups_made_by_a_user_name_no_job),
	    cmocka_unit_test(job_may_own_its_directory),
	    cmocka_unit_test(ad_that_its_job_may_have_written_names_no_job),
	    cmocka_unit_test(pattern_finds_the_job_in_a_name),
	    cmocka_unit_test(process_belongs_to_the_job_of_its_control_group),
	    cmocka_unit_test(sockets_of_an_array_job_are_found_on_v1));
}
