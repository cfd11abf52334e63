/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.c - runs one thing many times and tells the median of what it cost */
#include "tests/bench/rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

#define ROUNDS_MAX 100000

static uint32_t ns[ROUNDS_MAX];

void bench_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void usage(const struct bench *b)
{
	fprintf(stderr, "options: -n ROUNDS -i MS -o FILE -b BYTES; %s\n", b->usage);
	exit(2);
}

static size_t number(const struct bench *b, const char *word, uint64_t most)
{
	struct str in = str_of(word);
	uint64_t v;
	if (!str_take_u64(&in, &v) || in.n || v > most)
		usage(b);
	return v;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

int bench_run(const struct bench *b, int argc, char **argv)
{
	size_t rounds = 1000, ms = 0, bytes = 0;
	const char *file = NULL;
	int c, out = -1;

	while ((c = getopt(argc, argv, "n:i:b:o:")) >= 0) {
		switch (c) {
		case 'n': rounds = number(b, optarg, ROUNDS_MAX); break;
		case 'i': ms = number(b, optarg, 86400000);       break;
		case 'b': bytes = number(b, optarg, 1 << 20);     break;
		case 'o': file = optarg;                          break;
		default:  usage(b);
		}
	}
	if (file && (out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600)) < 0)
		bench_die(file);
	b->begin((size_t)(argc - optind), argv + optind);
	b->round(out, bytes);	/* what only the first one pays */

	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000 * 1000000) };
	memset(ns, 1, rounds * sizeof(*ns));	/* touched before it counts */
	for (size_t i = 0; rounds == 0 || i < rounds; i++) {
		if (ms)
			nanosleep(&pause, NULL);
		uint64_t start = cpu_ns();
		b->round(out, bytes);
		ns[i % ROUNDS_MAX] = (uint32_t)(cpu_ns() - start);
	}
	qsort(ns, rounds, sizeof(*ns), by_value);
	printf("%u\n", ns[rounds / 2]);
	return 0;
}
