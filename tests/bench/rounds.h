/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.h - runs one thing many times and tells the median of what it cost */
#pragma once

#include <stddef.h>

struct bench {
	const char *usage;	/* what the words after the options mean, and what a round does */
	void (*begin)(size_t n, char *const words[]);
	void (*round)(int out, size_t bytes);	/* out is -1 where nothing is to be written */
};

/*
 * Options -n ROUNDS (0: never ends), -i MS between rounds, -o FILE to append to, -b BYTES. Prints
 * the median of the rounds' CPU time (CLOCK_PROCESS_CPUTIME_ID, user and system) in ns. Returns
 * the exit status.
 */
int bench_run(const struct bench *b, int argc, char **argv);

void bench_die(const char *what) __attribute__((noreturn));	/* with the text of errno */
