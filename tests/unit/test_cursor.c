/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cursor.c - accept a damaged cursor file only if all of it can be read */
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

/*
 * Before it loads a cursor, the caller sets the position to use if the file is damaged: the end of
 * the archive, or a time.
 */
TEST(damaged_cursor_keeps_the_callers_position_and_its_own_counters)
{
	static const struct cursor saved = {
		.epoch = 1, .offset = 2, .usec = 3, .head = 4, .after = 5, .tail = 6,
		.bytes = 7, .refused = 8, .success_us = 9,
	};
	struct cursor c = {
		.epoch = 11, .offset = 12, .usec = 13, .head = 14, .after = 15, .tail = 16,
		.bytes = 17, .refused = 18, .success_us = 19,
	};
	struct tree t CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[96];

	tree_make(&t);
	snprintf(path, sizeof(path), "%s/cursor", t.path);
	assert_int_equal(cursor_save(&saved, path), 0);
	tree_get(&t, "cursor", &text);
	text.p[0] = 'N';
	tree_put(&t, "cursor", buf_str(&text));
	assert_int_equal(cursor_load(&c, path), -EBADMSG);
	assert_int_equal(c.epoch, 11);
	assert_int_equal(c.offset, 12);
	assert_int_equal(c.usec, 13);
	assert_int_equal(c.head, 14);
	assert_int_equal(c.after, 15);
	assert_int_equal(c.tail, 16);
	assert_int_equal(c.bytes, 7);
	assert_int_equal(c.refused, 8);
	assert_int_equal(c.success_us, 9);
}

/* A cursor file has 512 bytes and is overwritten in place. A file of any other size is replaced. */
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
	    cmocka_unit_test(damaged_cursor_keeps_the_callers_position_and_its_own_counters),
	    cmocka_unit_test(cursor_replaces_a_file_of_any_size));
}
