/* SPDX-License-Identifier: BSD-3-Clause */
/* test_room.c - select the records of a run in its folder, and allow one sampler per node */
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "run/room.h"

static const struct room *ends;	/* room whose sampler ends at the next call of flock() */

int flock(int fd, int operation)
{
	const struct room *r = ends;
	ends = NULL;
	if (r)
		room_leave(r);
	return (int)syscall(SYS_flock, fd, operation);
}

static void record(const struct room *r, const char *host, time_t at)
{
	const struct timespec times[2] = { { at, 0 }, { at, 0 } };
	char path[2 * ROOM_PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", r->dir, host);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/current", r->dir, host);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	if (at)
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(hosts_of_earlier_runs_are_not_recorded_in_this_one)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	tree_make(&t);
	assert_int_equal(room_make(&r, t.path, "job", "n0"), 0);
	assert_int_equal(room_enter(&r), 0);
	record(&r, "n0", 1000000000);
	record(&r, "n1", 1000000000);
	assert_int_equal(room_nodes(&r).recorded, 0);
	assert_int_equal(room_nodes(&r).changed_us, 0);
	record(&r, "n1", 2000000000);
	assert_int_equal(room_nodes(&r).recorded, 1);
	assert_true(room_nodes(&r).sampled);
	room_remove(&r);
}

TEST(a_lock_that_is_removed_as_it_is_taken_makes_no_second_sampler)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	int lock, fifo, second, other;
	tree_make(&t);
	assert_int_equal(room_make(&r, t.path, "job", "n0"), 0);
	assert_int_equal(room_enter(&r), 0);
	ends = &r;
	assert_int_equal(room_lock(&r, &lock, &fifo), -ENOENT);
	assert_int_equal(room_enter(&r), 0);
	assert_int_equal(room_lock(&r, &lock, &fifo), 0);
	assert_int_equal(room_lock(&r, &second, &other), -EBUSY);
	close(lock);
	close(fifo);
	room_remove(&r);
}

static void make_and_enter(struct tree *t, struct room *r)
{
	tree_make(t);
	assert_int_equal(room_make(r, t->path, "job", "n0"), 0);
	assert_int_equal(room_enter(r), 0);
}

/*
 * The previous run's sampler is removing the folder: it has removed the pipe, but not yet the lock,
 * which it removes last.
 */
TEST(a_sampler_without_a_pipe_to_its_ranks_gives_the_lock_back)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	int lock, fifo;
	char ranks[2 * ROOM_PATH_MAX];
	make_and_enter(&t, &r);
	snprintf(ranks, sizeof(ranks), "%s/ranks", r.node_dir);
	assert_int_equal(unlink(ranks), 0);
	assert_int_equal(room_lock(&r, &lock, &fifo), -ENOENT);
	assert_int_equal(room_enter(&r), 0);
	assert_int_equal(room_lock(&r, &lock, &fifo), 0);
	close(lock);
	close(fifo);
}

TEST(all_ranks_have_left_when_as_many_went_as_came)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	bool all_left;
	make_and_enter(&t, &r);
	assert_int_equal(room_joined(&r, &all_left), 0);
	assert_false(all_left);
	room_append_event(&r, '+');
	room_append_event(&r, '+');
	room_append_event(&r, '-');
	assert_int_equal(room_joined(&r, &all_left), 2);
	assert_false(all_left);
	room_append_event(&r, '-');
	assert_int_equal(room_joined(&r, &all_left), 2);
	assert_true(all_left);
	for (size_t i = 0; i < 80000; i++)
		room_append_event(&r, i < 40000 ? '+' : '-');
	room_append_event(&r, '+');
	assert_int_equal(room_joined(&r, &all_left), 40003);
	assert_false(all_left);
}

