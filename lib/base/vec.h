/* SPDX-License-Identifier: BSD-3-Clause */
/* vec.h - how arrays grow: to twice the room that they had */
#pragma once

#include <stddef.h>

void *xrealloc(void *p, size_t n);	/* out of memory aborts; n may be 0 */

/* The same from the begin of a line of the cache, of used bytes. For n a multiple of it. */
void *xrealloc_aligned(void *p, size_t used, size_t n);

/* The room of an array that has room for cap elements of so many bytes and needs room for n. */
size_t vec_cap(size_t cap, size_t n, size_t size);

void *vec_grow(void *p, size_t *cap, size_t n, size_t size);

/*
 * Makes room for n elements of size bytes; returns the array, which may have moved. *cap is the
 * room that there is. An array that nothing was put into is NULL and 0. Out of memory aborts.
 *
 *	l->file = vec_reserve(l->file, &l->cap, l->n + 1, sizeof(*l->file));
 */
static inline void *vec_reserve(void *p, size_t *cap, size_t n, size_t size)
{
	return n <= *cap ? p : vec_grow(p, cap, n, size);
}
