/* SPDX-License-Identifier: BSD-3-Clause */
/* test_source.c - what collectors stand on: plans of "key value" files, files kept open */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collectors/source.h"

static const struct metric metrics[] = {
	{ "alpha", GAUGE, "", "" }, { "beta", GAUGE, "", "" }, { "gamma", GAUGE, "", "", "c" },
};

/* The present values of a text as a number: alpha 1, beta 2, c 3 are 123; an absent one is 0. */
static unsigned read_row(struct source *s, size_t skip, const char *text)
{
	unsigned v = 0;
	source_clear(s);
	row_key_values_behind(s, rows_add(&s->rows, STR("-")), skip, str_of(text));
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		bool have = rows_present(&s->rows, 0)[0] >> i & 1;
		v = v * 10 + (have ? (unsigned)rows_values(&s->rows, 0)[i] : 0);
	}
	return v;
}

TEST(lines_may_come_and_go_between_samples)
{
	struct files root = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	static const struct {
		const char *text;
		unsigned want;
	} steps[] = {
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		{ "alpha 4\nother 99\nbeta 5\nc 6\n", 456 },	/* all after it moved */
		{ "alpha 1\nother 99\nbeta 2\nc 3\n", 123 },
		{ "alpha 4\nother 9abeta 7\nbeta 5\nc 6\n", 456 },	/* not the line's start */
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		{ "alpha 4\nbeta 5\nc 6\n",          456 },	/* beta where other was */
		{ "alpha 1\nother 9\nbeta 2\nc 3",   123 },
		{ "garbage\nmore\nand\nmore\n",      0   },
		{ "c 3\nbeta 2\nalpha 1\nx 4\n",     123 },
		{ "",                                0   },
		{ "c: 3 kB\nbeta:\t2\nalphabet 7\n", 23  },
		{ "c:\nbeta 99999999999999999999\n", 0   },
	};
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(read_row(&s, 0, steps[i].text), steps[i].want);
}

TEST(keys_may_stand_behind_a_label)
{
	struct files root = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	assert_int_equal(read_row(&s, 7, "Node 0 alpha: 1 kB\nNode\n\nNode 0 c: 3\n"), 103);
	assert_int_equal(read_row(&s, 8, "Node 12 alpha: 2 kB\nNode\n\nNode 12 c: 4"), 204);
}

static void put_file(const struct files *root, const char *name)
{
	int fd CLEANUP(close_fd) = openat(root->rootfd, name, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "1\n", 2), 2);
}

TEST(files_that_nobody_reads_any_more_are_closed)
{
	char dir[] = "/tmp/nodometer-test-XXXXXX";
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	struct str text;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(files_open_root(&root, dir), 0);
	put_file(&root, "a");
	put_file(&root, "b");
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));
	assert_int_equal(source_read(&s, "a", &text), 0);
	assert_int_equal(source_read(&s, "b", &text), 0);

	s.rescan = true;
	source_clear(&s);
	assert_int_equal(s.files.n, 2);
	assert_int_equal(source_read(&s, "b", &text), 0);
	source_clear(&s);
	assert_int_equal(s.files.n, 1);
	assert_int_equal(source_read(&s, "b", &text), 0);
	assert_true(str_eq(text, STR("1\n")));

	unlinkat(root.rootfd, "a", 0);
	unlinkat(root.rootfd, "b", 0);
	rmdir(dir);
}

TEST(one_list_of_devices_is_kept_that_of_the_directory_asked_for_last)
{
	char dir[] = "/tmp/nodometer-test-XXXXXX";
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);

	assert_non_null(mkdtemp(dir));
	assert_int_equal(files_open_root(&root, dir), 0);
	assert_int_equal(mkdirat(root.rootfd, "old", 0700), 0);
	assert_int_equal(mkdirat(root.rootfd, "new", 0700), 0);
	put_file(&root, "new/n2");
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	assert_int_equal(source_devices(&s, "old", "n"), 0);
	assert_int_equal(source_devices(&s, "new", "n"), 1);
	put_file(&root, "new/n10");
	assert_int_equal(source_devices(&s, "new", "n"), 1);
	s.rescan = true;
	assert_int_equal(source_devices(&s, "new", "n"), 2);
	assert_string_equal(source_device_name(&s, 0), "n2");
	assert_int_equal(source_devices(&s, "gone", "n"), -ENOENT);
	assert_int_equal(source_devices(&s, "old", "n"), 0);

	unlinkat(root.rootfd, "new/n2", 0);
	unlinkat(root.rootfd, "new/n10", 0);
	unlinkat(root.rootfd, "new", AT_REMOVEDIR);
	unlinkat(root.rootfd, "old", AT_REMOVEDIR);
	rmdir(dir);
}

int main(void)
{
	RUN(cmocka_unit_test(lines_may_come_and_go_between_samples),
	    cmocka_unit_test(keys_may_stand_behind_a_label),
	    cmocka_unit_test(files_that_nobody_reads_any_more_are_closed),
	    cmocka_unit_test(one_list_of_devices_is_kept_that_of_the_directory_asked_for_last));
}
