/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.h - repeat an operation, and print the median of its CPU time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define ROUNDS_MAX 100000

struct rounds {
	size_t n;		/* number of rounds; 0: never ends */
	size_t pause_ms;	/* pause between two rounds */
	bool marked;		/* call mark() before and after the last round */
};

/* return the number in an option's argument; exit with status 2 if it is none or above `most` */
size_t number(const char *word, size_t most);
uint64_t cpu_ns(void);		/* return user and system time of this process */
uint32_t median(uint32_t *v, size_t n);	/* return the median; sorts the values */
void mark(const char *name); /* call write(-1, name), which is visible in a trace of system calls */
void die(const char *what) __attribute__((noreturn));	/* print what failed and errno, and exit */

/*
 * Call round(arg) once without measuring it, and then as often as r says. Prints the median of the
 * user and system CPU time of a call in ns (CLOCK_PROCESS_CPUTIME_ID).
 */
void rounds_run(const struct rounds *r, void (*round)(void *arg), void *arg);
