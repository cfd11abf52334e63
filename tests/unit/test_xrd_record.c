/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_xrd_record.c - write the XRootD receiver's record groups, and keep them while there is no
 * space
 */
#include "tests/unit/tree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "xrootd/join/xrd_join.h"
#include "xrootd/xrd_record.h"

/* The XRootD receiver's record groups, one a minute, wait for free space as the agent's do. */
TEST(groups_wait_until_there_is_free_space)
{
	struct tree tree CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	const struct xrd_sums_listener nobody = { .arg = NULL };
	const struct xrd_listener nothing = { .arg = NULL };
	struct xrd_join *join = xrd_join_new(&nothing, 1 << 20);
	struct xrd_sums *sums = xrd_sums_new(&nobody, xrd_join_servers(join));
	struct xrd_recorder *r = xrealloc(NULL, sizeof(*r));
	uint64_t bytes = 0;
	char current[300];

	tree_make(&tree);
	*r = (struct xrd_recorder){
		.dir = tree.path, .live = true, .bytes = &bytes,
		.retain = { .free_floor = INT64_MAX },
	};
	assert_int_equal(xrd_recorder_open(r), 0);
	assert_int_equal(xrd_recorder_minute(r, 60000000, sums), 0);
	assert_int_equal(xrd_recorder_minute(r, 120000000, sums), 0);
	assert_int_equal(r->out.unwritten.n, 2);
	assert_false(r->written);

	r->out.store.place.free_floor = 0;
	r->out.store.archive.floor_checked_ns = 0;
	assert_int_equal(xrd_recorder_minute(r, 180000000, sums), 0);
	assert_true(r->written);
	assert_int_equal(r->last_us, 180000000);
	snprintf(current, sizeof(current), "%s/60", r->host.name);
	tree_get(&tree, current, &text);
	buf_add_char(&text, '\0');
	assert_non_null(strstr(text.p, "\n60 -\n%counters_restart"));
	assert_non_null(strstr(text.p, "\n120 -\nnodometer - "));
	xrd_recorder_close(r);
	xrd_join_free(join);
	xrd_sums_free(sums);
	free(r);
}

/* A receiver without a server, whose record groups go to a file. */
struct stream {
	struct tree t;
	struct xrd_join *join;
	struct xrd_sums *sums;
	struct xrd_recorder *r;
	uint64_t bytes;
};

static void stream_open(struct stream *x, const char *before)
{
	static const struct xrd_sums_listener nobody = { .arg = NULL };
	static const struct xrd_listener nothing = { .arg = NULL };
	*x = (struct stream){ .join = xrd_join_new(&nothing, 1 << 20) };
	x->sums = xrd_sums_new(&nobody, xrd_join_servers(x->join));
	tree_make(&x->t);
	tree_put(&x->t, "raw", str_of(before));
	x->r = xrealloc(NULL, sizeof(*x->r));
	*x->r = (struct xrd_recorder){ .bytes = &x->bytes };
	x->r->fd = openat(x->t.fd, "raw", O_RDWR | O_APPEND | O_CLOEXEC);
	assert_true(x->r->fd >= 0);
	assert_int_equal(xrd_recorder_open(x->r), 0);
}

static void stream_free(struct stream *x)
{
	close_fd(&x->r->fd);
	xrd_recorder_close(x->r);
	xrd_join_free(x->join);
	xrd_sums_free(x->sums);
	free(x->r);
	tree_free(&x->t);
}

/* Return how often the file has this text. */
static size_t count(const struct stream *x, const char *text)
{
	struct buf all CLEANUP(buf_free) = { 0 };
	size_t n = 0;
	tree_get(&x->t, "raw", &all);
	buf_add_char(&all, '\0');
	for (const char *p = all.p; (p = strstr(p, text)); p++)
		n++;
	return n;
}

