/* SPDX-License-Identifier: BSD-3-Clause */
/* test_renamed.c - join the files of a node that was renamed while a job ran */
#include "tests/unit/tree.h"

#include <string.h>
#include "archive/input.h"
#include "archive/renamed.h"

#define HEAD(host, boot) "$hpcperfstats 1.0.2\n$hostname " host "\n$boot_id " boot "\n!cpu user,E\n"
#define GROUP(title) "\n" title "\ncpu 0 5\n"

/*
 * The contents of one file of host a and of one file of host b; the file of host a begins first.
 * .one: both hosts are the same node.
 */
struct pair {
	const char *what, *a, *b;
	bool one;
};

static void assert_pair(const struct pair *p)
{
	struct tree t CLEANUP(tree_free);
	struct buf why CLEANUP(buf_free) = { 0 };
	struct archive_file *file;
	const char *host = "a";
	size_t n;
	tree_make(&t);
	tree_put(&t, "a/100", str_of(p->a));
	tree_put(&t, "b/200", str_of(p->b));
	assert_int_equal(archive_list(t.path, &file, &n, &why), 0);
	assert_int_equal(n, 2);
	archive_join_renamed(file, n, &host);
	if ((strcmp(file[0].host, "b") == 0) != p->one || strcmp(file[1].host, "b") != 0)
		fail_msg("%s: %s and %s", p->what, file[0].host, file[1].host);
	assert_string_equal(host, p->one ? "b" : "a");
	archive_list_free(file, n);
}

TEST(hosts_are_one_node_if_the_boot_is_the_same_and_a_job_goes_on)
{
	static const struct pair pairs[] = {
		{ "a job goes on", HEAD("a", "x") GROUP("100 7") GROUP("150 7"),
		  HEAD("b", "x") GROUP("200 7"), true },
		{ "one of several jobs goes on", HEAD("a", "x") GROUP("100 7,8"),
		  HEAD("b", "x") GROUP("200 8,9"), true },
		{ "another boot", HEAD("a", "x") GROUP("100 7"), HEAD("b", "y") GROUP("200 7"),
		  false },
		{ "another job", HEAD("a", "x") GROUP("100 7"), HEAD("b", "x") GROUP("200 8"),
		  false },
		{ "no job", HEAD("a", "x") GROUP("100 -"), HEAD("b", "x") GROUP("200 -"), false },
		{ "only an earlier record has the job", HEAD("a", "x") GROUP("100 7")
		  GROUP("150 -"), HEAD("b", "x") GROUP("200 7"), false },
		{ "the job ends in the old record", HEAD("a", "x") "\n100 7\n%end 7\ncpu 0 5\n",
		  HEAD("b", "x") GROUP("200 7"), false },
		{ "the job begins in the new record", HEAD("a", "x") GROUP("100 7"),
		  HEAD("b", "x") "\n200 7\n%begin 7\ncpu 0 5\n", false },
		{ "the records overlap in time", HEAD("a", "x") GROUP("100 7") GROUP("201 7"),
		  HEAD("b", "x") GROUP("200 7"), false },
		{ "the records have one time", HEAD("a", "x") GROUP("100 7") GROUP("200 7"),
		  HEAD("b", "x") GROUP("200 7"), false },
		{ "no boot id", "$hpcperfstats 1.0.2\n!cpu user,E\n" GROUP("100 7"),
		  "$hpcperfstats 1.0.2\n!cpu user,E\n" GROUP("200 7"), false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		assert_pair(&pairs[i]);
}

/*
 * Containers on one node share its boot id, so each of two hosts may look like the node under its
 * next name.
 */
TEST(a_host_gets_no_next_name_if_two_candidates_overlap_in_time)
{
	static const struct {
		const char *b, *c;
		const char *want[3];
	} cases[] = {
		{ HEAD("b", "x") GROUP("200 7") GROUP("400 7"), HEAD("c", "x") GROUP("300 7"),
		  { "a", "b", "c" } },
		{ HEAD("b", "x") GROUP("200 7") GROUP("250 7"), HEAD("c", "x") GROUP("300 7"),
		  { "c", "c", "c" } },
		/* two hosts that existed at the same time cannot both have been renamed to c */
		{ HEAD("b", "x") GROUP("100 7"), HEAD("c", "x") GROUP("300 7"),
		  { "a", "b", "c" } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree t CLEANUP(tree_free);
		struct buf why CLEANUP(buf_free) = { 0 };
		struct archive_file *file;
		const char *host = NULL;
		size_t n;
		tree_make(&t);
		tree_put(&t, "a/100", STR(HEAD("a", "x") GROUP("100 7")));
		tree_put(&t, "b/200", str_of(cases[i].b));
		tree_put(&t, "c/300", str_of(cases[i].c));
		assert_int_equal(archive_list(t.path, &file, &n, &why), 0);
		assert_int_equal(n, 3);
		archive_join_renamed(file, n, &host);
		for (size_t k = 0; k < n; k++)
			assert_string_equal(file[k].host, cases[i].want[k]);
		assert_null(host);
		archive_list_free(file, n);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(hosts_are_one_node_if_the_boot_is_the_same_and_a_job_goes_on),
	    cmocka_unit_test(a_host_gets_no_next_name_if_two_candidates_overlap_in_time));
}
