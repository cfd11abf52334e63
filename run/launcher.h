/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - what starts a program on many nodes: its ranks' places, and its command line */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define LAUNCHER_ID_MAX 100

/* The place of this process among those that a launcher started. */
struct launcher_place {
	const char *launcher;	/* "srun", or NULL: no launcher started this process */
	char id[LAUNCHER_ID_MAX];	/* the same for all of them, and no others; "": not known */
	size_t rank;
	size_t ranks_here;	/* on this node, 0: not known */
	size_t nodes;		/* 0: not known */
};

struct launcher_place launcher_place(void);

/*
 * Puts prefix before the program that a launcher's command line starts, or all of them where ":"
 * is between several: a new list, to be freed with its words left alone, until the next call. NULL:
 * the line is no launcher's, or starts no program, or *unknown, else NULL, is an option that may or
 * may not have a word after it.
 */
char **launcher_wrap(char *const *argv, char *const *prefix, const char **unknown);
