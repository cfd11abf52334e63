/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - find the rank of this process, and change the command line of a launcher */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define LAUNCHER_ID_MAX 100

/* The place of this process among the ranks that a launcher started. */
struct launcher_place {
	/* name of the launcher, such as "srun", or NULL if no launcher started this process */
	const char *launcher;
	/* id that is the same for all ranks of one launch, or "" if unknown */
	char id[LAUNCHER_ID_MAX];
	size_t rank;
	size_t ranks_here;	/* number of ranks on this node, or 0 if unknown */
	size_t nodes;		/* number of nodes, or 0 if unknown */
};

struct launcher_place launcher_place(void);

/*
 * Insert prefix before the program in a launcher's command line, or before each program if there
 * are several, separated by ":". Returns a new list, which is valid until the next call and which
 * the caller frees without its words. Returns NULL if the line is not that of a launcher or starts
 * no program. Also returns NULL if it is unknown whether an option takes the next word; *unknown
 * then points to the option.
 */
char **launcher_wrap(char *const *argv, char *const *prefix, const char **unknown);
