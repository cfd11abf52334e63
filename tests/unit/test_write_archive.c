/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_write_archive.c - write whole record groups or nothing, after other writers, full disks and
 * crashes
 */
#include "tests/unit/archive_node.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "base/clock.h"
#include "tests/unit/descriptors.h"

#define OURS   "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n"
#define SCHEMA "!cpu user,E idle,E\n!nodometer cpu bytes rows errors stalls\n"
#define HEADER OURS "$boot_id b1\n" SCHEMA

static bool refresh(struct archive *a)	/* take the lock; true if another writer has written */
{
	struct archive was = *a;
	assert_int_equal(archive_lock(a, 0), 0);
	return a->fd < 0 || a->inode != was.inode || a->size != was.size;
}

static bool covers(struct archive *a)
{
	return archive_covers(a, STR("1.0.2"), STR(SCHEMA), STR("b1"));
}

static void begin(struct archive *a, int64_t seconds)
{
	assert_int_equal(archive_begin(a, seconds * 1000000, STR(HEADER), STR(GROUP("10"))), 0);
}

TEST(a_new_archive_has_no_current_and_gets_one)
{
	struct node n CLEANUP(node_free);
	struct stat epoch, current;
	node_open(&n);

	assert_true(refresh(&n.a));
	assert_false(covers(&n.a));
	begin(&n.a, 10);
	assert_true(covers(&n.a));
	assert_int_equal(archive_append(&n.a, STR(GROUP("11"))), 0);
	assert_int_equal(archive_sync(&n.a), 0);
	assert_false(refresh(&n.a));

	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10") GROUP("11")));
	assert_int_equal(fstatat(n.tree.fd, "n1/10", &epoch, 0), 0);
	assert_int_equal(fstatat(n.tree.fd, "n1/current", &current, 0), 0);
	assert_int_equal(epoch.st_ino, current.st_ino);
	assert_int_equal(current.st_mode & 07777, 0640);
}

TEST(writers_take_turns_and_notice_each_other)
{
	struct node n CLEANUP(node_free);
	struct archive hook CLEANUP(archive_close);
	node_open(&n);
	begin(&n.a, 10);

	archive_unlock(&n.a);
	assert_int_equal(archive_open(&hook, n.tree.path, "n1"), 0);
	assert_true(refresh(&hook));
	assert_true(covers(&hook));
	assert_int_equal(archive_append(&hook, STR(GROUP("11"))), 0);
	archive_unlock(&hook);

	assert_true(refresh(&n.a));
	assert_int_equal(archive_append(&n.a, STR(GROUP("12"))), 0);
	assert_false(refresh(&n.a));
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("11") GROUP("12")));
}

TEST(a_group_torn_at_any_byte_is_cut_off_by_the_next_writer)
{
	static const char torn[] = GROUP("11");
	for (size_t cut = 0; cut < sizeof(torn) - 1; cut++) {
		struct node n CLEANUP(node_free);
		struct buf text CLEANUP(buf_free) = { 0 };
		node_open(&n);
		buf_add(&text, STR(HEADER GROUP("10")));
		buf_add(&text, (struct str){ torn, cut });
		tree_put(&n.tree, "n1/current", buf_str(&text));

		assert_true(refresh(&n.a));
		assert_true(covers(&n.a));
		assert_int_equal(archive_append(&n.a, STR(GROUP("12"))), 0);
		assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10") GROUP("12")));
	}
}

TEST(a_file_torn_in_its_first_group_is_not_continued)
{
	static const char text[] = HEADER GROUP("10");
	for (size_t cut = 0; cut < sizeof(text) - 1; cut++) {
		struct node n CLEANUP(node_free);
		node_open(&n);
		tree_put(&n.tree, "n1/9", (struct str){ text, cut });
		tree_put(&n.tree, "n1/current", (struct str){ text, cut });
		assert_true(refresh(&n.a));
		assert_false(covers(&n.a));
		begin(&n.a, 10);
		assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
		assert_file(&n.tree, "n1/9", (struct str){ text, cut });
	}
}

TEST(a_tail_is_not_cut_off_while_another_writer_has_the_lock)
{
	static const struct str torn = STR(HEADER GROUP("10") "\n11 -\ncpu 0 1");
	struct node n CLEANUP(node_free);
	struct archive hook CLEANUP(archive_close);
	node_open(&n);
	tree_put(&n.tree, "n1/current", torn);
	assert_int_equal(archive_open(&hook, n.tree.path, "n1"), 0);
	assert_int_equal(archive_lock(&hook, 0), -ETIMEDOUT);
	assert_file(&n.tree, "n1/current", torn);

	archive_unlock(&n.a);
	assert_true(refresh(&hook));
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
}

