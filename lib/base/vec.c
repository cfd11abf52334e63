/* SPDX-License-Identifier: BSD-3-Clause */
/* vec.c - grow arrays by doubling */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64		/* bytes of a cache line */
#define FIRST_ELEMENTS 8
#define FIRST_BYTES    256

void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		abort();	/* out of memory: systemd restarts the service */
	return p;
}

void *xrealloc_aligned(void *p, size_t used, size_t n)
{
	void *to = aligned_alloc(LINE, n);
	if (!to)
		abort();
	if (used)
		memcpy(to, p, used);
	free(p);
	return to;
}

size_t vec_cap(size_t cap, size_t n, size_t size)
{
	if (n > PTRDIFF_MAX / size / 2)
		abort();
	if (cap == 0)
		cap = size < FIRST_BYTES / FIRST_ELEMENTS ? FIRST_BYTES / size : FIRST_ELEMENTS;
	while (cap < n)
		cap *= 2;
	return cap;
}

void *vec_grow(void *p, size_t *cap, size_t n, size_t size)
{
	size_t more = vec_cap(*cap, n, size);
	p = xrealloc(p, more * size);
	*cap = more;
	return p;
}
