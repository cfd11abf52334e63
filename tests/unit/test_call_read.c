/* SPDX-License-Identifier: BSD-3-Clause */
/* test_call_read.c - turn the records of system calls from BPF programs into events */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "filetrace/calls/call_kinds.h"
#include "filetrace/calls/call_read.h"

enum {
	READ = 0, CLOSE = 3, LSEEK = 8, CHDIR = 80, SYMLINK = 88, OPENAT = 257, UNLINKAT = 263,
	RENAMEAT = 264
};

static struct call_reader reader;

/* Encode the record of a system call with its two texts (paths), each of which may be NULL. */
static struct str put(struct buf *b, struct call_record r, const char *text, const char *to)
{
	r.kind = RECORD_CALL;
	r.n = text ? (unsigned)strlen(text) + 1 : 0;
	r.to_n = to ? (unsigned)strlen(to) + 1 : 0;
	b->n = 0;
	buf_add(b, (struct str){ (const char *)&r, sizeof(r) });
	buf_add(b, (struct str){ text ? text : "", r.n });
	buf_add(b, (struct str){ to ? to : "", r.to_n });
	return buf_str(b);
}

/* Pass a path record to the reader. names: n bytes, with the last name of the path first. */
static int tell(uint64_t id, const char *names, unsigned n)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct path_record r = { .kind = RECORD_PATH, .n = n, .id = id };
	struct event e;
	buf_add(&b, (struct str){ (const char *)&r, sizeof(r) });
	buf_add(&b, (struct str){ names, n });
	return call_read(&reader, buf_str(&b), &e);
}

static void is(struct str have, const char *want)
{
	assert_true(str_eq(have, str_of(want)));
}

