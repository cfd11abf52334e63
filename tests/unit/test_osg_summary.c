/* SPDX-License-Identifier: BSD-3-Clause */
/* test_osg_summary.c - compute the increase of a server's counters from its summary packets */
#include "tests/unit/test.h"
#include "tests/unit/tree.h"
#include "xrootd/lines/osg_summary.h"

/*
 * Add a report of the process with pid 1 that started at `tos`, and return the increase of link_in,
 * or UINT64_MAX without one.
 */
static uint64_t add_report(struct osg_summaries *s, unsigned tod, unsigned tos, unsigned bytes_in)
{
	struct buf packet CLEANUP(buf_free) = { 0 }, line CLEANUP(buf_free) = { 0 };
	struct xrd_source from = { .port = 1094 };
	uint64_t increase;
	buf_addf(&packet, "<statistics tod=\"%u\" ver=\"v5.5.3\" src=\"h:1\" tos=\"%u\" "
		 "pgm=\"xrootd\" ins=\"a\" pid=\"1\" site=\"S\"><stats id=\"link\"><num>1</num>"
		 "<in>%u</in></stats></statistics>", tod, tos, bytes_in);
	osg_summary_put(&line, s, buf_str(&packet), &from);
	buf_add_char(&line, '\0');
	const char *at = strstr(line.p, "\"link_in\":");
	if (!at)
		return UINT64_MAX;
	struct str rest = str_of(at + strlen("\"link_in\":"));
	assert_true(str_take_u64(&rest, &increase));
	return increase;
}

TEST(a_process_with_the_same_pid_and_another_start_counts_from_0)
{
	struct osg_summaries *s = osg_summaries_new();
	assert_true(add_report(s, 100, 1, 5) == UINT64_MAX);
	assert_int_equal(add_report(s, 200, 150, 9), 9);	/* more than the old process had */
	assert_int_equal(add_report(s, 300, 150, 11), 2);
	assert_int_equal(add_report(s, 400, 350, 3), 3);
	osg_summaries_free(s);
}

TEST(a_late_report_gives_no_message)
{
	struct osg_summaries *s = osg_summaries_new();
	assert_true(add_report(s, 100, 1, 5) == UINT64_MAX);
	assert_int_equal(add_report(s, 300, 1, 9), 4);
	assert_true(add_report(s, 200, 1, 7) == UINT64_MAX);
	assert_int_equal(add_report(s, 400, 1, 10), 1);
	osg_summaries_free(s);
}

int main(void)
{
	RUN(cmocka_unit_test(a_process_with_the_same_pid_and_another_start_counts_from_0),
	    cmocka_unit_test(a_late_report_gives_no_message));
}
