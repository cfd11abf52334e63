/* SPDX-License-Identifier: BSD-3-Clause */
/* test_processes.c - list the processes in /proc, and recognise them in the next sample */
#include "tests/unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/system/processes.h"

static struct processes ps;
static struct files files;
static char root[] = "/tmp/test_processes.XXXXXX";

static void open_at(const char *dir)
{
	assert_int_equal(files_open_root(&files, dir), 0);
	assert_int_equal(processes_open(&ps, &files), 0);
}

static void close_all(void)
{
	processes_free(&ps);
	assert_int_equal(ps.fds, 0);
	files_free(&files);
}

static struct process *find(uint32_t pid)
{
	for (size_t i = 0; i < ps.now.n; i++)
		if (ps.now.p[i].pid == pid)
			return &ps.now.p[i];
	return NULL;
}

TEST(a_process_keeps_its_tag_and_its_file_until_it_ends)
{
	struct buf b = { 0 };
	struct str text;
	pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	uint32_t pid = (uint32_t)child;

	open_at("/");
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_non_null(find(pid));
	assert_int_equal(find(pid)->tag, 0);
	assert_int_equal(process_status(&ps, &files, find(pid), &b, &text), 0);
	assert_true(str_starts(text, STR("Name:")));
	int fd = find(pid)->fd;
	find(pid)->tag = 7;

	assert_int_equal(processes_look(&ps, &files), 0);
	assert_int_equal(find(pid)->tag, 7);
	assert_int_equal(find(pid)->fd, fd);
	assert_int_equal(ps.fds, 1);

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(process_status(&ps, &files, find(pid), &b, &text), -ESRCH);
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_null(find(pid));
	assert_int_equal(ps.fds, 0);
	buf_free(&b);
	close_all();
}

TEST(the_owner_is_the_effective_user)
{
	uid_t uid;

	open_at("/");
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_int_equal(process_owner(&ps, find((uint32_t)getpid()), &uid), 0);
	assert_int_equal(uid, geteuid());
	close_all();
}

static void folder(const char *name, bool make)
{
	char path[80];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(make ? mkdir(path, 0700) : rmdir(path), 0);
}

TEST(a_captured_tree_is_read_in_order_and_only_numbers_count)
{
	static const char *const names[] = { "proc", "proc/10", "proc/9", "proc/self", "proc/1x",
					     "proc/99999999999", "proc/4294967296", "proc/0" };
	struct buf b = { 0 };
	struct str text;

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		folder(names[i], true);
	open_at(root);
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_int_equal(ps.now.n, 2);
	assert_string_equal(ps.now.p[0].name, "9");
	assert_string_equal(ps.now.p[1].name, "10");
	assert_int_equal(process_status(&ps, &files, &ps.now.p[0], &b, &text), -ENOENT);
	folder("proc/9/status", true);
	int fd = files_open(&files, "proc/9/status", O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	ps.now.p[0].fd = fd;
	ps.fds = 1;

	/* a pid with another inode in /proc is another process: the earlier one's file is closed */
	ps.now.p[0].tag = ps.now.p[1].tag = 7;
	ps.now.p[0].inode++;
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_int_equal(ps.now.p[0].tag, 0);
	assert_int_equal(ps.now.p[1].tag, 7);
	assert_int_equal(ps.fds, 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);

	buf_free(&b);
	close_all();
	folder("proc/9/status", false);
	for (size_t i = ARRAY_SIZE(names); i-- > 0; )
		folder(names[i], false);
	rmdir(root);
}

TEST(a_status_without_an_end_is_refused)
{
	char dir[] = "/tmp/test_processes.XXXXXX", path[64];
	struct buf b = { 0 };
	struct str text;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/proc", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/proc/5", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/proc/5/status", dir);
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(ftruncate(fd, PROCESS_STATUS_MAX), 0);

	open_at(dir);
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_int_equal(process_status(&ps, &files, &ps.now.p[0], &b, &text), -EFBIG);
	assert_int_equal(ftruncate(fd, PROCESS_STATUS_MAX - 1), 0);
	assert_int_equal(process_status(&ps, &files, &ps.now.p[0], &b, &text), 0);
	assert_int_equal(text.n, PROCESS_STATUS_MAX - 1);

	buf_free(&b);
	close_all();
	for (unlink(path); strcmp(path, dir) != 0; rmdir(path))
		*strrchr(path, '/') = '\0';
}

TEST(files_beyond_the_limit_are_not_kept)
{
	struct buf b = { 0 };
	struct str text;

	open_at("/");
	ps.fds_max = 1;
	assert_int_equal(processes_look(&ps, &files), 0);
	for (size_t i = 0; i < ps.now.n; i++)
		if (process_status(&ps, &files, &ps.now.p[i], &b, &text) == 0)
			assert_true(text.n > 0);
	assert_int_equal(ps.fds, 1);
	buf_free(&b);
	close_all();
}

/* /proc may be unreadable at the first sample, because too many files are open. */
TEST(proc_is_opened_again_after_an_error)
{
	char dir[] = "/tmp/test_processes.XXXXXX";

	assert_non_null(mkdtemp(dir));
	assert_int_equal(files_open_root(&files, dir), 0);
	assert_int_equal(processes_open(&ps, &files), -ENOENT);
	assert_int_equal(processes_look(&ps, &files), -ENOENT);
	assert_int_equal(mkdirat(files.rootfd, "proc", 0755), 0);
	assert_int_equal(mkdirat(files.rootfd, "proc/7", 0755), 0);
	assert_int_equal(processes_look(&ps, &files), 0);
	assert_non_null(find(7));
	assert_int_equal(unlinkat(files.rootfd, "proc/7", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(files.rootfd, "proc", AT_REMOVEDIR), 0);
	close_all();
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(a_process_keeps_its_tag_and_its_file_until_it_ends),
	    cmocka_unit_test(the_owner_is_the_effective_user),
	    cmocka_unit_test(a_captured_tree_is_read_in_order_and_only_numbers_count),
	    cmocka_unit_test(a_status_without_an_end_is_refused),
	    cmocka_unit_test(files_beyond_the_limit_are_not_kept),
	    cmocka_unit_test(proc_is_opened_again_after_an_error));
}
