/* SPDX-License-Identifier: BSD-3-Clause */
/* test_room.c - select the records of a run in its folder, and allow one sampler per node */
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "run/room.h"

static const struct room *ends;	/* flock() ends the sampler of this room, once */

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

int main(void)
{
	RUN(cmocka_unit_test(hosts_of_earlier_runs_are_not_recorded_in_this_one),
	    cmocka_unit_test(a_lock_that_is_removed_as_it_is_taken_makes_no_second_sampler));
}
