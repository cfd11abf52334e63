/* SPDX-License-Identifier: BSD-3-Clause */
/* test_nodes.c - keep the paths of files that are renamed, linked, removed and forgotten */
#include "tests/unit/test.h"
#include <errno.h>
#include <stdlib.h>
#include "filetrace/nodes.h"

static struct nodes n;

static int set_up(void **state)
{
	(void)state;
	nodes_init(&n, &(struct stat){ .st_dev = 1, .st_ino = 2, .st_mode = S_IFDIR });
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	nodes_free(&n);
	return 0;
}

static struct fs_node *found(struct fs_node *parent, const char *name, ino_t ino, mode_t type)
{
	const struct stat st = { .st_dev = 1, .st_ino = ino, .st_mode = type };
	return node_found(&n, parent, name, &st);
}

static void assert_path(struct fs_node *node, const char *name, const char *path)
{
	char got[PATH_MAX];
	bool follow;
	assert_int_equal(node_path(&n, node, name, got, &follow), 0);
	assert_string_equal(got, path);
	assert_false(follow);
}

static void assert_gone(struct fs_node *node)
{
	char got[PATH_MAX];
	bool follow;
	assert_int_equal(node_path(&n, node, NULL, got, &follow), -ENOENT);
}

TEST(paths_are_relative_to_the_root)
{
	struct fs_node *a = found(&n.root, "a", 10, S_IFDIR), *b = found(a, "b", 11, S_IFDIR);
	assert_path(&n.root, NULL, ".");
	assert_path(&n.root, "x", "x");
	assert_path(a, NULL, "a");
	assert_path(b, "c", "a/b/c");
}

TEST(files_below_a_renamed_directory_move_with_it)
{
	struct fs_node *a = found(&n.root, "a", 10, S_IFDIR), *f = found(a, "f", 11, S_IFREG);
	node_renamed(&n, &n.root, "a", &n.root, "b", false);
	assert_path(f, NULL, "b/f");
	assert_int_equal(node_type(&n, &n.root, "a"), 0);
	assert_int_equal(node_type(&n, &n.root, "b"), S_IFDIR);
}

TEST(a_file_that_a_rename_replaces_has_no_name)
{
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG), *g = found(&n.root, "g", 11, S_IFREG);
	node_renamed(&n, &n.root, "f", &n.root, "g", false);
	assert_path(f, NULL, "g");
	assert_gone(g);
	node_forget(&n, g, 1);
}

TEST(exchanged_names_change_places)
{
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG), *g = found(&n.root, "g", 11, S_IFDIR);
	node_renamed(&n, &n.root, "f", &n.root, "g", true);
	assert_path(f, NULL, "g");
	assert_path(g, NULL, "f");
}

TEST(a_file_with_two_names_keeps_one_when_the_other_is_removed)
{
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG);
	assert_ptr_equal(found(&n.root, "g", 10, S_IFREG), f);
	assert_path(f, NULL, "g");
	node_unlinked(&n, &n.root, "g");
	assert_path(f, NULL, "f");
	node_unlinked(&n, &n.root, "f");
	assert_gone(f);
	node_forget(&n, f, 2);
}

TEST(a_removed_file_that_is_open_is_reached_by_its_descriptor)
{
	struct handle h = { .fd = 7, .path = (char[]){ "f" } };
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG);
	char path[PATH_MAX];
	bool follow;
	node_opened(&n, f, &h);
	node_unlinked(&n, &n.root, "f");
	assert_int_equal(node_path(&n, f, NULL, path, &follow), 0);
	assert_true(follow);
	assert_string_equal(path, "/proc/self/fd/7");
	node_opened_path(&n, f, path);
	assert_string_equal(path, "f");
	node_forget(&n, f, 1);
	node_closed(&n, &h);
}

TEST(a_backing_file_is_released_by_the_last_handle_of_its_file)
{
	struct handle one = { .fd = 7 }, two = { .fd = 8 };
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG);
	node_opened(&n, f, &one);
	node_opened(&n, f, &two);
	f->backing = 42;
	assert_int_equal(node_closed(&n, &one), 0);
	assert_int_equal(f->backing, 42);
	assert_int_equal(node_closed(&n, &two), 42);
	assert_int_equal(f->backing, 0);
	node_forget(&n, f, 1);
}

TEST(the_inode_number_of_a_removed_file_may_become_another_file)
{
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG);
	node_unlinked(&n, &n.root, "f");
	struct fs_node *g = found(&n.root, "g", 10, S_IFREG);
	assert_ptr_not_equal(f, g);
	assert_int_not_equal(f->generation, g->generation);
	node_forget(&n, f, 1);
}

/* A file made by open(2) with O_TMPFILE has no name that could be removed. */
TEST(the_inode_number_of_a_nameless_file_is_free_once_it_is_closed)
{
	const struct stat st = { .st_dev = 1, .st_ino = 10, .st_mode = S_IFREG };
	struct handle h = { .fd = 7 };
	struct fs_node *f = node_nameless(&n, &st);
	node_opened(&n, f, &h);
	assert_int_equal(node_closed(&n, &h), 0);
	struct fs_node *g = found(&n.root, "g", 10, S_IFREG);
	assert_ptr_not_equal(f, g);
	node_forget(&n, f, 1);
}

TEST(a_name_that_became_another_file_belongs_to_that_file)
{
	struct fs_node *f = found(&n.root, "f", 10, S_IFREG);
	struct fs_node *g = found(&n.root, "f", 11, S_IFREG);
	assert_path(g, NULL, "f");
	assert_gone(f);
	assert_ptr_not_equal(found(&n.root, "f", 11, S_IFDIR), g);
	node_forget(&n, f, 1);
	node_forget(&n, g, 1);
}

TEST(a_directory_that_the_kernel_forgets_outlives_its_files)
{
	struct fs_node *a = found(&n.root, "a", 10, S_IFDIR), *b = found(a, "b", 11, S_IFREG);
	node_forget(&n, a, 1);
	assert_path(b, NULL, "a/b");
	node_forget(&n, b, 1);
	assert_null(n.root.after);
	assert_int_equal(n.root.children, 0);
}

TEST(a_path_that_is_too_long_is_refused)
{
	char name[256], path[PATH_MAX];
	bool follow;
	memset(name, 'x', 255);
	name[255] = '\0';
	struct fs_node *at = &n.root;
	for (ino_t i = 0; i < 15; i++)
		at = found(at, name, 100 + i, S_IFDIR);
	assert_int_equal(node_path(&n, at, name, path, &follow), 0);
	assert_int_equal(strlen(path), 16 * 256 - 1);
	at = found(at, name, 200, S_IFDIR);
	assert_int_equal(node_path(&n, at, "y", path, &follow), -ENAMETOOLONG);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	RUN(CASE(paths_are_relative_to_the_root),
	    CASE(files_below_a_renamed_directory_move_with_it),
	    CASE(a_file_that_a_rename_replaces_has_no_name),
	    CASE(exchanged_names_change_places),
	    CASE(a_file_with_two_names_keeps_one_when_the_other_is_removed),
	    CASE(a_removed_file_that_is_open_is_reached_by_its_descriptor),
	    CASE(a_backing_file_is_released_by_the_last_handle_of_its_file),
	    CASE(the_inode_number_of_a_removed_file_may_become_another_file),
	    CASE(the_inode_number_of_a_nameless_file_is_free_once_it_is_closed),
	    CASE(a_name_that_became_another_file_belongs_to_that_file),
	    CASE(a_directory_that_the_kernel_forgets_outlives_its_files),
	    CASE(a_path_that_is_too_long_is_refused));
}