TEST(times_of_groups_grow_unless_the_clock_was_set_back_by_an_hour)
{
	static const struct {
		int64_t at_s;
		const char *group;
	} minutes[] = {
		{ 7200, "\n7200 -\n" }, { 7200, "\n7200.000001 -\n" },
		{ 3601, "\n7200.000002 -\n" }, { 7260, "\n7260 -\n" },
		{ 3660, "\n3660 -\n" },
	};
	struct stream x CLEANUP(stream_free);
	stream_open(&x, "");
	for (size_t i = 0; i < ARRAY_SIZE(minutes); i++) {
		assert_int_equal(xrd_recorder_minute(x.r, minutes[i].at_s * 1000000, x.sums), 0);
		if (count(&x, minutes[i].group) != 1)
			fail_msg("%zu: no group %s", i, minutes[i].group);
	}
}

TEST(each_group_has_its_number_of_rows_and_the_first_one_a_mark)
{
	struct stream x CLEANUP(stream_free);
	size_t marks[2];
	stream_open(&x, "");
	for (int64_t minute = 0; minute < 2; minute++) {
		x.bytes += 7;
		assert_int_equal(xrd_recorder_minute(x.r, minute * 60000000, x.sums), 0);
		marks[minute] = count(&x, "%counters_restart");
	}
	assert_int_equal(count(&x, " 7 1 0"), 2);	/* 7 new bytes, 1 row, 0 errors */
	assert_true(marks[0] > 0);
	assert_int_equal(marks[1], marks[0]);
	assert_int_equal(count(&x, "$hostname"), 1);
}

TEST(a_torn_line_of_an_earlier_run_takes_no_other_with_it)
{
	struct stream x CLEANUP(stream_free);
	stream_open(&x, "torn");
	assert_int_equal(xrd_recorder_minute(x.r, 60000000, x.sums), 0);
	assert_int_equal(count(&x, "torn\n$"), 1);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_group_that_the_disk_takes_in_part_is_not_there)
{
	struct stream x CLEANUP(stream_free);
	stream_open(&x, "");
	for (int tries = 0; tries < 2; tries++) {
		uint64_t before = xrd_recorder_size(x.r);
		x.bytes += 4;
		limit_files(before + 20);
		assert_int_equal(xrd_recorder_minute(x.r, 60000000, x.sums), -EFBIG);
		limit_files(RLIM_INFINITY);
		assert_int_equal(xrd_recorder_size(x.r), before);
		assert_int_equal(x.r->begun, tries > 0);
		x.bytes += 3;
		assert_int_equal(xrd_recorder_minute(x.r, (tries + 1) * 60000000, x.sums), 0);
		assert_int_equal(count(&x, "\n%counters_restart xrootd\n"), 1);
		/* the bytes of both minutes are in the group that was written */
		assert_int_equal(count(&x, " 7 1 0"), tries + 1);
	}
	assert_int_equal(count(&x, "$hostname"), 1);
}

TEST(groups_go_on_only_after_the_group_that_was_saved)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct stream x CLEANUP(stream_free);
		int64_t until = 1;
		stream_open(&x, "as it was saved\n");
		uint64_t size = strlen("as it was saved\n") - more;
		assert_int_equal(xrd_recorder_resume(x.r, 60000000, size, &until), !more);
		assert_int_equal(until, 0);
		assert_int_equal(xrd_recorder_minute(x.r, 60000000, x.sums), 0);
		assert_int_equal(count(&x, "%counters_restart") > 0, more);
		assert_int_equal(count(&x, "\n60.000001 -\n"), 1);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(groups_go_on_only_after_the_group_that_was_saved),
	    cmocka_unit_test(a_group_that_the_disk_takes_in_part_is_not_there),
	    cmocka_unit_test(a_torn_line_of_an_earlier_run_takes_no_other_with_it),
	    cmocka_unit_test(each_group_has_its_number_of_rows_and_the_first_one_a_mark),
	    cmocka_unit_test(times_of_groups_grow_unless_the_clock_was_set_back_by_an_hour),
	    cmocka_unit_test(groups_wait_until_there_is_free_space));
}