TEST(a_folder_tells_if_its_sampler_runs_was_killed_or_is_done)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	int lock, fifo;
	make_and_enter(&t, &r);
	assert_int_equal(room_sampler(&r), ROOM_SAMPLER_DONE);
	assert_int_equal(room_join(&r), -ENXIO);
	assert_int_equal(room_lock(&r, &lock, &fifo), 0);
	assert_int_equal(room_sampler(&r), ROOM_SAMPLER_WORKS);
	int rank = room_join(&r);
	assert_true(rank >= 0);
	close(rank);
	close(lock);
	close(fifo);
	assert_int_equal(room_sampler(&r), ROOM_SAMPLER_KILLED);
	assert_int_equal(room_lock(&r, &lock, &fifo), 0);
	room_leave(&r);
	assert_int_equal(room_sampler(&r), ROOM_SAMPLER_DONE);
	assert_false(room_nodes(&r).sampled);
	close(lock);
	close(fifo);
}

TEST(nothing_is_left_of_a_run_but_its_archive)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	char path[2 * ROOM_PATH_MAX];
	make_and_enter(&t, &r);
	room_append_event(&r, '+');
	snprintf(path, sizeof(path), "%s/marks", r.node_dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/marks/one", r.node_dir);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	record(&r, "n0", 0);
	room_leave(&r);
	room_remove(&r);
	assert_int_equal(access(r.runs, F_OK), -1);
	snprintf(path, sizeof(path), ".run-%u", (unsigned)geteuid());
	assert_int_equal(faccessat(t.fd, path, F_OK, 0), -1);
	assert_int_equal(faccessat(t.fd, "n0/current", F_OK, 0), 0);
}

TEST(folders_of_a_run_are_for_its_user_alone)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	struct stat st;
	make_and_enter(&t, &r);
	char all[ROOM_PATH_MAX];
	str_copy(all, sizeof(all), str_of(r.runs));
	*strrchr(all, '/') = '\0';
	const char *const paths[] = { all, r.runs, r.node_dir };
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_equal(stat(paths[i], &st), 0);
		assert_int_equal(st.st_mode & 077, 0);
	}
}

TEST(a_folder_that_is_a_link_or_of_another_user_is_refused)
{
	struct tree t CLEANUP(tree_free);
	struct room r;
	char name[32];
	tree_make(&t);
	snprintf(name, sizeof(name), ".run-%u", (unsigned)geteuid());
	assert_int_equal(mkdirat(t.fd, "elsewhere", 0700), 0);
	assert_int_equal(symlinkat("elsewhere", t.fd, name), 0);
	assert_int_equal(room_make(&r, t.path, "job", "n0"), -EACCES);
	assert_int_equal(unlinkat(t.fd, name, 0), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(mkdirat(t.fd, name, 0700), 0);
	assert_int_equal(fchownat(t.fd, name, 4711, 4711, 0), 0);
	assert_int_equal(room_make(&r, t.path, "job", "n0"), -EACCES);
}

TEST(a_path_that_is_too_long_is_refused)
{
	char dir[ROOM_PATH_MAX + 1];
	struct room r;
	memset(dir, 'x', sizeof(dir) - 1);
	dir[0] = '/';
	dir[sizeof(dir) - 1] = '\0';
	assert_int_equal(room_make(&r, dir, "job", "n0"), -ENAMETOOLONG);
	dir[ROOM_PATH_MAX - 10] = '\0';
	assert_int_equal(room_make(&r, dir, "job", "n0"), -ENAMETOOLONG);
}

int main(void)
{
	RUN(cmocka_unit_test(a_path_that_is_too_long_is_refused),
	    cmocka_unit_test(a_sampler_without_a_pipe_to_its_ranks_gives_the_lock_back),
	    cmocka_unit_test(a_folder_that_is_a_link_or_of_another_user_is_refused),
	    cmocka_unit_test(folders_of_a_run_are_for_its_user_alone),
	    cmocka_unit_test(nothing_is_left_of_a_run_but_its_archive),
	    cmocka_unit_test(a_folder_tells_if_its_sampler_runs_was_killed_or_is_done),
	    cmocka_unit_test(all_ranks_have_left_when_as_many_went_as_came),
	    cmocka_unit_test(hosts_of_earlier_runs_are_not_recorded_in_this_one),
	    cmocka_unit_test(a_lock_that_is_removed_as_it_is_taken_makes_no_second_sampler));
}
