/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_index.c - the index at the end of an archive file matches the data before it, or is ignored
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/index.h"
#include "base/files.h"

static const char raw[] =
	"$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n"
	"\n1700000000 -\nvm - 1\n"
	"\n1700000060.5 7\n%begin 7 user=ann nodes=2\nvm - 2\n"
	"\n1700000120 7,12_3\nvm - 3\n"
	"\n1700000180 12_3\n%end 7 exit=0:0\nvm - 4\n";

static ssize_t read_text(void *arg, char *to, size_t n)
{
	struct str *left = arg;
	n = n < left->n ? n : left->n;
	memcpy(to, left->p, n);
	*left = str_skip(*left, n);
	return (ssize_t)n;
}

static int make(const char *text, size_t n, struct buf *index)
{
	struct str left = { text, n };
	const struct byte_source from = { read_text, &left };
	return index_make(&from, index);
}

TEST(index_lists_jobs_with_times_marks_and_users)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	assert_int_equal(make(raw, sizeof(raw) - 1, &text), 0);
	buf_add_char(&text, '\0');
	assert_string_equal(text.p, "records 4 1700000000000000 1700000180000000\n"
			    "job 7 1700000060500000 1700000180000000 3 be ann nodes=2 exit=0:0\n"
			    "job 12_3 1700000120000000 1700000180000000 2 - -\n");
	struct str rest = { text.p, text.n - 1 };
	struct index_job j;
	assert_true(index_has_job(rest, STR("7")) && index_has_job(rest, STR("12_3")));
	assert_false(index_has_job(rest, STR("12")) || index_has_job(rest, STR("ann")));
	assert_true(index_next_job(&rest, &j) && j.begun && j.ended && j.samples == 3);
	assert_true(str_eq(j.user, STR("ann")) && j.nodes == 2 && j.first == 1700000060500000);
	assert_true(index_next_job(&rest, &j) && !j.begun && !j.ended && j.user.n == 0);
	assert_false(index_next_job(&rest, &j));
}

TEST(index_keeps_a_run_that_starts_where_another_ends)
{
	static const char again[] = "$hpcperfstats 1.0.2\n$hostname n1\n!vm a,E\n"
		"\n1700000000 7\n%begin 7 user=ann\nvm - 1\n"
		"\n1700000060 7\n%end 7\n%begin 7 user=bob\nvm - 2\n"
		"\n1700000120 7\n%end 7\nvm - 3\n";
	struct buf text CLEANUP(buf_free) = { 0 };
	assert_int_equal(make(again, sizeof(again) - 1, &text), 0);
	buf_add_char(&text, '\0');
	assert_string_equal(text.p, "records 3 1700000000000000 1700000120000000\n"
			    "job 7 1700000000000000 1700000060000000 2 be ann\n"
			    "job 7 1700000060000000 1700000120000000 2 be bob\n");
}

TEST(unreadable_file_has_no_index)
{
	static const char *const bad[] = { "", "text\n", "$hpcperfstats 1.0.2\n",
		"$hpcperfstats 1.0.2\n!vm a,E\n\n1700000000 -\nvm - x\n\n1700000001 -\nvm - 1\n" };
	struct buf text CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(make(bad[i], strlen(bad[i]), &text), -EBADMSG);
	char zero[sizeof(raw)];
	memcpy(zero, raw, sizeof(raw));
	*strstr(zero, "12_3") = '\0';
	assert_int_equal(make(zero, sizeof(raw) - 1, &text), -EBADMSG);
}

/*
 * The index covers all readable records. Its line "unread" has the time span, in us since 1970, in
 * which records may be missing.
 */
TEST(unreadable_lines_hide_no_later_job)
{
#define FIRST "$hpcperfstats 1.0.2\n!vm a,E\n\n1700000000 7\n%begin 7\nvm - 1\n" \
	"\n1700000060 7\n%end 7\nvm - 2\n"
#define LATER "\n1700000120 8\n%begin 8\nvm - 3\n\n1700000180 8\n%end 8\nvm - 4\n\n"
	static const struct { const char *text, *unread; } files[] = {
		{ FIRST "\nnonsense\n" LATER, "unread 1700000000000000 1700000060000000\n" },
		{ FIRST "\n17x 8\nvm - 3\n" LATER, "unread 1700000060000000 1700000120000000\n" },
		{ "$hpcperfstats 1.0.2\n!\n" FIRST LATER, "unread 0 1700000000000000\n" },
		{ FIRST LATER "vm - 5 6\n\n", "unread 1700000120000000 1700000180000000\n" },
		{ FIRST LATER "1700000240 -\nvm -", "unread 1700000180000000\n" },
	};
	static const char jobs[] = "job 7 1700000000000000 1700000060000000 2 be -\n"
				   "job 8 1700000120000000 1700000180000000 2 be -\n";
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct buf text CLEANUP(buf_free) = { 0 }, want CLEANUP(buf_free) = { 0 };
		int64_t from, to;
		assert_int_equal(make(files[i].text, strlen(files[i].text), &text), -EBADMSG);
		buf_addf(&want, "records 4 1700000000000000 1700000180000000\n%s%s", jobs,
			 files[i].unread);
		buf_add_char(&want, '\0');
		buf_add_char(&text, '\0');
		assert_string_equal(text.p, want.p);
		text.n--;
		assert_true(index_unread(buf_str(&text), &from, &to));
		assert_int_equal(to == INT64_MAX, i == 4);
	}
}

TEST(file_with_too_many_jobs_has_no_index)
{
	struct buf text CLEANUP(buf_free) = { 0 }, index CLEANUP(buf_free) = { 0 };
	buf_addf(&text, "$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n");
	for (int i = 0; i < 80000; i++)
		buf_addf(&text, "\n%d job%d\nvm - %d\n", 1700000000 + i, i, i);
	assert_int_equal(make(text.p, text.n, &index), -E2BIG);
}

