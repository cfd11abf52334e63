/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_request_sizes.c - know the sizes of requests only if they cover all requests; filter files,
 * and name the directories of transfers
 */
#include "tests/unit/test.h"

#include "xrootd/lines/line_filter.h"
#include "xrootd/lines/request_sizes.h"
#include "xrootd/lines/xrd_transfer.h"

/* Four reads of 10 to 30 bytes, 80 bytes in all. */
static const struct request_sizes four = { true, 80, 4, 10, 30, 1800, true };

TEST(sizes_need_a_request_and_a_smallest_size_up_to_the_largest)
{
	struct request_sizes k = four;
	assert_true(has_sizes(&k));
	k.min = k.max = 20;
	assert_true(has_sizes(&k));
	k.max = 19;
	assert_false(has_sizes(&k));
	k = four;
	k.min = -1;
	assert_false(has_sizes(&k));
	k = four;
	k.n = 0;
	assert_false(has_sizes(&k));
	k = four;
	k.known = false;
	assert_false(has_sizes(&k));
	assert_int_equal(requests_of(&k), 0);
}

TEST(the_deviation_needs_bytes_that_the_sizes_allow)
{
	static const struct {
		int64_t bytes;
		bool has;
	} cases[] = { { 39, false }, { 40, true }, { 120, true }, { 121, false } };
	struct request_sizes k = four;
	assert_true(has_sigma(&k));
	assert_true(sigma_of(&k) > 7.07 && sigma_of(&k) < 7.08);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		k.bytes = cases[i].bytes;
		assert_int_equal(has_sigma(&k), cases[i].has);
	}
	k = four;
	/* rounding may put the sum of squares below the square of the mean */
	k.squares = 1500;
	assert_true(sigma_of(&k) < 1e-9);
	k.has_squares = false;
	assert_false(has_sigma(&k));
}

TEST(the_average_needs_known_bytes)
{
	struct request_sizes k = four;
	assert_true(average_of(&k) > 19.9 && average_of(&k) < 20.1);
	k.bytes = 0;
	assert_true(has_average(&k));
	k.bytes = -1;
	assert_false(has_average(&k));
	assert_true(average_of(&k) < 1e-9);
}

static struct byte_count count_of(int64_t bytes, int64_t n)
{
	return (struct byte_count){ .is = BYTES_EXACT, .bytes = bytes, .n = n };
}

static struct xrd_record close_of_reads(void)
{
	return (struct xrd_record){
		.flags = XRD_HAS_OPS | XRD_HAS_SSQ, .read = 80, .readv = 300,
		.ops = { .read = 4, .readv = 2, .read_min = 10, .read_max = 30, .readv_min = 100,
			 .readv_max = 200, .segments = 5, .segments_min = 2, .segments_max = 3 },
		.ssq = { .read = 1800, .readv = 50000, .segments = 13 },
	};
}

TEST(sizes_of_the_close_are_of_all_requests_or_unknown)
{
	const struct xrd_record close = close_of_reads();
	struct byte_counts all = { .read = count_of(80, 4), .readv = count_of(300, 2),
				   .write = count_of(0, 0), .segments = 5 };
	struct all_sizes z = all_sizes_of(&all, &close);
	assert_true(has_sigma(&z.single) && has_sigma(&z.vector) && has_sigma(&z.reads));
	/* 6 requests: sqrt(51800/6 - (380/6)^2) */
	assert_true(sigma_of(&z.reads) > 67.98 && sigma_of(&z.reads) < 67.99);
	assert_int_equal(z.reads.n, 6);
	assert_int_equal(z.reads.bytes, 380);
	assert_int_equal(z.reads.min, 10);
	assert_int_equal(z.reads.max, 200);
	assert_int_equal(z.segments.min, 2);
	all.read = count_of(90, 5);
	z = all_sizes_of(&all, &close);
	assert_false(has_sizes(&z.single));
	assert_false(has_sizes(&z.reads));
	assert_int_equal(requests_of(&z.reads), 7);
	assert_true(has_sizes(&z.vector));
	all.readv = count_of(300, 3);
	z = all_sizes_of(&all, &close);
	assert_false(has_sizes(&z.vector) || has_sizes(&z.segments));
	assert_int_equal(z.segments.bytes, 5);
	assert_int_equal(z.segments.n, 3);
}

