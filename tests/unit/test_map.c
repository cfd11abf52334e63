/* SPDX-License-Identifier: BSD-3-Clause */
/* test_map.c - find entries by their hash, and grow arrays */
#include "tests/unit/test.h"
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#define MANY 5000

static uint64_t hash_of(uint64_t key)
{
	return map_hash((struct str){ (const char *)&key, sizeof(key) });
}

static struct map_slot *find(const struct map *m, uint64_t hash, uint64_t n)
{
	struct map_slot *at = NULL;
	while ((at = map_next(m, hash, at)))
		if (at->value.n == n)
			return at;
	return NULL;
}

static void add(struct map *m, uint64_t hash, uint64_t n)
{
	map_add(m, hash, (union map_value){ .n = n });
}

TEST(empty_map_finds_nothing)
{
	struct map m CLEANUP(map_free) = { 0 };
	assert_null(map_next(&m, 1, NULL));
	map_clear(&m);
	assert_null(map_next(&m, 1, NULL));
}

TEST(only_added_entries_are_found)
{
	struct map m CLEANUP(map_free) = { 0 };
	for (uint64_t i = 0; i < MANY; i++)
		add(&m, hash_of(i), i);
	for (uint64_t i = 0; i < MANY; i++)
		assert_non_null(find(&m, hash_of(i), i));
	for (uint64_t i = MANY; i < 2 * MANY; i++)
		assert_null(map_next(&m, hash_of(i), NULL));
}

/* The hashes of these keys select the last slots, so some entries continue at the first slots. */
TEST(removing_an_entry_keeps_its_neighbours)
{
	for (uint64_t gone = 0; gone < 12; gone++) {
		struct map m CLEANUP(map_free) = { 0 };
		for (uint64_t i = 0; i < 12; i++)
			add(&m, 61 + i % 4 + 64 * i, i);
		map_remove(&m, find(&m, 61 + gone % 4 + 64 * gone, gone));
		assert_int_equal(m.n, 11);
		for (uint64_t i = 0; i < 12; i++)
			assert_int_equal(find(&m, 61 + i % 4 + 64 * i, i) != NULL, i != gone);
	}
}

TEST(entries_with_the_same_hash_are_all_found)
{
	struct map m CLEANUP(map_free) = { 0 };
	unsigned seen = 0;
	for (uint64_t i = 0; i < 10; i++)
		add(&m, 7, i);
	add(&m, 8, 10);
	for (struct map_slot *at = NULL; (at = map_next(&m, 7, at));)
		seen |= 1u << at->value.n;
	assert_int_equal(seen, (1 << 10) - 1);
}

/*
 * Tables of sessions are used like this for years: entries come and go, but never exceed a fixed
 * number.
 */
TEST(adding_and_removing_needs_no_more_memory)
{
	struct map m CLEANUP(map_free) = { 0 };
	for (uint64_t i = 0; i < 40; i++)
		add(&m, hash_of(i), i);
	const struct map_slot *slots = m.slot;
	for (uint64_t i = 40; i < 100000; i++) {
		map_remove(&m, find(&m, hash_of(i - 40), i - 40));
		add(&m, hash_of(i), i);
	}
	assert_ptr_equal(m.slot, slots);
	for (uint64_t i = 100000 - 40; i < 100000; i++)
		assert_non_null(find(&m, hash_of(i), i));
	map_clear(&m);
	assert_ptr_equal(m.slot, slots);
	assert_null(map_next(&m, hash_of(99999), NULL));
}

/*
 * With a good hash, no run of used slots is long. FNV-1a would give all these keys the same low
 * bits.
 */
TEST(chosen_keys_do_not_collide)
{
	struct map m CLEANUP(map_free) = { 0 };
	size_t run = 0, longest = 0;
	for (uint64_t i = 0; i < MANY; i++)
		add(&m, hash_of(i << 40), i);
	for (size_t i = 0; i < m.cap; i++) {
		run = m.slot[i].hash ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	assert_in_range(longest, 1, 500);
}

TEST(keys_of_every_length_have_different_hashes)
{
	static const char zeros[64];
	uint64_t hash[sizeof(zeros)];
	for (size_t n = 0; n < sizeof(zeros); n++) {
		hash[n] = map_hash((struct str){ zeros, n });
		assert_true(hash[n] == map_hash((struct str){ zeros, n }));
		for (size_t i = 0; i < n; i++)
			assert_true(hash[i] != hash[n]);
	}
}

TEST(array_keeps_its_elements_as_it_grows)
{
	uint32_t *v = NULL;
	size_t cap = 0, moves = 0;
	for (uint32_t i = 0; i < MANY; i++) {
		size_t before = cap;
		v = vec_reserve(v, &cap, i + 1, sizeof(*v));
		moves += cap != before;
		v[i] = i;
	}
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(v[i], i);
	assert_in_range(moves, 1, 12);
	free(v);
}

TEST(array_that_is_large_at_once_has_room)
{
	char *p = NULL;
	size_t cap = 0;
	p = vec_reserve(p, &cap, 1000, 3);
	assert_true(cap >= 1000);
	memset(p, 1, 1000 * 3);
	const char *before = p;
	p = vec_reserve(p, &cap, cap, 3);
	assert_ptr_equal(p, before);
	free(p);
}

int main(void)
{
	RUN(cmocka_unit_test(empty_map_finds_nothing),
	    cmocka_unit_test(only_added_entries_are_found),
	    cmocka_unit_test(removing_an_entry_keeps_its_neighbours),
	    cmocka_unit_test(entries_with_the_same_hash_are_all_found),
	    cmocka_unit_test(adding_and_removing_needs_no_more_memory),
	    cmocka_unit_test(chosen_keys_do_not_collide),
	    cmocka_unit_test(keys_of_every_length_have_different_hashes),
	    cmocka_unit_test(array_keeps_its_elements_as_it_grows),
	    cmocka_unit_test(array_that_is_large_at_once_has_room));
}