TEST(index_has_the_offset_of_the_last_frame)
{
	uint64_t place;
	assert_true(index_last_frame(STR("records 1 2 3\njob last 1 2 3 - -\nlast 77\n"), &place));
	assert_int_equal(place, 77);
	assert_false(index_last_frame(STR("records 1 2 3\njob last 1 2 3 - -\n"), &place));
	assert_false(index_last_frame(STR("last\n"), &place));
}

/* Return `data` bytes, followed by their index in a frame. */
static struct buf framed(size_t data, struct str text)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < data; i++)
		buf_add_char(&b, (char)('a' + i % 7));
	char tail[INDEX_TAIL];
	memcpy(tail, b.p + data - INDEX_TAIL, sizeof(tail));
	index_put_frame(&b, text, data, tail);
	return b;
}

TEST(index_is_read_from_the_end_of_its_file)
{
	struct buf b CLEANUP(buf_free) = framed(100, STR("records 0 1 2\n"));
	struct str text;
	assert_true(index_take_frame(buf_str(&b), b.n, &text));
	assert_true(str_eq(text, STR("records 0 1 2\n")));
	assert_true(index_take_frame(str_skip(buf_str(&b), 92), b.n, &text));
	assert_false(index_take_frame(str_skip(buf_str(&b), 93), b.n, &text));
}

TEST(damaged_index_is_ignored)
{
	struct buf b CLEANUP(buf_free) = framed(20, STR("records 0 1 2\njob 7 1 2 3 b x\n"));
	struct str text;
	for (size_t bit = 8 * 12; bit < 8 * b.n; bit++) {
		b.p[bit / 8] = (char)(b.p[bit / 8] ^ 1 << bit % 8);
		assert_false(index_take_frame(buf_str(&b), b.n, &text));
		b.p[bit / 8] = (char)(b.p[bit / 8] ^ 1 << bit % 8);
	}
	for (size_t n = 0; n < b.n; n++) {
		assert_false(index_take_frame((struct str){ b.p, n }, n, &text));
		assert_false(index_take_frame((struct str){ b.p, n }, b.n, &text));
	}
}

TEST(index_of_only_a_part_of_the_file_is_ignored)
{
	struct buf a CLEANUP(buf_free) = framed(50, STR("records 0 1 2\n"));
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	buf_add(&b, buf_str(&a));
	buf_add(&b, buf_str(&a));
	assert_false(index_take_frame(buf_str(&b), b.n, &text));
	buf_add(&b, STR("more"));
	assert_false(index_take_frame(buf_str(&b), b.n, &text));
}

/*
 * An index whose frame ends with "nodoidx1" is of the older format, which had a single line for all
 * runs of a job id.
 */
TEST(index_of_an_older_version_is_ignored)
{
	struct buf b CLEANUP(buf_free) = framed(50, STR("records 4 1 2\njob 7 1 2 4 be ann\n"));
	struct str text;
	assert_true(index_take_frame(buf_str(&b), b.n, &text));
	assert_int_equal(b.p[b.n - 1], '2');
	b.p[b.n - 1] = '1';
	assert_false(index_take_frame(buf_str(&b), b.n, &text));
}

static bool excludes(const char *text, size_t n, struct str job)
{
	char path[] = "/tmp/test_index.XXXXXX";
	int fd CLEANUP(close_fd) = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(files_write(fd, (struct str){ text, n }), 0);
	bool r = index_excludes(path, job);
	unlink(path);
	return r;
}

TEST(file_is_skipped_only_if_it_cannot_have_the_job)
{
	assert_false(excludes(raw, sizeof(raw) - 1, STR("7")));
	assert_true(excludes(raw, sizeof(raw) - 1, STR("8888")));
	/* without its first byte, the file has another format */
	assert_false(excludes(raw + 1, sizeof(raw) - 2, STR("8888")));
	struct buf b CLEANUP(buf_free) = framed(50, STR("records 0 1 2\njob 7 1 2 3 b x\n"));
	assert_true(excludes(b.p, b.n, STR("8888")));
	assert_false(excludes(b.p, b.n, STR("7")));
	b.p[b.n - 30] ^= 1;
	assert_false(excludes(b.p, b.n, STR("8888")));
	assert_false(index_excludes("/nonexistent/file", STR("7")));
}

TEST(name_across_two_reads_of_a_raw_file_is_found)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_addf(&b, "$hpcperfstats 1.0.2\n");
	while (b.n < (256u << 10) - 3)
		buf_add_char(&b, 'x');
	buf_addf(&b, "needle\n");
	assert_false(excludes(b.p, b.n, STR("needle")));
	assert_true(excludes(b.p, b.n, STR("needles")));
}

int main(void)
{
	RUN(cmocka_unit_test(index_lists_jobs_with_times_marks_and_users),
	    cmocka_unit_test(index_keeps_a_run_that_starts_where_another_ends),
	    cmocka_unit_test(index_has_the_offset_of_the_last_frame),
	    cmocka_unit_test(unreadable_file_has_no_index),
	    cmocka_unit_test(unreadable_lines_hide_no_later_job),
	    cmocka_unit_test(file_with_too_many_jobs_has_no_index),
	    cmocka_unit_test(index_is_read_from_the_end_of_its_file),
	    cmocka_unit_test(damaged_index_is_ignored),
	    cmocka_unit_test(index_of_only_a_part_of_the_file_is_ignored),
	    cmocka_unit_test(index_of_an_older_version_is_ignored),
	    cmocka_unit_test(file_is_skipped_only_if_it_cannot_have_the_job),
	    cmocka_unit_test(name_across_two_reads_of_a_raw_file_is_found));
}
