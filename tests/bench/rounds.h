/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.h - does something again and again and gives the median of its CPU time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define ROUNDS_MAX 100000

/* Rounds of a measurement. */
struct rounds {
	size_t n;		/* 0: never ends */
	size_t pause_ms;	/* between two rounds */
	bool marked;		/* mark() stands before and after the last round */
};

size_t number(const char *word, size_t most);	/* an option's argument, or exit(2) */
uint64_t cpu_ns(void);		/* user and system time of this process */
uint32_t median(uint32_t *v, size_t n);	/* sorts them */
void mark(const char *name);	/* write(-1, name), visible in a trace of system calls */
void die(const char *what) __attribute__((noreturn));	/* with errno's text */

/* Prints the median in ns of user and system CPU time, CLOCK_PROCESS_CPUTIME_ID. */
void rounds_run(const struct rounds *r, void (*round)(void *arg), void *arg);
