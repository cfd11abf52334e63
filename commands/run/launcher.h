/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - find the rank of this process, and change the command line of a launcher */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define LAUNCHER_ID_MAX 100

/* The place of this process among the ranks that a launcher started. */
struct launcher_place {
	const char *launcher;	/* such as "srun", or NULL if no launcher started this process */
	/* name that all ranks of one launch share, or "" if unknown */
	char id[LAUNCHER_ID_MAX];
	size_t rank;
	size_t ranks_here;	/* number of ranks on this node, or 0 if unknown */
	size_t nodes;		/* number of nodes, or 0 if unknown */
};

struct launcher_place launcher_place(void);

/*
 * Put prefix before the program in a launcher's command line, or before each program if ":"
 * separates several. Returns a new list, which the caller frees without its words, valid until the
 * next call; or NULL if the line is no launcher's or starts no program, or if *unknown is an option
 * of which it is not known whether a word belongs to it.
 */
char **launcher_wrap(char *const *argv, char *const *prefix, const char **unknown);
