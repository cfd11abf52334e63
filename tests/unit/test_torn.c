/* SPDX-License-Identifier: BSD-3-Clause */
/* test_torn.c - cut off the text after the last whole record group, and keep that text in a file */
#include "tests/unit/archive_node.h"

#include <string.h>

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n" \
	"!cpu user,E idle,E\n!nodometer cpu bytes rows errors stalls\n"

static void mend(struct node *n, struct str current)
{
	tree_put(&n->tree, "n1/current", current);
	n->a.size = -1;
	assert_int_equal(archive_lock(&n->a, 0), 0);
}

/* Make a tail: letters that form record groups, random bytes, or a part of a record group. */
static void add_random_tail(struct buf *b, unsigned seed)
{
	static const char letters[] = "\n\n\n 01cpu-%nodometer", group[] = GROUP("12");
	size_t n = 1 + seed * 7919 % 3000;
	if (seed % 3 == 2)
		buf_add(b, (struct str){ group, seed % 16 });
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		buf_add_char(b, n % 2 ? letters[(seed >> 16) % (sizeof(letters) - 1)]
				      : (char)(seed >> 24));
	}
}

/*
 * The record group of an acknowledged mark stays, the file is continued after it, and the tail is
 * kept in a file of its own.
 */
TEST(no_mark_is_cut_off_with_a_random_tail)
{
	static const char whole[] = HEADER GROUP("10") "\n11 7\n%begin 7\n"
		"nodometer - 5 6 1 0 0\n";
	for (unsigned seed = 0; seed < 1000; seed++) {
		struct node n CLEANUP(node_free);
		struct buf text CLEANUP(buf_free) = { 0 }, kept CLEANUP(buf_free) = { 0 };
		node_open(&n);
		buf_add(&text, STR(whole));
		add_random_tail(&text, seed);
		mend(&n, buf_str(&text));
		assert_file(&n.tree, "n1/current", STR(whole));
		assert_int_equal(n.a.last_us, 11000000);
		tree_get(&n.tree, "n1/torn", &kept);
		struct str tail = str_skip(buf_str(&text), sizeof(whole) - 1), line;
		struct str piece = buf_str(&kept);
		assert_true(str_take_line(&piece, &line) && str_starts(line, STR("== ")));
		assert_int_equal(piece.n, tail.n + 1);
		assert_memory_equal(piece.p, tail.p, tail.n);
	}
}

TEST(torn_tails_are_kept_in_one_small_file)
{
	struct node n CLEANUP(node_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	struct stat st;
	node_open(&n);
	buf_add(&text, STR(HEADER GROUP("10")));
	for (int i = 0; i < 300000; i++)
		buf_add_char(&text, 'x');
	for (int i = 0; i < 10; i++) {
		mend(&n, buf_str(&text));
		assert_int_equal(fstatat(n.tree.fd, "n1/torn", &st, 0), 0);
		assert_in_range(st.st_size, 256 << 10, 1 << 20);
	}
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
	/* if the tail cannot be kept, the archive is still cut and continued */
	assert_int_equal(unlinkat(n.tree.fd, "n1/torn", 0), 0);
	assert_int_equal(symlinkat("elsewhere", n.tree.fd, "n1/torn"), 0);
	mend(&n, buf_str(&text));
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("10")));
	assert_int_equal(fstatat(n.tree.fd, "n1/elsewhere", &st, 0), -1);
}

int main(void)
{
	RUN(cmocka_unit_test(no_mark_is_cut_off_with_a_random_tail),
	    cmocka_unit_test(torn_tails_are_kept_in_one_small_file));
}