static int setup(void **state)
{
	(void)state;
	assert_int_equal(tell(1, "home\0", 5), -EAGAIN);
	assert_int_equal(tell(2, "file\0deep\0home\0", 15), -EAGAIN);
	assert_int_equal(tell(3, "cat\0bin\0", 8), -EAGAIN);
	assert_int_equal(tell(4, "", 0), -EAGAIN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	call_reader_free(&reader);
	return 0;
}

static struct buf bytes;
static struct event e;

static int take(struct call_record r, const char *text, const char *to)
{
	return call_read(&reader, put(&bytes, r, text, to), &e);
}

TEST(read_has_the_descriptors_path_and_its_offset)
{
	reader.epoch = 1000;
	assert_int_equal(take((struct call_record){
		.number = READ, .start = 7, .ns = 5, .result = 3, .exe = 3, .file = 2, .size = 10,
		.position = 4, .requested = 6, .uid = 8, .gid = 9, .pid = 11, .file_mode = S_IFREG,
	}, NULL, NULL), 0);
	is(e.path, "/home/deep/file");
	is(e.process, "/bin/cat");
	assert_int_equal(e.op, OP_READ);
	assert_int_equal(e.start, 1007);
	assert_int_equal(e.ns, 5);
	assert_int_equal(e.size, 10);
	assert_int_equal(e.position, 4);
	assert_int_equal(e.requested, 6);
	assert_int_equal(e.done, 3);
	assert_int_equal(e.uid + e.gid + e.pid, 8 + 9 + 11);
	assert_int_equal(e.result, 0);
	assert_false(e.is_dir);
	reader.epoch = 0;
}

TEST(failure_has_its_errno_and_a_restart_is_an_interruption)
{
	assert_int_equal(take((struct call_record){ .number = READ, .result = -EIO, .file = 2 },
			      NULL, NULL), 0);
	assert_int_equal(e.result, EIO);
	assert_int_equal(e.done, 0);
	assert_int_equal(take((struct call_record){ .number = READ, .result = -512, .file = 2 },
			      NULL, NULL), 0);
	assert_int_equal(e.result, EINTR);
}

TEST(path_starts_at_the_root_or_the_calls_directory)
{
	struct call_record r = { .number = OPENAT, .result = -ENOENT };
	assert_int_equal(take(r, "/etc/none", NULL), 0);
	is(e.path, "/etc/none");
	r.file = 1;
	assert_int_equal(take(r, "././a/../b", NULL), 0);
	is(e.path, "/home/a/../b");
	r.file = 4;
	assert_int_equal(take(r, "b", NULL), 0);
	is(e.path, "/b");
	/* the record has no path, because the program passed a bad address */
	assert_int_equal(take(r, NULL, NULL), 0);
	is(e.path, "/");
}

TEST(opened_file_has_the_kernels_path_and_was_created_or_not)
{
	struct call_record r = { .number = OPENAT, .result = 3, .file = 2, .umask = 022,
				 .flags = O_CREAT | O_WRONLY, .mode = 0666 };
	assert_int_equal(take(r, NULL, NULL), 0);
	assert_int_equal(e.op, OP_OPEN);
	is(e.path, "/home/deep/file");
	r.created = 1;
	assert_int_equal(take(r, NULL, NULL), 0);
	assert_int_equal(e.op, OP_CREAT);
	assert_int_equal(e.mode, 0644);
}

TEST(second_path_has_its_own_directory_and_a_link_target_none)
{
	assert_int_equal(take((struct call_record){ .number = RENAMEAT, .file = 1, .to_file = 4 },
			      "old", "new"), 0);
	is(e.path, "/home/old");
	is(e.text, "/new");
	assert_int_equal(take((struct call_record){ .number = SYMLINK, .file = 1 }, "link", "to"),
			 0);
	is(e.path, "/home/link");
	is(e.text, "to");
}

TEST(call_or_file_mode_shows_directories)
{
	assert_int_equal(take((struct call_record){ .number = CHDIR }, "/home", NULL), 0);
	assert_true(e.is_dir && e.flags == X_OK);
	assert_int_equal(take((struct call_record){ .number = UNLINKAT, .flags = AT_REMOVEDIR },
			      "/home", NULL), 0);
	assert_true(e.is_dir);
	assert_int_equal(take((struct call_record){ .number = CLOSE, .file_mode = S_IFDIR,
			      .file = 1 }, NULL, NULL), 0);
	assert_true(e.is_dir);
	assert_int_equal(take((struct call_record){ .number = LSEEK, .result = 77, .file = 2 },
			      NULL, NULL), 0);
	assert_true(!e.is_dir && e.position == 77);
}

TEST(newer_path_replaces_an_old_one)
{
	struct call_record r = { .number = READ, .file = 2 };
	assert_int_equal(tell(2 + CALL_PATHS, "b\0", 2), -EAGAIN);
	assert_int_equal(take(r, NULL, NULL), 0);
	is(e.path, "");
	r.file += CALL_PATHS;
	assert_int_equal(take(r, NULL, NULL), 0);
	is(e.path, "/b");
	assert_int_equal(tell(2, "file\0deep\0home\0", 15), -EAGAIN);
}

TEST(refuses_every_shorter_record_and_other_calls)
{
	struct str all = put(&bytes, (struct call_record){ .number = RENAMEAT }, "/a", "/b");
	for (size_t n = 0; n < all.n; n++)
		assert_int_equal(call_read(&reader, (struct str){ all.p, n }, &e), -EBADMSG);
	assert_int_equal(take((struct call_record){ .number = 39 }, NULL, NULL), -EBADMSG);
	assert_int_equal(take((struct call_record){ .number = CALLS }, NULL, NULL), -EBADMSG);
	assert_int_equal(take((struct call_record){ .start = UINT64_MAX }, NULL, NULL), -EBADMSG);
	assert_int_equal(take((struct call_record){ .result = INT64_MIN }, NULL, NULL), -EBADMSG);
	assert_int_equal(tell(0, "a\0", 2), -EBADMSG);
	assert_int_equal(tell(9, "a", 1), -EBADMSG);
}

TEST(only_wanted_operations_are_traced_in_the_kernel)
{
	static struct call_kind kinds[CALLS];
	call_kinds(kinds, OPERATION(OP_CREAT) | OPERATION(OP_CLOSE));
	assert_true(kinds[OPENAT].traced && kinds[CLOSE].traced);
	assert_false(kinds[READ].traced || kinds[RENAMEAT].traced);
}

/* BPF programs, which have 64 bits, and readers built for 32 bits need the same layout. */
TEST(structures_have_no_holes)
{
	assert_int_equal(sizeof(struct call_record), 8 + 9 * 8 + 10 * 4);
	assert_int_equal(offsetof(struct call_record, start), 8);
	assert_int_equal(sizeof(struct path_record), 16);
	assert_int_equal(sizeof(struct calls_thread), 32);
	assert_int_equal(sizeof(struct calls_counts), 32);
}

TEST(numbers_are_those_of_x86_64)
{
#ifdef __x86_64__
	is(str_of(call_name(SYS_read)->name), "read");
	is(str_of(call_name(SYS_sendfile)->name), "sendfile");
	is(str_of(call_name(SYS_fremovexattr)->name), "fremovexattr");
	is(str_of(call_name(SYS_newfstatat)->name), "newfstatat");
	is(str_of(call_name(SYS_renameat2)->name), "renameat2");
	is(str_of(call_name(SYS_copy_file_range)->name), "copy_file_range");
	is(str_of(call_name(SYS_pwritev2)->name), "pwritev2");
	is(str_of(call_name(SYS_statx)->name), "statx");
	is(str_of(call_name(SYS_openat2)->name), "openat2");
#else
	skip();
#endif
}

/*
 * pread64(2), pwrite64(2), preadv(2), pwritev(2), preadv2(2) and pwritev2(2) have the position in
 * the file as their fourth argument.
 */
TEST(calls_at_a_position_record_it)
{
	static const unsigned numbers[] = { 17, 18, 295, 296, 327, 328 };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct call_kind *k = &call_name(numbers[i])->kind;
		assert_int_equal(k->position, 4);
		assert_true(k->op == (i % 2 ? OP_WRITE : OP_READ));
		assert_int_equal(i < 2 ? k->requested : k->parts, i < 2 ? 3 : 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_has_the_descriptors_path_and_its_offset),
		cmocka_unit_test(failure_has_its_errno_and_a_restart_is_an_interruption),
		cmocka_unit_test(path_starts_at_the_root_or_the_calls_directory),
		cmocka_unit_test(opened_file_has_the_kernels_path_and_was_created_or_not),
		cmocka_unit_test(second_path_has_its_own_directory_and_a_link_target_none),
		cmocka_unit_test(call_or_file_mode_shows_directories),
		cmocka_unit_test(newer_path_replaces_an_old_one),
		cmocka_unit_test(refuses_every_shorter_record_and_other_calls),
		cmocka_unit_test(only_wanted_operations_are_traced_in_the_kernel),
		cmocka_unit_test(structures_have_no_holes),
		cmocka_unit_test(numbers_are_those_of_x86_64),
		cmocka_unit_test(calls_at_a_position_record_it),
	};
	int failed = cmocka_run_group_tests(tests, setup, teardown);
	buf_free(&bytes);
	return failed;
}
