/* SPDX-License-Identifier: BSD-3-Clause */
/* peak_loops.h - loops that keep a CPU, or its memory bandwidth, fully busy */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the name of the widest vectors of this CPU, such as "AVX-512". */
const char *peak_vectors(void);

/*
 * Multiply and add 64-bit numbers for ns nanoseconds. Returns operations per second; a multiply-add
 * counts as two.
 */
double peak_flops(int64_t ns);

/*
 * Compute a = b + 3 c on arrays of n numbers, repeatedly for ns nanoseconds. The arrays must be
 * aligned to 16 bytes, and the caller must have written them before. Returns bytes per second,
 * counting two reads and a write. Stores bypass the caches on x86-64.
 */
#define PEAK_PIECE 32768	/* n must be a multiple of this */
double peak_triad(double *a, const double *b, const double *c, size_t n, int64_t ns);
