/* SPDX-License-Identifier: BSD-3-Clause */
/* test_spool.c - keep marks in a folder: check who may write there, and remove other files */
#include "tests/unit/tree.h"

#include <time.h>
#include "base/base.h"
#include "recorder/spool.h"

struct place {
	struct tree tree;
	struct spool spool;
};

static void place_open(struct place *p)
{
	*p = (struct place){ .spool = { .dirfd = -1, .lockfd = -1 } };
	tree_make(&p->tree);
}

static void place_free(struct place *p)
{
	spool_close(&p->spool);
	tree_free(&p->tree);
}

/* Compare the names of the requests that are read, for example "1.1.1.mark 2.1.1.mark ". */
static void assert_waiting(struct place *p, const char *want)
{
	struct buf names CLEANUP(buf_free) = { 0 };
	struct spooled *all;
	size_t n;
	assert_int_equal(spool_read(&p->spool, &all, &n), 0);
	for (size_t i = 0; i < n; i++)
		buf_addf(&names, "%s ", all[i].name);
	spooled_free(all, n);
	assert_text(buf_str(&names), str_of(want));
}

static void put_aged(struct place *p, const char *name, time_t age_s)
{
	char path[128];
	snprintf(path, sizeof(path), "marks/%s", name);
	tree_put(&p->tree, path, STR("begin 1"));
	const struct timespec at = { .tv_sec = time(NULL) - age_s };
	assert_int_equal(utimensat(p->tree.fd, path, (struct timespec[]){ at, at }, 0), 0);
}

static bool is_there(const struct place *p, const char *name)
{
	return spool_has(&p->spool, name);
}

/* A user who can write to the folder could begin and end the jobs of others. */
TEST(a_folder_that_others_can_write_to_is_not_used)
{
	static const mode_t modes[] = { 0775, 0757, 0777 };
	struct place p CLEANUP(place_free);
	place_open(&p);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		spool_close(&p.spool);
		assert_int_equal(fchmodat(p.tree.fd, "marks", modes[i], 0), 0);
		assert_int_equal(spool_open(&p.spool, p.tree.path), -EPERM);
		assert_int_equal(p.spool.dirfd, -1);
	}
	assert_int_equal(fchmodat(p.tree.fd, "marks", 0755, 0), 0);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
}

/*
 * A hook that is still writing its request is not disturbed. A file that a killed hook left is
 * removed after a minute.
 */
TEST(a_file_that_is_being_written_is_kept_for_a_minute)
{
	struct place p CLEANUP(place_free);
	place_open(&p);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	put_aged(&p, "1.1.1.mark~", 0);
	put_aged(&p, "2.1.1.mark~", 50);
	put_aged(&p, "3.1.1.mark~", 70);
	put_aged(&p, "4.1.1.mark", 7000);
	assert_waiting(&p, "4.1.1.mark ");
	assert_true(is_there(&p, "1.1.1.mark~") && is_there(&p, "2.1.1.mark~"));
	assert_false(is_there(&p, "3.1.1.mark~"));
}

TEST(requests_are_read_in_the_order_of_their_times)
{
	struct place p CLEANUP(place_free);
	char name[SPOOL_NAME_SIZE];
	struct buf want CLEANUP(buf_free) = { 0 };
	place_open(&p);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	for (int64_t usec = 30; usec > 0; usec -= 10) {
		struct buf before CLEANUP(buf_free) = { 0 };
		assert_int_equal(spool_leave(&p.spool, usec, STR("begin 1"), name), 0);
		buf_add(&before, buf_str(&want));
		want.n = 0;
		buf_addf(&want, "%s " STR_FMT, name, STR_ARG(buf_str(&before)));
	}
	buf_add_char(&want, '\0');
	assert_waiting(&p, want.p);
	assert_int_equal(spool_count(p.tree.path), 3);
}

/* The first request has the largest size, the second has one byte more. */
TEST(a_request_that_is_too_large_is_removed)
{
	struct place p CLEANUP(place_free);
	static char text[SPOOL_MARK_MAX + 1];
	place_open(&p);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	memset(text, 'x', sizeof(text));
	tree_put(&p.tree, "marks/1.1.1.mark", (struct str){ text, SPOOL_MARK_MAX });
	tree_put(&p.tree, "marks/2.1.1.mark", (struct str){ text, SPOOL_MARK_MAX + 1 });
	assert_int_equal(fchmodat(p.tree.fd, "marks/1.1.1.mark", 0600, 0), 0);
	assert_waiting(&p, "1.1.1.mark ");
	assert_false(is_there(&p, "2.1.1.mark"));
}

