/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_written.c - after a kill, write no access twice and count no false loss */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "base/files.h"
#include "tests/unit/test.h"
#include "tests/unit/xrd_bench.h"
#include "xrootd/state/saved_state.h"
#include "xrootd/state/written.h"

static void open_file(struct bench *b, uint32_t id)
{
	struct xrd_record r = opened;
	r.id = id;
	hand_f(b, r);
}

static void close_file(struct bench *b, uint32_t id)
{
	struct xrd_record r = closed;
	r.id = id;
	hand_f(b, r);
}

/*
 * Make a receiver that is then killed. It saves its state in *saved with files 8 and 9 open, and
 * then file 8 is closed. name: the host name that a relay gave for a server without an address, or
 * NULL.
 */
static struct bench *killed_with(struct buf *saved, const char *name)
{
	const struct saved_output out = { .begun = false };
	struct bench *b = bench_new(1 << 20);
	b->from.name = name;
	identify(b);
	log_in(b);
	open_file(b, 8);
	open_file(b, 9);
	state_put(saved, b->join, NULL, &out);
	hand(b, map(b, 'd', 50, "x\ny"));
	close_file(b, 8);
	assert_int_equal(b->n, 1);
	return b;
}

static struct bench *killed(struct buf *saved)
{
	return killed_with(saved, NULL);
}

static struct bench *resumed(const struct bench *before, struct str saved)
{
	struct saved_output out = { .begun = false };
	struct bench *b = bench_new(1 << 20);
	assert_int_equal(state_take(saved, b->join, NULL, &out), 0);
	assert_false(out.ended);
	b->seq = before->seq;
	b->f_seq = before->f_seq;
	return b;
}

/* Write lines to a temporary file without a name. */
static int file_of(struct str text)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(files_write(fd, text), 0);
	return fd;
}

TEST(an_access_that_was_written_before_the_kill_is_not_written_again)
{
	struct buf saved = { 0 };
	struct bench *b = killed(&saved), *c = resumed(b, buf_str(&saved));
	uint64_t n;
	int fd = file_of(buf_str(&b->out));
	assert_int_equal(written_remove(fd, 0, c->join, WRITTEN_ALL, &n), 0);
	assert_int_equal(n, 1);
	xrd_join_resume(c->join, true);
	close_file(c, 9);
	assert_int_equal(c->n, 1);
	expect(c, "\"file_id\":9,");
	expect(c, "\"complete\":true");
	xrd_join_finish(c->join);
	assert_int_equal(c->n, 1);
	close_fd(&fd);
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

TEST(a_server_known_by_name_has_no_access_written_again)
{
	struct buf saved = { 0 };
	struct bench *b = killed_with(&saved, "srv.example.org"), *c = resumed(b, buf_str(&saved));
	uint64_t n;
	int fd = file_of(buf_str(&b->out));
	assert_int_equal(written_remove(fd, 0, c->join, WRITTEN_ALL, &n), 0);
	assert_int_equal(n, 1);
	close_fd(&fd);
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

TEST(a_line_that_does_not_end_is_an_error)
{
	struct buf saved = { 0 }, lines = { 0 };
	struct bench *b = killed(&saved);
	uint64_t n;
	buf_reserve(&lines, 6 << 20);
	memset(lines.p, 'x', 6 << 20);
	lines.n = 6 << 20;
	int fd = file_of(buf_str(&lines));
	assert_int_equal(written_remove(fd, 0, b->join, WRITTEN_ALL, &n), -EFBIG);
	close_fd(&fd);
	buf_free(&lines);
	buf_free(&saved);
	bench_free(b);
}

/* The killed receiver got these datagrams, so they must not count as lost. */
TEST(datagrams_between_the_save_and_the_kill_do_not_count_as_lost)
{
	struct buf saved = { 0 };
	struct bench *b = killed(&saved), *c = resumed(b, buf_str(&saved));
	xrd_join_resume(c->join, false);
	hand(c, map(c, 'd', 51, "x\ny"));
	close_file(c, 9);
	wait_for(c, XRD_ORDER_WAIT / MS);
	const struct xrd_server *s = xrd_join_servers(c->join)->server[0];
	assert_int_equal(s->seen.n[XRD_LOST], 0);
	c->f_seq++;
	close_file(c, 10);
	wait_for(c, XRD_ORDER_WAIT / MS);
	assert_int_equal(s->seen.n[XRD_LOST], 1);
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

TEST(only_lines_after_the_save_and_of_the_same_access_remove_it)
{
	static const char *const lines[] = {
		"", "{}", "no JSON", "{\"file_id\":8,\"ended_by\":\"close\"}",
		"{\"serverID\":\"1000#::1#1234\",\"file_id\":8,\"open_window\":[101,111],"
		"\"ended_by\":null}",
		"{\"serverID\":\"1000#::1#1234\",\"file_id\":8,\"open_window\":[101,112],"
		"\"ended_by\":\"close\"}",
		"{\"serverID\":\"1000#::1#1235\",\"file_id\":8,\"open_window\":[101,111],"
		"\"ended_by\":\"close\"}",
		"{\"serverID\":\"1001#::1#1234\",\"file_id\":8,\"open_window\":[101,111],"
		"\"ended_by\":\"close\"}",
	};
	struct buf saved = { 0 }, old = { 0 };
	struct bench *b = killed(&saved), *c = resumed(b, buf_str(&saved));
	uint64_t n;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(written_remove_one(c->join, str_of(lines[i]), WRITTEN_ALL));
	buf_add(&old, buf_str(&b->out));
	int fd = file_of(buf_str(&old));
	assert_int_equal(written_remove(fd, old.n, c->join, WRITTEN_ALL, &n), 0);
	assert_int_equal(n, 0);
	const struct str line = STR(
		"{\"serverID\":\"1000#::1#1234\",\"file_id\":8,\"open_window\":[101,111],"
		"\"ended_by\":\"close\"}");
	/* a broker delivers the close again, so the access must still be there */
	assert_false(written_remove_one(c->join, line, WRITTEN_CLOSED));
	assert_true(written_remove_one(c->join, line, WRITTEN_ALL));
	close_fd(&fd);
	buf_free(&old);
	buf_free(&saved);
	bench_free(b);
	bench_free(c);
}

int main(void)
{
	RUN(cmocka_unit_test(an_access_that_was_written_before_the_kill_is_not_written_again),
	    cmocka_unit_test(a_server_known_by_name_has_no_access_written_again),
	    cmocka_unit_test(a_line_that_does_not_end_is_an_error),
	    cmocka_unit_test(datagrams_between_the_save_and_the_kill_do_not_count_as_lost),
	    cmocka_unit_test(only_lines_after_the_save_and_of_the_same_access_remove_it));
}
