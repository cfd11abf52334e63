/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.h - BPF programs that read the values of a type without its files */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

enum program_name { NO_PROGRAM, PROGRAM_JOB, PROGRAM_PROC, PROGRAMS };

#define PROGRAM_WHY_MAX 160

/* All zero is a valid program that is not loaded. */
struct program {
	void *shared;		/* memory shared with the program; NULL: not loaded, see .why */
	size_t size;
	int link;		/* descriptor of the iterator's link */
	/* number of times that a counter decreased and its old value was kept */
	uint64_t clamped;
	/* mask of the keys that differed from the file, and are now read from the file */
	uint64_t keys_off;
	char why[PROGRAM_WHY_MAX];	/* reason why the files are read instead, as a sentence */
};

struct programs {
	struct program program[PROGRAMS];
};

/*
 * Load and attach a program. This needs BTF of the kernel, CAP_BPF and CAP_PERFMON, and the
 * verifier's approval. On failure, .why says what is missing.
 */
void program_load(struct programs *p, enum program_name name);
void programs_free(struct programs *p);
/* Returns true if at least one program is loaded. */
bool programs_any(const struct programs *p);

/*
 * Run an iterator to its end. If the shared memory fills up before the end, full() is called to
 * empty it and the walk continues; full may be NULL. Returns 0, or -errno with the reason in .why.
 */
int program_walk(struct program *p, void (*full)(void *arg), void *arg) MUST_CHECK;

/*
 * number of consecutive differences from the file after which the program, or its key that
 * differed, is no longer used
 */
#define PROGRAM_STRIKES 3

/* Returns true if a counter may have had the value v between two readings of a file. */
static inline bool program_agrees(uint64_t v, uint64_t before, uint64_t after)
{
	return before < after ? before <= v && v <= after : after <= v && v <= before;
}