TEST(the_file_of_another_agent_is_left_alone)
{
	static const struct str theirs = STR(
		"$hpcperfstats 2.3.5\n$hostname n1\n" SCHEMA "\n10 - n1\ncpu 0 1 2\n\n11 -\ncp");
	struct node n CLEANUP(node_free);
	node_open(&n);
	tree_put(&n.tree, "n1/10", theirs);
	assert_int_equal(linkat(n.tree.fd, "n1/10", n.tree.fd, "n1/current", 0), 0);

	assert_true(refresh(&n.a));
	assert_false(covers(&n.a));
	begin(&n.a, 10);
	assert_file(&n.tree, "n1/10", theirs);
	assert_file(&n.tree, "n1/11", STR(HEADER GROUP("10")));
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
}

TEST(a_file_without_a_tail_is_left_alone)
{
	struct node n CLEANUP(node_free);
	struct stat st;
	node_open(&n);
	tree_put(&n.tree, "n1/current", STR(HEADER GROUP("10")));
	int fd CLEANUP(close_fd) = openat(n.tree.fd, "n1/current", O_WRONLY);
	assert_int_equal(pwrite(fd, "x\n", 2, 70 << 20), 2);	/* at the end of a hole */

	assert_true(refresh(&n.a));
	assert_false(covers(&n.a));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, (70 << 20) + 2);
	begin(&n.a, 11);
	assert_true(covers(&n.a));
}

TEST(current_takes_only_groups_of_its_own_schema_boot_and_version)
{
	static const struct {
		const char *file, *schema, *boot;
		bool want;
	} cases[] = {
		{ HEADER GROUP("10"), SCHEMA, "b1", true },
		{ HEADER GROUP("10"), "!cpu user,E idle,E\n", "b1", true },
		{ HEADER GROUP("10"), "!cpu user,E\n", "b1", false },
		{ HEADER GROUP("10"), SCHEMA "!vm pgpgin,E\n", "b1", false },
		{ HEADER GROUP("10"), SCHEMA, "b2", false },
		{ HEADER GROUP("10"), SCHEMA, "", false },
		{ OURS SCHEMA GROUP("10"), SCHEMA, "", true },
		{ OURS SCHEMA GROUP("10"), SCHEMA, "b1", false },
		{ "$hpcperfstats 1.0.2\n$agent nodometer 0\n" SCHEMA GROUP("10"), SCHEMA, "",
		  false },
		{ "$hpcperfstats 1.0\n$agent nodometer " PACKAGE_VERSION "\n" SCHEMA GROUP("10"),
		  SCHEMA, "", false },
		{ OURS SCHEMA GROUP("ten"), SCHEMA, "", false },
		{ OURS SCHEMA, SCHEMA, "", false },
		{ "", "", "", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		node_open(&n);
		tree_put(&n.tree, "n1/current", str_of(cases[i].file));
		refresh(&n.a);
		bool got = archive_covers(&n.a, STR("1.0.2"), str_of(cases[i].schema),
					  str_of(cases[i].boot));
		assert_int_equal(got, cases[i].want);
	}
}

TEST(a_current_that_was_replaced_or_removed_is_noticed)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n.a, 10);

	tree_put(&n.tree, "n1/new", STR(HEADER GROUP("20")));
	assert_int_equal(renameat(n.tree.fd, "n1/new", n.tree.fd, "n1/current"), 0);
	assert_true(refresh(&n.a));
	assert_true(covers(&n.a));
	assert_int_equal(archive_append(&n.a, STR(GROUP("21"))), 0);
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("20") GROUP("21")));
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10")));

	assert_int_equal(unlinkat(n.tree.fd, "n1/current", 0), 0);
	assert_true(refresh(&n.a));
	assert_false(covers(&n.a));
}

TEST(a_current_that_is_no_file_is_an_error)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_int_equal(symlinkat("10", n.tree.fd, "n1/current"), 0);
	assert_int_equal(archive_lock(&n.a, 0), -ELOOP);
	assert_int_equal(unlinkat(n.tree.fd, "n1/current", 0), 0);
	assert_int_equal(mkdirat(n.tree.fd, "n1/current", 0755), 0);
	assert_int_equal(archive_lock(&n.a, 0), -EISDIR);
}

