/* SPDX-License-Identifier: BSD-3-Clause */
/* peak_loops.c - loops that keep a CPU, or its memory bandwidth, fully busy */
#include "cli/peak_loops.h"

#include "base/clock.h"
#ifdef __x86_64__
#include <emmintrin.h>
#define TARGET(names) __attribute__((target(names)))
#endif

/*
 * number of independent sums, so that an addition need not wait for the previous addition: more
 * than the latency of an addition in cycles, but few enough to stay in registers
 */
#define SUMS   12
#define ROUNDS 20000L	/* rounds after which the clock is read again; they take about 100 us */

static volatile double sink;	/* keeps compilers from removing the loops */

typedef double v16 __attribute__((vector_size(16)));
typedef double v32 __attribute__((vector_size(32)));
typedef double v64 __attribute__((vector_size(64)));

/* Define the loop for one vector width. Its sums stay near 1. */
#define LOOP(name, vector, attributes) \
	attributes static void name(void) \
	{ \
		const vector by = (vector){ 0 } + .999, more = (vector){ 0 } + .001; \
		vector x[SUMS]; \
		for (int i = 0; i < SUMS; i++) \
			x[i] = (vector){ 0 } + i; \
		for (long n = 0; n < ROUNDS; n++) { \
			_Pragma("GCC unroll 12") \
			for (int i = 0; i < SUMS; i++) \
				x[i] = x[i] * by + more; \
		} \
		for (int i = 0; i < SUMS; i++) \
			sink = x[i][0]; \
	}

LOOP(loop_16, v16, )
#ifdef __x86_64__
LOOP(loop_avx, v32, TARGET("avx"))
LOOP(loop_fma, v32, TARGET("avx2,fma"))
LOOP(loop_512, v64, TARGET("avx512f"))
#endif

struct loop {
	const char *vectors;
	size_t bytes;
	void (*run)(void);
};

static struct loop widest(void)
{
#ifdef __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		return (struct loop){ "AVX-512", sizeof(v64), loop_512 };
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return (struct loop){ "AVX2 with FMA", sizeof(v32), loop_fma };
	if (__builtin_cpu_supports("avx"))
		return (struct loop){ "AVX", sizeof(v32), loop_avx };
#endif
	return (struct loop){ "128 bits", sizeof(v16), loop_16 };
}

const char *peak_vectors(void)
{
	return widest().vectors;
}

double peak_flops(int64_t ns)
{
	const struct loop loop = widest();
	int64_t start = monotonic_ns(), now;
	double n = 0;

	do {
		loop.run();
		n += 2. * SUMS * ROUNDS * (double)(loop.bytes / sizeof(double));
		now = monotonic_ns();
	} while (now - start < ns);
	return n / ((double)(now - start) / 1e9);
}

static void triad(double *a, const double *b, const double *c)
{
#ifdef __x86_64__
	const __m128d by = _mm_set1_pd(3);
	for (size_t i = 0; i < PEAK_PIECE; i += 2)
		_mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i),
						_mm_mul_pd(by, _mm_load_pd(c + i))));
#else
	for (size_t i = 0; i < PEAK_PIECE; i++)
		a[i] = b[i] + 3 * c[i];
#endif
	sink = a[0];
}

double peak_triad(double *a, const double *b, const double *c, size_t n, int64_t ns)
{
	int64_t start = monotonic_ns(), now;
	double bytes = 0;
	size_t at = 0;

	do {
		triad(a + at, b + at, c + at);
		bytes += 3. * PEAK_PIECE * sizeof(double);
		at += PEAK_PIECE;
		at = at == n ? 0 : at;
		now = monotonic_ns();
	} while (now - start < ns);
	return bytes / ((double)(now - start) / 1e9);
}
