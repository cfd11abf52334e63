/* SPDX-License-Identifier: BSD-3-Clause */
/* test_accesses.c - report file accesses in datagrams that XRootD's receivers understand */
#include "tests/unit/test.h"
#include <fcntl.h>
#include "tests/unit/xrd_bench.h"
#include "formats/xrootd/xrdstream.h"
#include "filetrace/accesses.h"

static struct accesses a;
static struct bench *b;
static char codes[32], kinds[32];	/* codes of the sent datagrams; kinds of f-stream records */
static size_t n_codes, n_kinds, longest;
static int64_t begin, end;		/* period of the last f-stream datagram */
static char user[200], path[200];	/* texts of the last u and d map records */

static void take(void *arg, struct str datagram)
{
	struct xrd_packet p;
	struct xrd_record r;
	(void)arg;
	assert_int_equal(xrd_open(datagram, &p), 0);
	assert_int_equal(p.start, START);
	if (n_codes < sizeof(codes) - 1)
		codes[n_codes++] = p.code;
	longest = datagram.n > longest ? datagram.n : longest;
	unsigned n_xfr = 0, n_all = 0;
	if (p.code == 'u' || p.code == 'd') {
		assert_int_equal(xrd_next(&p, &r), 1);
		assert_true(str_copy(p.code == 'u' ? user : path, sizeof(user), r.text));
	}
	for (; p.code == 'f' && xrd_next(&p, &r) > 0; n_all++) {
		n_xfr += r.kind == XRD_XFR;
		if (n_kinds < sizeof(kinds) - 1)
			kinds[n_kinds++] = (char)('0' + r.kind);
	}
	if (p.code == 'f') {
		begin = p.begin;
		end = p.end;
	}
	assert_int_equal(p.n_all, n_all);
	assert_int_equal(p.n_xfr, n_xfr);
	xrd_join_add(b->join, &b->from, datagram, b->now);
}

static int set_up(void **state)
{
	(void)state;
	b = bench_new(1 << 20);
	accesses_init(&a, "node.test", 5, START);
	a.send = take;
	memset(codes, 0, sizeof(codes));
	memset(kinds, 0, sizeof(kinds));
	n_codes = n_kinds = longest = 0;
	accesses_identify(&a);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	accesses_free(&a);
	bench_free(b);
	return 0;
}

static const struct event opens = {
	.user = STR("alice"), .group = STR("cms"), .uid = 1000, .gid = 100, .pid = 77,
	.process = STR("/usr/bin/a&b=c"), .path = STR("/data/file"), .op = OP_OPEN,
	.flags = O_RDWR,
};

static bool nobody_lives(uint32_t pid)
{
	(void)pid;
	return false;
}

static bool all_live(uint32_t pid)
{
	(void)pid;
	return true;
}

TEST(close_reports_all_bytes_read_and_written)
{
	struct access *f = access_open(&a, &opens, 5000, 1010);
	access_read(f, 3000);
	access_read(f, 1000);
	access_written(f, 50);
	access_close(&a, f, 1015);
	accesses_flush(&a, 1015);
	assert_string_equal(codes, "=udf");
	assert_int_equal(begin, 1010);
	assert_int_equal(end, 1015);
	assert_int_equal(kinds[0] - '0', XRD_OPEN);
	assert_int_equal(kinds[1] - '0', XRD_CLOSE);
	assert_int_equal(b->n, 1);
	expect(b, "\"filename\":\"/data/file\",\"filesize\":5000,");
	expect(b, "\"server_hostname\":\"node.test\",\"server_instance\":\"trace\"");
	expect(b, "\"user\":\"alice\"");
	expect(b, "\"host\":\"node.test\",\"pid\":\"77\",\"protocol\":\"file\"");
	expect(b, "\"read\":4000,");
	expect(b, "\"read_single_average\":2000,\"read_single_min\":1000,\"read_single_max\":3000,"
		  "\"read_single_sigma\":1000,");
	expect(b, "\"write\":50,");
	expect(b, "\"complete\":true,\"missing\":[],\"ended_by\":\"close\",\"forced\":false");
}