TEST(a_folder_that_was_removed_is_made_again)
{
	struct place p CLEANUP(place_free);
	char name[SPOOL_NAME_SIZE];
	place_open(&p);
	assert_int_equal(spool_enter(&p.spool, p.tree.path, 1000), 0);
	assert_int_equal(unlinkat(p.tree.fd, "marks/lock", 0), 0);
	assert_int_equal(unlinkat(p.tree.fd, "marks", AT_REMOVEDIR), 0);
	spool_unlock(&p.spool);
	assert_int_equal(spool_enter(&p.spool, p.tree.path, 1000), 0);
	assert_int_equal(spool_leave(&p.spool, 5, STR("begin 1"), name), 0);
	assert_int_equal(spool_count(p.tree.path), 1);
}

/* An agent that is not root must be able to take the lock file that a hook of root has made. */
TEST(files_that_root_makes_belong_to_the_owner_of_the_folder)
{
	static const char *const files[] = { "marks/lock", "marks/groups", "marks/next" };
	struct place p CLEANUP(place_free);
	char name[SPOOL_NAME_SIZE];
	struct stat st;
	if (geteuid() != 0)
		skip();
	place_open(&p);
	assert_int_equal(fchown(p.tree.fd, 1000, (gid_t)-1), 0);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	assert_int_equal(fstatat(p.tree.fd, "marks", &st, 0), 0);
	assert_int_equal(st.st_uid, 1000);
	assert_int_equal(st.st_mode & 0777, 0755);
	int fd CLEANUP(close_fd) = spool_open_groups(&p.spool, true);
	assert_true(fd >= 0);
	assert_int_equal(spool_leave(&p.spool, 5, STR("begin 1"), name), 0);
	assert_int_equal(renameat(p.spool.dirfd, name, p.spool.dirfd, "next"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(fstatat(p.tree.fd, files[i], &st, 0), 0);
		assert_int_equal(st.st_uid, 1000);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
}

/* Only root, this user and the owner of the parent folder may decide which jobs begin. */
TEST(a_folder_of_another_owner_is_not_used)
{
	struct place p CLEANUP(place_free);
	if (geteuid() != 0)
		skip();
	place_open(&p);
	assert_int_equal(mkdirat(p.tree.fd, "marks", 0755), 0);
	assert_int_equal(fchownat(p.tree.fd, "marks", 1001, (gid_t)-1, 0), 0);
	assert_int_equal(spool_open(&p.spool, p.tree.path), -EPERM);
	assert_int_equal(fchown(p.tree.fd, 1001, (gid_t)-1), 0);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
}

/* A hook's request is no symbolic link, has no second name, and cannot be written by others. */
TEST(only_plain_files_with_one_name_are_requests)
{
	struct place p CLEANUP(place_free);
	place_open(&p);
	assert_int_equal(spool_open(&p.spool, p.tree.path), 0);
	for (int i = 1; i < 6; i++) {
		char name[40];
		snprintf(name, sizeof(name), "marks/%d.1.1.mark", i);
		tree_put(&p.tree, name, STR("begin 1"));
		assert_int_equal(fchmodat(p.tree.fd, name, 0600, 0), 0);
	}
	assert_int_equal(fchmodat(p.tree.fd, "marks/2.1.1.mark", 0620, 0), 0);
	assert_int_equal(fchmodat(p.tree.fd, "marks/3.1.1.mark", 0602, 0), 0);
	assert_int_equal(linkat(p.tree.fd, "marks/4.1.1.mark", p.tree.fd, "other", 0), 0);
	assert_int_equal(unlinkat(p.tree.fd, "marks/5.1.1.mark", 0), 0);
	assert_int_equal(symlinkat("1.1.1.mark", p.tree.fd, "marks/5.1.1.mark"), 0);
	tree_put(&p.tree, "marks/6.1.mark", STR("begin 1"));
	tree_put(&p.tree, "marks/9223372036854775808.1.1.mark", STR("begin 1"));
	assert_waiting(&p, "1.1.1.mark ");
	assert_int_equal(spool_count(p.tree.path), 1);
}

int main(void)
{
	RUN(cmocka_unit_test(a_folder_that_others_can_write_to_is_not_used),
	    cmocka_unit_test(a_file_that_is_being_written_is_kept_for_a_minute),
	    cmocka_unit_test(requests_are_read_in_the_order_of_their_times),
	    cmocka_unit_test(a_request_that_is_too_large_is_removed),
	    cmocka_unit_test(a_folder_that_was_removed_is_made_again),
	    cmocka_unit_test(files_that_root_makes_belong_to_the_owner_of_the_folder),
	    cmocka_unit_test(a_folder_of_another_owner_is_not_used),
	    cmocka_unit_test(only_plain_files_with_one_name_are_requests));
}
