/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - find the rank of this process, and change the command line of a launcher */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define LAUNCHER_ID_MAX 100

/* The rank of this process, and the launch to which the rank belongs. */
struct launcher_place {
	/* name of the launcher, such as "srun", or NULL if no launcher started this process */
	const char *launcher;
	/* id of the launch, the same for all its ranks; "" if unknown */
	char id[LAUNCHER_ID_MAX];
	size_t rank;		/* undefined if .launcher is NULL */
	size_t ranks_here;	/* number of ranks on this node, or 0 if unknown */
	size_t nodes;		/* number of nodes, or 0 if unknown */
};

struct launcher_place launcher_place(void);

/*
 * Insert prefix before each program in a launcher's command line; programs are separated by ":".
 * Returns a new list, valid until the next call; the caller frees the list, but not its words.
 * Returns NULL if this is no launcher, if it is ssh without a command, or if it has an option that
 * may or may not take a value; *unknown then points to the option, and is NULL in all other cases.
 * If a launcher other than ssh starts no program, the list is an unchanged copy.
 */
char **launcher_wrap(char *const *argv, char *const *prefix, const char **unknown);
