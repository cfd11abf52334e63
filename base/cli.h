/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - the command line of a reader's program: a table is its parser and its --help */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define CLI_OK     0
#define CLI_FAILED 1	/* it failed, or defects were found */
#define CLI_WRONG  2	/* wrong usage */

struct cli_option {
	const char *name;	/* behind "--" */
	const char *arg;	/* what its argument is called, NULL: it takes none */
	const char *help;
	char letter;		/* it is also called by, behind "-"; '\0': none */
};

struct cli {
	const char *command;	/* "cat": users call it as "nodometer cat" */
	const char *operands;	/* "FILE..." */
	const char *about;	/* one sentence */
	const struct cli_option *option;
	size_t n_options;
};

/*
 * The place of the next option in the table, and its argument, or -1 when only operands are left
 * from optind on. --help, --version and the options that every command takes are dealt with; what
 * is wrong is said, and the program ends, here.
 */
int cli_next(const struct cli *c, int argc, char **argv, const char **arg);

/* Ends the program: says what is wrong with the command line and where to read more. */
void cli_wrong(const struct cli *c, const char *fmt, ...)
	PRINTF(2, 3) __attribute__((noreturn));

/* Epoch seconds[.fraction] or local "YYYY-MM-DD[ T]HH:MM[:SS]", as microseconds. 0 or -EINVAL. */
int cli_time(const char *text, int64_t *usec) MUST_CHECK;
