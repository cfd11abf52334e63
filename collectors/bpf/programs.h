/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.h - programs in the kernel that read for a type what its files show */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

enum program_name { NO_PROGRAM, PROGRAM_JOB, PROGRAM_PROC, PROGRAMS };

#define PROGRAM_WHY_MAX 160

/* All zero is one that was not loaded. */
struct program {
	void *shared;		/* memory that program and collector share; NULL: see .why */
	size_t size;
	int link;		/* the iterator's */
	uint64_t clamped;	/* values that went back and were held */
	uint64_t keys_off;	/* keys that differed from the file and are read from it again */
	char why[PROGRAM_WHY_MAX];	/* the type is read from files, as a sentence */
};

struct programs {
	struct program program[PROGRAMS];
};

/*
 * Loads one and attaches it, where the kernel has BTF, this process has CAP_BPF and CAP_PERFMON,
 * and the verifier takes it; else .why says what was missing.
 */
void program_load(struct programs *p, enum program_name name);
void programs_free(struct programs *p);
/* Whether one was loaded. */
bool programs_any(const struct programs *p);

/*
 * Runs an iterator to its end. Where the memory is full before, full() empties it, and the walk
 * goes on; or full is NULL. 0, or -errno, which .why says from then on.
 */
int program_walk(struct program *p, void (*full)(void *arg), void *arg) MUST_CHECK;

/* So often in turn a program may differ from the file that judges it. */
#define PROGRAM_STRIKES 3

/* Whether the file, read before and after the program, may have had this value in between. */
static inline bool program_agrees(uint64_t v, uint64_t before, uint64_t after)
{
	return before < after ? before <= v && v <= after : after <= v && v <= before;
}
