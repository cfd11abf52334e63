/* SPDX-License-Identifier: BSD-3-Clause */
/* peak_loops.h - loops that keep a CPU, or its way to memory, as busy as can be */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The widest vectors that this CPU has: "AVX-512". */
const char *peak_vectors(void);

/* Multiplies and adds numbers of 64 bits for so long: operations a second. */
double peak_flops(int64_t ns);

/*
 * a = b + 3 c, of n numbers each, again and again for so long: bytes a second, of two reads and a
 * write, which leaves caches out where this CPU can. The memory is this process's own, and was
 * written by it.
 */
#define PEAK_PIECE 32768	/* n is a multiple of it */
double peak_triad(double *a, const double *b, const double *c, size_t n, int64_t ns);
