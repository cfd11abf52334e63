/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.c - repeat an operation, and print the median of its CPU time */
#include "tests/bench/rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/str.h"

static uint32_t ns[ROUNDS_MAX];

uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

void mark(const char *name)
{
	if (write(-1, name, strlen(name)) >= 0)
		die("write");
}

size_t number(const char *word, size_t most)
{
	struct str in = str_of(word);
	uint64_t v;
	if (!str_take_u64(&in, &v) || in.n || v > most) {
		fprintf(stderr, "%s: want a number of at most %zu\n", word, most);
		exit(2);
	}
	return v;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

uint32_t median(uint32_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

void rounds_run(const struct rounds *r, void (*round)(void *arg), void *arg)
{
	struct timespec pause = { (time_t)(r->pause_ms / 1000),
				  (long)(r->pause_ms % 1000 * 1000000) };

	/* write to the pages now, so that no page fault is measured */
	memset(ns, 1, sizeof(ns));
	round(arg);
	uint64_t start = cpu_ns();
	for (size_t i = 0; r->n == 0 || i < r->n; i++) {
		if (r->pause_ms) {
			nanosleep(&pause, NULL);
			start = cpu_ns();
		}
		round(arg);
		uint64_t end = cpu_ns();
		ns[i % ROUNDS_MAX] = (uint32_t)(end - start);
		start = end;
	}
	if (r->marked) {
		mark("round");
		round(arg);
		mark("");
	}
	printf("%u\n", median(ns, r->n));
}
