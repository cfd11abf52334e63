/* SPDX-License-Identifier: BSD-3-Clause */
/* test_waiting_lines.c - keep lines in memory while a disk is full, and tear no line */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include "base/clock.h"
#include "tests/unit/tree.h"
#include "xrootd/program.h"

#define SECOND_NS  INT64_C(1000000000)
#define WAIT_BYTES (16u << 20)

struct output {
	struct tree t;
	struct xrootd_output o;
};

static void output_make(struct output *x)
{
	*x = (struct output){ .o = { .on = true } };
	tree_make(&x->t);
	x->o.fd = openat(x->t.fd, "lines", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(x->o.fd >= 0);
}

static void output_free(struct output *x)
{
	close_fd(&x->o.fd);
	buf_free(&x->o.text);
	tree_free(&x->t);
}

/* Limit the size of files, as a full disk does. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Write the waiting lines while the file may have at most this many bytes. */
static int write_limited(struct output *x, rlim_t bytes)
{
	limit_files(bytes);
	int r = output_write(&x->o, "lines");
	limit_files(RLIM_INFINITY);
	return r;
}

TEST(a_line_that_the_disk_took_in_part_is_cut_off_and_written_again)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	buf_add(&x.o.text, STR("first\nsecond\nthird\n"));
	assert_int_equal(write_limited(&x, 9), -EFBIG);
	assert_file(&x.t, "lines", STR("first\n"));
	assert_text(buf_str(&x.o.text), STR("second\nthird\n"));
	assert_true(x.o.waits);
	x.o.tried_ns = monotonic_ns() - 2 * SECOND_NS;
	assert_int_equal(output_write(&x.o, "lines"), 0);
	assert_file(&x.t, "lines", STR("first\nsecond\nthird\n"));
	assert_int_equal(x.o.text.n, 0);
	assert_false(x.o.waits);
}

TEST(a_line_that_the_disk_took_whole_is_not_written_again)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	buf_add(&x.o.text, STR("first\nsecond\n"));
	assert_int_equal(write_limited(&x, 6), -EFBIG);
	assert_file(&x.t, "lines", STR("first\n"));
	assert_text(buf_str(&x.o.text), STR("second\n"));
}

TEST(a_full_disk_is_tried_again_after_a_second)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	x.o.waits = true;
	buf_add(&x.o.text, STR("first\n"));
	/*
	 * a time in the future, so that the last attempt is less than a second ago even on a slow
	 * machine
	 */
	x.o.tried_ns = monotonic_ns() + 60 * SECOND_NS;
	assert_int_equal(output_write(&x.o, "lines"), 0);
	assert_file(&x.t, "lines", STR(""));
	x.o.tried_ns = monotonic_ns() - SECOND_NS;
	assert_int_equal(output_write(&x.o, "lines"), 0);
	assert_file(&x.t, "lines", STR("first\n"));
}

TEST(a_disk_that_was_not_full_is_written_to_at_once)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	x.o.tried_ns = monotonic_ns() + 60 * SECOND_NS;
	buf_add(&x.o.text, STR("first\n"));
	assert_int_equal(output_write(&x.o, "lines"), 0);
	assert_file(&x.t, "lines", STR("first\n"));
}

TEST(lines_beyond_16_mb_are_lost_only_while_the_disk_is_full)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	buf_reserve(&x.o.text, WAIT_BYTES + 1);
	x.o.text.n = WAIT_BYTES + 1;
	output_keep(&x.o, WAIT_BYTES - 4);
	assert_int_equal(x.o.text.n, WAIT_BYTES + 1);
	x.o.waits = true;
	output_keep(&x.o, WAIT_BYTES - 4);
	assert_int_equal(x.o.text.n, WAIT_BYTES - 4);
	assert_int_equal(x.o.lost, 1);
	x.o.text.n = WAIT_BYTES;
	output_keep(&x.o, WAIT_BYTES - 4);
	assert_int_equal(x.o.text.n, WAIT_BYTES);
	assert_int_equal(x.o.lost, 1);
	x.o.text.n = 0;
	buf_add(&x.o.text, STR("next\n"));
	assert_int_equal(output_write(&x.o, "lines"), 0);
	assert_int_equal(x.o.lost, 0);
	assert_int_equal(x.o.lost_ever, 1);
}

TEST(only_a_file_has_a_size)
{
	struct output x CLEANUP(output_free);
	output_make(&x);
	assert_true(output_is_file(&x.o));
	assert_int_equal(write(x.o.fd, "first\n", 6), 6);
	assert_int_equal(output_size(&x.o), 6);
	x.o.on = false;
	assert_int_equal(output_size(&x.o), 0);
	struct xrootd_output other = { .on = true, .fd = x.t.fd };
	assert_false(output_is_file(&other));
	assert_int_equal(output_size(&other), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(a_line_that_the_disk_took_in_part_is_cut_off_and_written_again),
	    cmocka_unit_test(a_line_that_the_disk_took_whole_is_not_written_again),
	    cmocka_unit_test(a_full_disk_is_tried_again_after_a_second),
	    cmocka_unit_test(a_disk_that_was_not_full_is_written_to_at_once),
	    cmocka_unit_test(lines_beyond_16_mb_are_lost_only_while_the_disk_is_full),
	    cmocka_unit_test(only_a_file_has_a_size));
}
