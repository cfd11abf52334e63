/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cursor.c - read a damaged cursor file whole, or refuse it */
#include "tests/unit/rogue.h"

#include "archive/cursor.h"
#include "tests/unit/tree.h"

static struct rogue *shared;

TEST(damaged_cursor_is_read_whole_or_refused)
{
	static const struct cursor good = {
		.epoch = 1700000000, .offset = 1234567, .usec = 1700000000000000, .groups = 99,
		.bytes = 5, .success_us = 1700000000000000, .why = "no connection",
	};
	struct tree t CLEANUP(tree_free);
	struct buf whole CLEANUP(buf_free) = { 0 };
	char path[96], text[PIECE_MAX];
	uint32_t seed = 1;
	unsigned taken = 0, refused = 0;

	tree_make(&t);
	snprintf(path, sizeof(path), "%s/cursor", t.path);
	assert_int_equal(cursor_save(&good, path), 0);
	tree_get(&t, "cursor", &whole);
	for (unsigned i = 0; i < shared->wanted; i++) {
		struct cursor c = { .epoch = -1 };
		size_t n = whole.n;
		assert_true(n < sizeof(text));
		memcpy(text, whole.p, n);
		for (uint32_t k = 1 + chance(&seed) % 3; k-- > 0;)
			mutate(text, &n, sizeof(text), &seed);
		tree_put(&t, "cursor", (struct str){ text, n });
		int r = cursor_load(&c, path);
		taken += r == 0;
		refused += r == -EBADMSG;
		assert_true(r == 0 || (r == -EBADMSG && c.epoch == -1));
		assert_true(memchr(c.why, 0, sizeof(c.why)) != NULL);
	}
	assert_int_equal(taken + refused, shared->wanted);
	assert_true(refused > 0);
}

/* A file of another size is replaced: only a file of 512 bytes is overwritten in place. */
TEST(cursor_replaces_a_file_of_any_size)
{
	static const size_t sizes[] = { 0, 1, 100, 511, 512, 513, 2000 };
	static const struct cursor good = { .epoch = 1700000000, .offset = 7 };
	struct tree t CLEANUP(tree_free);
	char path[96], text[2000];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/cursor", t.path);
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct cursor c = { .epoch = -1 };
		struct stat st;
		tree_put(&t, "cursor", (struct str){ text, sizes[i] });
		assert_int_equal(cursor_save(&good, path), 0);
		assert_int_equal(cursor_load(&c, path), 0);
		assert_int_equal(c.epoch, good.epoch);
		assert_int_equal(fstatat(t.fd, "cursor", &st, 0), 0);
		assert_int_equal(st.st_size, 512);
	}
}

int main(void)
{
	shared = rogue_new();
	RUN(cmocka_unit_test(damaged_cursor_is_read_whole_or_refused),
	    cmocka_unit_test(cursor_replaces_a_file_of_any_size));
}
