/* SPDX-License-Identifier: BSD-3-Clause */
/* map.c - hash map with open addressing, at most three quarters full */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include "base/base.h"

#define CAP_MIN 64
#define USED    ((uint64_t)1 << 63)

static uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

/* inline, so that the four words stay in registers */
static ALWAYS_INLINE void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static ALWAYS_INLINE void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

/*
 * Return the random bytes that the kernel gave this process (AT_RANDOM, getauxval(3)), without a
 * system call.
 */
static const uint64_t *key_of_process(void)
{
	static uint64_t key[2];
	const void *random = key[0] ? NULL : (const void *)getauxval(AT_RANDOM);
	if (random)
		memcpy(key, random, sizeof(key));
	return key;
}

/* SipHash-1-3: Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012. */
uint64_t map_hash(struct str key)
{
	const uint64_t *k = key_of_process();
	uint64_t v[4] = { k[0] ^ 0x736f6d6570736575u, k[1] ^ 0x646f72616e646f6du,
			  k[0] ^ 0x6c7967656e657261u, k[1] ^ 0x7465646279746573u };
	uint64_t word = 0;
	size_t n = key.n;

	for (; key.n >= sizeof(word); key = str_skip(key, sizeof(word))) {
		memcpy(&word, key.p, sizeof(word));
		sip_word(v, word);
	}
	word = 0;
	if (key.n)
		memcpy(&word, key.p, key.n);
	sip_word(v, word | (uint64_t)n << 56);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static size_t map_index_after(const struct map *m, size_t i)
{
	return (i + 1) & (m->cap - 1);
}

struct map_slot *map_next(const struct map *m, uint64_t hash, struct map_slot *at)
{
	if (m->n == 0)
		return NULL;
	size_t i = at ? map_index_after(m, (size_t)(at - m->slot)) : (size_t)hash & (m->cap - 1);
	for (; m->slot[i].hash; i = map_index_after(m, i))
		if (m->slot[i].hash == (hash | USED))
			return &m->slot[i];
	return NULL;
}

static void map_put_slot(struct map *m, struct map_slot slot)
{
	size_t i = (size_t)slot.hash & (m->cap - 1);
	while (m->slot[i].hash)
		i = map_index_after(m, i);
	m->slot[i] = slot;
}

static void map_grow(struct map *m)
{
	struct map old = *m;
	m->cap = old.cap ? 2 * old.cap : CAP_MIN;
	m->slot = calloc(m->cap, sizeof(*m->slot));
	if (!m->slot)
		abort();
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].hash)
			map_put_slot(m, old.slot[i]);
	free(old.slot);
}

void map_add(struct map *m, uint64_t hash, union map_value value)
{
	if (m->n >= m->cap / 4 * 3)
		map_grow(m);
	map_put_slot(m, (struct map_slot){ hash | USED, value });
	m->n++;
}

/*
 * Remove an entry, and move later entries into the hole: Knuth, The Art of Computer Programming,
 * 6.4, algorithm R.
 */
void map_remove(struct map *m, struct map_slot *at)
{
	size_t hole = (size_t)(at - m->slot);
	for (size_t i = map_index_after(m, hole); m->slot[i].hash; i = map_index_after(m, i)) {
		size_t home = (size_t)m->slot[i].hash & (m->cap - 1);
		if (((i - home) & (m->cap - 1)) < ((i - hole) & (m->cap - 1)))
			continue;
		m->slot[hole] = m->slot[i];
		hole = i;
	}
	m->slot[hole].hash = 0;
	m->n--;
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->slot, 0, m->cap * sizeof(*m->slot));
	m->n = 0;
}

void map_free(struct map *m)
{
	free(m->slot);
	*m = (struct map){ 0 };
}
