/* SPDX-License-Identifier: BSD-3-Clause */
/* vec.h - grow arrays by doubling */
#pragma once

#include <stddef.h>

/* Reallocate; aborts if out of memory. n may be 0. */
void *xrealloc(void *p, size_t n);

/*
 * Reallocate memory aligned to a cache line, and keep the first `used` bytes. n must be a multiple
 * of the size of a cache line.
 */
void *xrealloc_aligned(void *p, size_t used, size_t n);

/* Return the new capacity of an array for n elements of size bytes; cap is its present capacity. */
size_t vec_cap(size_t cap, size_t n, size_t size);

void *vec_grow(void *p, size_t *cap, size_t n, size_t size);

/*
 * Make room for n elements of size bytes. Returns the array, which may have moved, and updates
 * *cap. An empty array is NULL with capacity 0. Aborts if out of memory.
 *
 *	l->file = vec_reserve(l->file, &l->cap, l->n + 1, sizeof(*l->file));
 */
static inline void *vec_reserve(void *p, size_t *cap, size_t n, size_t size)
{
	return n <= *cap ? p : vec_grow(p, cap, n, size);
}