/* Limit the size of files that this process writes, to simulate a full disk. */
static void limit_files(rlim_t bytes)
{
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

TEST(a_disk_that_is_full_leaves_the_file_as_it_was)
{
	static const size_t size = sizeof(HEADER GROUP("10")) - 1;
	for (size_t room = 0; room < sizeof(GROUP("11")) - 1; room += 7) {
		struct node n CLEANUP(node_free);
		node_open(&n);
		begin(&n.a, 10);
		limit_files(size + room);
		int r = archive_append(&n.a, STR(GROUP("11")));
		limit_files(RLIM_INFINITY);

		assert_true(r == -EFBIG || r == -ENOSPC);
		assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
		refresh(&n.a);
		assert_true(covers(&n.a));
		assert_int_equal(archive_append(&n.a, STR(GROUP("12"))), 0);
		assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10") GROUP("12")));
	}
}

TEST(a_file_that_cannot_be_begun_leaves_current_and_no_other)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n.a, 10);
	limit_files(20);
	int r = archive_begin(&n.a, 11000000, STR(HEADER), STR(GROUP("11")));
	limit_files(RLIM_INFINITY);

	assert_true(r == -EFBIG || r == -ENOSPC);
	assert_int_equal(faccessat(n.tree.fd, "n1/11", F_OK, 0), -1);
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
	assert_int_equal(archive_append(&n.a, STR(GROUP("12"))), 0);
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("12")));
}

TEST(below_the_floor_nothing_is_written)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n.a, 10);
	n.a.floor_checked_ns = 0;
	n.a.floor = INT64_MAX;
	assert_int_equal(archive_append(&n.a, STR(GROUP("11"))), -ENOSPC);
	assert_int_equal(archive_begin(&n.a, 11000000, STR(HEADER), STR(GROUP("11"))), -ENOSPC);
	n.a.floor = 0;
	assert_int_equal(archive_append(&n.a, STR(GROUP("11"))), 0);
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("11")));
}

/* Files are rotated by this writer, by another writer, and by attempts that fail. */
TEST(rotations_keep_no_descriptor)
{
	struct node n CLEANUP(node_free);
	struct archive hook CLEANUP(archive_close);
	node_open(&n);
	begin(&n.a, 10);
	assert_int_equal(archive_open(&hook, n.tree.path, "n1"), 0);
	/* 1 more: the other writer's descriptor of "current" */
	size_t before = open_descriptors() + 1;
	for (int i = 0; i < 5; i++) {
		begin(&n.a, 20 + i);
		limit_files(20);
		assert_true(archive_begin(&n.a, 1000000, STR(HEADER), STR(GROUP("1"))) < 0);
		limit_files(RLIM_INFINITY);
		archive_unlock(&n.a);
		assert_true(refresh(&hook));
		begin(&hook, 30 + i);
		archive_unlock(&hook);
		assert_true(refresh(&n.a));
		assert_int_equal(open_descriptors(), before);
	}
}

TEST(a_name_that_is_taken_is_not_used_again)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	tree_put(&n.tree, "n1/10", STR("x"));
	tree_put(&n.tree, "n1/11.zst", STR("y"));
	begin(&n.a, 10);
	assert_file(&n.tree, "n1/10", STR("x"));
	assert_file(&n.tree, "n1/11.zst", STR("y"));
	assert_file(&n.tree, "n1/12", STR(HEADER GROUP("10")));
	begin(&n.a, 10);
	assert_file(&n.tree, "n1/13", STR(HEADER GROUP("10")));
}

TEST(a_wait_for_the_lock_times_out)
{
	struct node n CLEANUP(node_free);
	struct archive hook CLEANUP(archive_close);
	node_open(&n);
	assert_int_equal(archive_open(&hook, n.tree.path, "n1"), 0);

	int64_t began = monotonic_ns();
	assert_int_equal(archive_lock(&hook, 30), -ETIMEDOUT);
	assert_true(monotonic_ns() - began >= 30000000);
	archive_unlock(&n.a);
	assert_int_equal(archive_lock(&hook, 0), 0);
}

TEST(a_day_ends_at_local_midnight)
{
	static const struct {
		const char *zone;
		int64_t begin, end;
	} cases[] = {
		{ "UTC", 0, 86400 },
		{ "UTC", 86399, 86400 },
		{ "UTC", 86400, 172800 },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1711839600, 1711839600 + 23 * 3600 },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1729980000, 1729980000 + 25 * 3600 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		node_open(&n);
		setenv("TZ", cases[i].zone, 1);
		tzset();
		begin(&n.a, cases[i].begin);
		assert_int_equal(n.a.rotate_at_us, cases[i].end * 1000000);
	}
	unsetenv("TZ");
}