/*
 * nodometer trace sees every write, so 0 bytes written is exact. XRootD's servers do not count the
 * bytes of third-party copies, so a 0 of a server is not exact.
 */
TEST(zero_bytes_written_are_exact)
{
	access_close(&a, access_open(&a, &opens, 0, 1010), 1010);
	accesses_flush(&a, 1011);
	assert_int_equal(b->n, 1);
	assert_false(was_reported(b, "third-party"));
	expect(b, "\"write\":0,");
}

TEST(user_and_file_are_described_as_servers_describe_them)
{
	struct event other = opens;
	access_close(&a, access_open(&a, &opens, 0, 1010), 1010);
	assert_string_equal(user, "file/alice.77:327680@node.test\n&p=unix&n=alice&h=node.test"
				  "&o=&r=&g=cms&m=&x=a_b=c&y=");
	assert_string_equal(path, "file/alice.77:327680@node.test\n/data/file");
	other.user = STR("");
	other.group = STR("a\nb");
	other.process = STR("script");
	access_close(&a, access_open(&a, &other, 0, 1010), 1010);
	assert_string_equal(user, "file/1000.77:327680@node.test\n&p=unix&n=&h=node.test"
				  "&o=&r=&g=a_b&m=&x=script&y=");
	assert_string_equal(path, "file/1000.77:327680@node.test\n/data/file");
}

TEST(process_is_one_user_until_it_ends)
{
	struct event other = opens;
	other.pid = 78;
	struct access *one = access_open(&a, &opens, 0, 1010);
	struct access *two = access_open(&a, &opens, 0, 1010);
	struct access *three = access_open(&a, &other, 0, 1010);
	assert_string_equal(codes, "=uddud");
	access_close(&a, one, 1011);
	access_close(&a, two, 1011);
	accesses_forget_ended(&a, all_live, 1011);
	accesses_forget_ended(&a, nobody_lives, 1011);	/* process 78 still has a file open */
	accesses_flush(&a, 1011);
	assert_int_equal(n_kinds, 6);
	assert_int_equal(kinds[5] - '0', XRD_DISC);
	assert_int_equal(b->n, 2);
	access_close(&a, three, 1012);
	access_close(&a, access_open(&a, &opens, 0, 1012), 1012);
	assert_string_equal(codes, "=uddudfud");
}

TEST(progress_is_reported_only_for_active_files)
{
	struct access *still = access_open(&a, &opens, 0, 1010);
	struct access *moves = access_open(&a, &opens, 0, 1010);
	access_written(moves, 4096);
	accesses_report(&a, 1070);
	accesses_report(&a, 1130);
	accesses_flush(&a, 1130);
	assert_int_equal(n_kinds, 3);
	assert_int_equal(kinds[2] - '0', XRD_XFR);
	access_close(&a, still, 1131);
	access_close(&a, moves, 1131);
	accesses_flush(&a, 1131);
	assert_int_equal(b->n, 2);
}

TEST(datagrams_fit_into_a_frame)
{
	for (unsigned i = 0; i < 100; i++)
		access_close(&a, access_open(&a, &opens, 0, 1010), 1010);
	accesses_flush(&a, 1010);
	assert_int_equal(b->n, 100);
	assert_in_range(longest, 1000, 1452);
	accesses_flush(&a, 1011);	/* nothing is pending, so nothing is sent */
	assert_int_equal(b->n, 100);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	RUN(CASE(close_reports_all_bytes_read_and_written), CASE(zero_bytes_written_are_exact),
	    CASE(user_and_file_are_described_as_servers_describe_them),
	    CASE(process_is_one_user_until_it_ends),
	    CASE(progress_is_reported_only_for_active_files), CASE(datagrams_fit_into_a_frame));
}
