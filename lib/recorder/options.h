/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the options that all commands share, and the configuration they lead to */
#pragma once

#include <getopt.h>
#include "base/cli.h"
#include "base/listener.h"
#include "recorder/config.h"

/* The words of the common options; NULL where they were not given. */
struct options {
	const char *root, *config, *dir;
	const struct config_sinks *sinks;	/* the caller's, or NULL */
};

/* As cli_take(); the common options are taken in. */
int options_next(struct options *o, const struct cli *c, int argc, char **argv, const char **arg);

/*
 * Configuration files and options together: the default file and conf.d beside it, or that of
 * --config alone. 0, or -errno with a line for each error added to errors; c has what is right of
 * them, and is to be freed, in any case.
 */
int options_read(const struct options *o, struct config *c, struct buf *errors) MUST_CHECK;
void options_log(struct str errors, enum log_level level);	/* line by line */

/* All of it is right, or the errors are logged and c is not to be used: 0 or -errno. */
int options_configure(const struct options *o, struct config *c) MUST_CHECK;

/*
 * For who must go on, a scheduler's hook: what is wrong in the default file or in one that can be
 * read is logged, and has its default. 0, or -errno as above.
 */
int options_configure_anyway(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Prints the errors to stderr, or that there are none, and in which files; warnings in any case:
 * the status to exit with, 0 or 1. resolve is config_resolve(), where the program can count.
 */
int options_check(const struct options *o,
		  int (*resolve)(struct config *c, struct buf *errors));
/* The same of what was read: r is what options_read() returned. */
int options_say_checked(const struct config *c, int r, struct str errors);