TEST(reads_without_a_kind_have_the_sizes_of_the_other_kind)
{
	const struct xrd_record close = close_of_reads();
	const struct byte_counts all = { .read = count_of(80, 4), .readv = count_of(0, 0),
					 .write = { .is = BYTES_UNKNOWN, .n = -1 } };
	const struct all_sizes z = all_sizes_of(&all, &close);
	assert_int_equal(z.reads.min, 10);
	assert_int_equal(z.reads.max, 30);
	assert_false(has_average(&z.write));
	assert_int_equal(requests_of(&z.write), 0);
}

TEST(a_filter_takes_an_organisation_in_any_case_or_the_start_of_a_path)
{
	static const struct {
		const char *vos, *paths, *vo, *path, *other;
		bool takes;
	} cases[] = {
		{ "", "", "", "", "", true },
		{ "cms,atlas", "", "CMS", "", "", true },
		{ "cms,atlas", "", "atlas atlas", "", "", true },
		{ "cms,atlas", "", "xx Atlas", "", "", true },
		{ "cms", "", "cm", "", "", false },
		{ "cms", "", "cmsx", "", "", false },
		{ "", "/a,/b", "", "/b/c", "", true },
		{ "", "/a,/b", "", "/c/b", "", false },
		{ "", "/a", "", "/c", "/a/x", true },
		{ "", "/a", "", "/A/x", "", false },
		{ "cms", "/a", "atlas", "/a/x", "", true },
		{ "cms", "/a", "cms", "/x", "", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct line_filter f = { .vos = str_of(cases[i].vos),
					       .paths = str_of(cases[i].paths) };
		const struct line_about about = { str_of(cases[i].vo), str_of(cases[i].path),
						  str_of(cases[i].other) };
		if (line_filter_takes(&f, &about) != cases[i].takes)
			fail_msg("case %zu", i);
	}
}

TEST(repeated_slashes_make_no_directory)
{
	static const struct {
		char path[32];
		const char *directories;
	} cases[] = {
		{ "/store/a/b.root", "\"dirname1\":\"/store\",\"dirname2\":\"/store/a\"" },
		{ "//store//a/c/b", "\"dirname1\":\"//store\",\"dirname2\":\"//store//a\"" },
		{ "/store//b.root", "\"dirname1\":\"/store\",\"dirname2\":\"/store\"" },
		{ "/b.root", "\"dirname1\":\"/\",\"dirname2\":\"/\"" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		const struct xrd_file f = { .path = (char *)cases[i].path };
		xrd_transfer_put(&b, &(struct xrd_transfer){ .file = &f });
		if (!memmem(b.p, b.n, cases[i].directories, strlen(cases[i].directories)))
			fail_msg("no %s in " STR_FMT, cases[i].directories, STR_ARG(buf_str(&b)));
	}
}

int main(void)
{
	RUN(cmocka_unit_test(sizes_need_a_request_and_a_smallest_size_up_to_the_largest),
	    cmocka_unit_test(the_deviation_needs_bytes_that_the_sizes_allow),
	    cmocka_unit_test(the_average_needs_known_bytes),
	    cmocka_unit_test(sizes_of_the_close_are_of_all_requests_or_unknown),
	    cmocka_unit_test(reads_without_a_kind_have_the_sizes_of_the_other_kind),
	    cmocka_unit_test(repeated_slashes_make_no_directory),
	    cmocka_unit_test(a_filter_takes_an_organisation_in_any_case_or_the_start_of_a_path));
}
