/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mounts.c - read the list of mounts, captured or live */
#include "tests/unit/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/system/mounts.h"
#include "base/system/unit.h"
#include "collectors/collector.h"
#include "collectors/local_mounts.h"
#include "schema/types/filesystem.h"

/* Replace statfs(2): report 1000 blocks for each file system, of which root reserves 200. */
int statfs(const char *path, struct statfs *f)
{
	(void)path;
	*f = (struct statfs){ .f_bsize = 512, .f_frsize = 4096, .f_blocks = 1000, .f_bfree = 300,
			      .f_bavail = 100, .f_files = 50, .f_ffree = 40,
			      .f_flags = ST_RDONLY };
	return 0;
}

TEST(space_of_a_file_system_is_in_bytes_with_and_without_what_root_reserves)
{
	const struct collector *c = collector_find("filesystem");
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	assert_int_equal(files_open_root(&root, "/"), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	if (c->collect(&s) < 0)
		skip();		/* no local file system is mounted */
	const uint64_t *v = rows_values(&s.rows, 0);
	assert_int_equal(v[FS_SIZE], 4096000);
	assert_int_equal(v[FS_FREE], 1228800);
	assert_int_equal(v[FS_AVAIL], 409600);
	assert_int_equal(v[FS_FILES], 50);
	assert_int_equal(v[FS_FILES_FREE], 40);
	assert_int_equal(v[FS_READONLY], 1);
}

TEST(malformed_lines_are_skipped)
{
	struct str list = STR("tmpfs /a\\040b tmpfs rw 0 0\n\nshort line\nsrv:/x /x nfs4");
	struct mount m;

	assert_true(mount_take(&list, &m));
	assert_true(str_eq(m.device, STR("tmpfs")));
	assert_true(str_eq(m.dir, STR("/a\\040b")));
	assert_true(mount_take(&list, &m));
	assert_true(str_eq(m.type, STR("nfs4")));
	assert_false(mount_take(&list, &m));
}

TEST(octal_escapes_of_a_path_are_decoded)
{
	static const struct {
		const char *in;
		const char *path;	/* NULL: the line is refused */
	} cases[] = {
		{ "/run",          "/run"      },
		{ "/a\\040b",      "/a b"      },
		{ "/a\\134040",    "/a\\040"   },
		{ "/a\\011\\012",  "/a\t\n"    },
		{ "/a\\04",        "/a\\04"    },
		{ "/a\\089",       "/a\\089"   },
		{ "/a\\777",       "/a\\777"   },
		{ "/a\\000b",      NULL        },
		{ "/12345678901",  "/12345678901" },
		{ "/12345678901234", NULL      },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[13];
		bool ok = mount_path(path, sizeof(path), str_of(cases[i].in));
		assert_int_equal(ok, cases[i].path != NULL);
		if (ok)
			assert_string_equal(path, cases[i].path);
	}
}

TEST(path_is_below_another_only_by_whole_names)
{
	assert_true(mount_is_below(STR("/a/b"), STR("/a")));
	assert_true(mount_is_below(STR("/a"), STR("/a")));
	assert_true(mount_is_below(STR("/a"), STR("/")));
	assert_false(mount_is_below(STR("/ab"), STR("/a")));
	assert_false(mount_is_below(STR("/a"), STR("/a/b")));
}

TEST(a_unit_with_a_writable_root_may_write_to_each_folder)
{
	struct unit u CLEANUP(unit_free) = { .name = "nodometerd", .strict = true };
	struct buf why CLEANUP(buf_free) = { 0 };
	buf_add(&u.writable, STR("/tm\n"));
	assert_false(unit_may_write(&u, "/tmp", false, &why));
	buf_add(&u.writable, STR("/\n"));
	assert_true(unit_may_write(&u, "/tmp", false, &why));
}

static void write_list(const char *root, const char *text)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/proc/mounts", root);
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

TEST(captured_list_is_read_each_time)
{
	char root[] = "/tmp/test_mounts.XXXXXX", path[64];
	struct mounts m = { 0 };
	struct files files;
	struct str list;

	assert_non_null(mkdtemp(root));
	assert_int_equal(files_open_root(&files, root), 0);
	assert_int_equal(mounts_changed(&m, &files, &list), -ENOENT);

	snprintf(path, sizeof(path), "%s/proc", root);
	assert_int_equal(mkdir(path, 0700), 0);
	write_list(root, "a /a tmpfs\n");
	assert_int_equal(mounts_changed(&m, &files, &list), 1);
	assert_true(str_eq(list, STR("a /a tmpfs\n")));
	write_list(root, "b /b nfs\n");
	assert_int_equal(mounts_changed(&m, &files, &list), 1);
	assert_true(str_eq(list, STR("b /b nfs\n")));

	mounts_free(&m);
	files_free(&files);
	snprintf(path, sizeof(path), "%s/proc/mounts", root);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(root);
}

TEST(live_list_is_read_again_only_after_a_change)
{
	struct mounts m = { 0 };
	struct files files;
	struct str list = { 0 };

	assert_int_equal(files_open_root(&files, "/"), 0);
	assert_int_equal(mounts_changed(&m, &files, &list), 1);
	assert_true(list.n > 0);
	assert_int_equal(mounts_changed(&m, &files, &list), 0);
	mounts_free(&m);
	files_free(&files);
}

static bool is_tmpfs(struct str type)
{
	return str_eq(type, STR("tmpfs"));
}

static void add_mount(struct source *s, const struct local_mount *p)
{
	rows_add_escaped(&s->rows, str_of(p->device));
}

/* Collect the mounts of type tmpfs in this list of mounts, as on a live node. */
static void collect_tmpfs(struct tree *t, struct source *s, struct str list)
{
	static const struct local_mounts_kind kind = { is_tmpfs, add_mount, "none" };
	tree_make(t);
	tree_put(t, "proc/mounts", list);
	source_init(s, &(struct files){ .rootfd = t->fd }, NULL, 0);
	assert_int_equal(local_mounts_collect(s, &kind), 0);
}

/* A later mount hides a mount on the same directory, and all mounts below the directory. */
TEST(mounts_that_are_hidden_or_may_hang_are_not_local)
{
	struct tree t CLEANUP(tree_free);
	struct source s CLEANUP(source_free);
	collect_tmpfs(&t, &s, STR("none /a tmpfs rw 0 0\nnone /a/b tmpfs rw 0 0\n"
				  "none /c tmpfs rw 0 0\nsrv:/v /n nfs rw 0 0\n"
				  "none /n/t tmpfs rw 0 0\nnone /a tmpfs rw 0 0\n"));
	assert_int_equal(s.rows.n, 2);
	assert_text(rows_device(&s.rows, 0), STR("/c"));
	assert_text(rows_device(&s.rows, 1), STR("/a"));
}

/*
 * A diskless node has its root on NFS. After an initramfs, the root is listed after the mounts that
 * the initramfs made.
 */
TEST(a_root_on_a_network_or_late_in_the_list_leaves_other_mounts_local)
{
	static const char *const lists[] = {
		"srv:/root / nfs ro 0 0\nnone /tmp tmpfs rw 0 0\n",
		"none /run tmpfs rw 0 0\n/dev/sda2 / ext4 rw 0 0\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct tree t CLEANUP(tree_free);
		struct source s CLEANUP(source_free);
		collect_tmpfs(&t, &s, str_of(lists[i]));
		assert_int_equal(s.rows.n, 1);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(
		    space_of_a_file_system_is_in_bytes_with_and_without_what_root_reserves),
	    cmocka_unit_test(mounts_that_are_hidden_or_may_hang_are_not_local),
	    cmocka_unit_test(a_root_on_a_network_or_late_in_the_list_leaves_other_mounts_local),
	    cmocka_unit_test(malformed_lines_are_skipped),
	    cmocka_unit_test(octal_escapes_of_a_path_are_decoded),
	    cmocka_unit_test(path_is_below_another_only_by_whole_names),
	    cmocka_unit_test(a_unit_with_a_writable_root_may_write_to_each_folder),
	    cmocka_unit_test(captured_list_is_read_each_time),
	    cmocka_unit_test(live_list_is_read_again_only_after_a_change));
}
