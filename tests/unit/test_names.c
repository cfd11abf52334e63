/* SPDX-License-Identifier: BSD-3-Clause */
/* test_names.c - list a directory: order, prefix, and names that are left out */
#include "tests/unit/test.h"

#include <stdio.h>
#include <sys/stat.h>
#include "base/names.h"
#include "tests/unit/tree.h"

TEST(names_come_in_natural_order_and_by_prefix)
{
	struct tree t CLEANUP(tree_free);
	struct names n CLEANUP(names_free) = { 0 };
	tree_make(&t);
	tree_put(&t, "d/node10", STR(""));
	tree_put(&t, "d/node2", STR(""));
	tree_put(&t, "d/.node1", STR(""));
	tree_put(&t, "d/other", STR(""));

	assert_int_equal(names_read(&n, t.fd, "", NAMES_OF_ALL), 0);
	assert_int_equal(n.n, 1);
	struct files f = { .rootfd = t.fd };
	assert_int_equal(names_list(&n, &f, "d", "node"), 0);
	assert_int_equal(n.n, 2);
	assert_string_equal(n.name[0], "node2");
	assert_string_equal(n.name[1], "node10");
	assert_int_equal(names_list(&n, &f, "d", ""), 0);
	assert_int_equal(n.n, 3);
	/* a directory that stays open is read from its start each time */
	assert_int_equal(names_read(&n, t.fd, "", NAMES_OF_ALL), 0);
	assert_int_equal(n.n, 1);
}

TEST(files_can_be_left_out)
{
	struct tree t CLEANUP(tree_free);
	struct names n CLEANUP(names_free) = { 0 };
	tree_make(&t);
	tree_put(&t, "job_1/file", STR(""));
	tree_put(&t, "job_2", STR(""));
	assert_int_equal(symlinkat("job_1", t.fd, "job_3"), 0);

	assert_int_equal(names_read(&n, t.fd, "job_", NAMES_OF_DIRECTORIES), 0);
	assert_int_equal(n.n, 2);
	assert_string_equal(n.name[1], "job_3");
}

TEST(a_path_that_is_no_directory_has_no_names)
{
	struct tree t CLEANUP(tree_free);
	struct names n CLEANUP(names_free) = { 0 };
	tree_make(&t);
	tree_put(&t, "file", STR(""));
	struct files f = { .rootfd = t.fd };

	assert_int_equal(names_list(&n, &f, ".", ""), 0);
	assert_int_equal(n.n, 1);
	assert_int_equal(names_list(&n, &f, "file", ""), -ENOTDIR);
	assert_int_equal(n.n, 0);
	assert_int_equal(names_list(&n, &f, "nothing", ""), -ENOENT);
}

/* names_list() keeps the first names, because the oldest requests of a full spool come first. */
TEST(only_the_first_names_are_listed_if_there_are_too_many)
{
	enum { LAST = NAMES_MAX + 6000 };
	struct tree t CLEANUP(tree_free);
	struct names n CLEANUP(names_free) = { 0 };
	char name[16];
	tree_make(&t);
	for (int i = 1; i <= LAST; i++) {	/* files are not created in ascending order */
		snprintf(name, sizeof(name), "%06d", i * 3 % (LAST + 1));
		assert_int_equal(mknodat(t.fd, name, S_IFREG | 0600, 0), 0);
	}
	assert_int_equal(names_read(&n, t.fd, "", NAMES_OF_ALL), 0);
	assert_int_equal(n.n, NAMES_MAX);
	for (int i = 0; i < NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%06d", i + 1);
		assert_string_equal(n.name[i], name);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(names_come_in_natural_order_and_by_prefix),
	    cmocka_unit_test(files_can_be_left_out),
	    cmocka_unit_test(a_path_that_is_no_directory_has_no_names),
	    cmocka_unit_test(only_the_first_names_are_listed_if_there_are_too_many));
}
