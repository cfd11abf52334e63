/* SPDX-License-Identifier: BSD-3-Clause */
/* peak_loops.h - loops that keep a CPU, or its memory bandwidth, fully busy */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the name of the widest vectors of this CPU, such as "AVX-512". */
const char *peak_vectors(void);

/* Multiply and add 64-bit numbers for ns nanoseconds. Returns operations per second. */
double peak_flops(int64_t ns);

/*
 * Compute a = b + 3 c on arrays of n numbers, repeatedly for ns nanoseconds. The caller must have
 * written the arrays before. Returns bytes per second, counting two reads and a write. Stores
 * bypass the caches if the CPU can.
 */
#define PEAK_PIECE 32768	/* n must be a multiple of this */
double peak_triad(double *a, const double *b, const double *c, size_t n, int64_t ns);