TEST(a_folder_that_cannot_be_made_is_an_error)
{
	struct tree t CLEANUP(tree_free);
	struct archive a;
	char path[128], longer[2000];
	tree_make(&t);
	tree_put(&t, "file", STR("x"));
	snprintf(path, sizeof(path), "%s/file/sub", t.path);
	memset(longer, '/', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';

	assert_int_equal(archive_open(&a, path, "n1"), -ENOTDIR);
	assert_int_equal(archive_open(&a, "", "n1"), -ENOENT);
	assert_int_equal(archive_open(&a, longer, "n1"), -ENAMETOOLONG);
	snprintf(path, sizeof(path), "%s/a//b/c/", t.path);
	assert_int_equal(archive_open(&a, path, "n1"), 0);
	archive_close(&a);
}

static mode_t mode_of(const struct node *n, const char *path)
{
	struct stat st;
	assert_int_equal(fstatat(n->tree.fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

/*
 * A member of the lock file's user group who could open the file could hold the lock and stop all
 * writing.
 */
TEST(a_lock_can_be_held_by_its_owner_only)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_int_equal(mode_of(&n, "n1/lock"), 0600);
	archive_close(&n.a);
	assert_int_equal(fchmodat(n.tree.fd, "n1/lock", 0640, 0), 0);
	assert_int_equal(archive_open(&n.a, n.tree.path, "n1"), 0);
	assert_int_equal(mode_of(&n, "n1/lock"), 0600);
	int fd CLEANUP(close_fd) = archive_open_lock(n.a.dirfd, "tidy");
	assert_true(fd >= 0);
	assert_int_equal(mode_of(&n, "n1/tidy"), 0600);
}

/*
 * A lock file that exists already keeps its owner. If it is a hard link to another file, a hook of
 * root would give that file away.
 */
TEST(a_lock_that_was_there_keeps_its_owner_and_mode)
{
	struct node n CLEANUP(node_free);
	struct stat st;
	node_open(&n);
	archive_close(&n.a);
	assert_int_equal(linkat(n.tree.fd, "n1/lock", n.tree.fd, "other", 0), 0);
	assert_int_equal(fchmodat(n.tree.fd, "other", 0644, 0), 0);
	bool root = geteuid() == 0;
	if (root)
		assert_int_equal(fchownat(n.tree.fd, "n1", 65534, 65534, 0), 0);
	assert_int_equal(archive_open(&n.a, n.tree.path, "n1"), 0);
	assert_int_equal(mode_of(&n, "other"), 0644);
	assert_int_equal(fstatat(n.tree.fd, "other", &st, 0), 0);
	assert_int_equal(st.st_uid, geteuid());
}

TEST(a_folder_that_is_a_link_is_not_followed)
{
	struct tree t CLEANUP(tree_free);
	struct archive a;
	tree_make(&t);
	assert_int_equal(mkdirat(t.fd, "elsewhere", 0755), 0);
	assert_int_equal(symlinkat("elsewhere", t.fd, "n1"), 0);
	assert_int_equal(archive_open(&a, t.path, "n1"), -ENOTDIR);
	assert_int_equal(faccessat(t.fd, "elsewhere/lock", F_OK, 0), -1);
	assert_int_equal(symlinkat("/etc/hostname", t.fd, "elsewhere/lock"), 0);
	assert_int_equal(archive_open(&a, t.path, "elsewhere"), -ELOOP);
}

int main(void)
{
	RUN(cmocka_unit_test(a_new_archive_has_no_current_and_gets_one),
	    cmocka_unit_test(writers_take_turns_and_notice_each_other),
	    cmocka_unit_test(a_group_torn_at_any_byte_is_cut_off_by_the_next_writer),
	    cmocka_unit_test(a_file_torn_in_its_first_group_is_not_continued),
	    cmocka_unit_test(a_tail_is_not_cut_off_while_another_writer_has_the_lock),
	    cmocka_unit_test(the_file_of_another_agent_is_left_alone),
	    cmocka_unit_test(a_file_without_a_tail_is_left_alone),
	    cmocka_unit_test(current_takes_only_groups_of_its_own_schema_boot_and_version),
	    cmocka_unit_test(a_current_that_was_replaced_or_removed_is_noticed),
	    cmocka_unit_test(a_current_that_is_no_file_is_an_error),
	    cmocka_unit_test(a_disk_that_is_full_leaves_the_file_as_it_was),
	    cmocka_unit_test(a_file_that_cannot_be_begun_leaves_current_and_no_other),
	    cmocka_unit_test(below_the_floor_nothing_is_written),
	    cmocka_unit_test(rotations_keep_no_descriptor),
	    cmocka_unit_test(a_name_that_is_taken_is_not_used_again),
	    cmocka_unit_test(a_wait_for_the_lock_times_out),
	    cmocka_unit_test(a_day_ends_at_local_midnight),
	    cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error),
	    cmocka_unit_test(a_lock_can_be_held_by_its_owner_only),
	    cmocka_unit_test(a_lock_that_was_there_keeps_its_owner_and_mode),
	    cmocka_unit_test(a_folder_that_is_a_link_is_not_followed));
}
