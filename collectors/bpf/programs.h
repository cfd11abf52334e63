/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.h - load and run the BPF programs, which are faster than reading files */
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
	/* how often a counter had decreased and was reported with its old value */
	uint64_t clamped;
	/*
	 * mask of the keys whose values differed from the files; these keys are now read from files
	 */
	uint64_t keys_off;
	char why[PROGRAM_WHY_MAX];	/* reason why the program is not used */
};

struct programs {
	struct program program[PROGRAMS];
};

/*
 * Load and attach a program, unless it is loaded already. Requires what load_forbidden() checks. On
 * failure, .why has the reason.
 */
void program_load(struct programs *p, enum program_name name);
void programs_free(struct programs *p);
/* Returns true if at least one program is loaded. */
bool programs_any(const struct programs *p);

/*
 * Run a program's iterator to its end. If full() is not NULL, it is called to empty the shared
 * memory when the memory is full; then the walk continues. Returns 0, or -errno with the reason in
 * .why.
 */
int program_walk(struct program *p, void (*full)(void *arg), void *arg) MUST_CHECK;

/* number of consecutive differences from the file after which a program or key is no longer used */
#define PROGRAM_STRIKES 3

/* Returns true if v, read between two readings of a file, is between their values. */
static inline bool program_agrees(uint64_t v, uint64_t before, uint64_t after)
{
	return before < after ? before <= v && v <= after : after <= v && v <= before;
}
