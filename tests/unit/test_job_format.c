/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_format.c - print a table of jobs with chosen columns */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "report/jobs/format.h"

#define SECOND INT64_C(1000000)

/* Print a table of one job that lasted `length` us, with these columns. */
static void put_table(struct buf *b, const char *columns, int64_t length)
{
	struct listed_job job = { .id = "7", .first = 1700000000 * SECOND, .nodes = 2 };
	struct listing of = LISTING_ALL;
	struct buf why CLEANUP(buf_free) = { 0 };
	struct format f;
	job.last = job.first + length;
	of.list.job = &job;
	of.list.n = 1;
	assert_true(format_take(&f, columns, &why));
	format_put(b, &f, &of, 1, false);
	buf_add_char(b, '\0');
}

TEST(elapsed_time_is_that_of_slurm)
{
	static const struct {
		int64_t length;
		const char *text;
	} cases[] = {
		{ 0, "\n00:00:00\n" }, { 59 * SECOND + 999999, "\n00:00:59\n" },
		{ 3599 * SECOND, "\n00:59:59\n" }, { 86399 * SECOND, "\n23:59:59\n" },
		{ 86400 * SECOND, "\n1-00:00:00\n" },
		{ (10 * 86400 + 3 * 3600 + 62) * SECOND, "\n10-03:01:02\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		put_table(&b, "Elapsed", cases[i].length);
		assert_non_null(strstr(b.p, cases[i].text));
	}
}

TEST(unknown_value_is_three_dashes)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	put_table(&b, "jobid,USER,NNodes,Start,MemEff", SECOND);
	assert_string_equal(b.p, "JobID  User  NNodes  Start                MemEff\n"
			    "7      ---        2  2023-11-14 22:13:20     ---\n");
}

int main(void)
{
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	RUN(cmocka_unit_test(elapsed_time_is_that_of_slurm),
	    cmocka_unit_test(unknown_value_is_three_dashes));
}
