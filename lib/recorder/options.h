/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - parse the options common to all commands and read the configuration */
#pragma once

#include <getopt.h>
#include "base/cli.h"
#include "base/listener.h"
#include "recorder/config.h"

struct options {
	struct cli_common given;
	const struct config_sinks *sinks;	/* set by the caller; may be NULL */
};

/* Get the next option like cli_take(), handling the common options here. */
int options_next(struct options *o, const struct cli *c, int argc, char **argv, const char **arg);

/*
 * Read the configuration and apply the options: the default file with conf.d beside it, or only the
 * file of --config. Returns 0, or -errno with a line per error appended to errors. c has all
 * correct settings and must be freed in any case.
 */
int options_read(const struct options *o, struct config *c, struct buf *errors) MUST_CHECK;
void options_log(struct str errors, enum log_level level);	/* one message per line */

/*
 * Read the configuration. Returns 0, or logs the errors and returns -errno; c must then not be
 * used.
 */
int options_configure(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Read the configuration for a scheduler's hook, which must go on: errors in the default file, or
 * in a file that can be read, are logged and the keys keep their defaults. Returns 0, or -errno
 * like options_configure().
 */
int options_configure_anyway(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Print the errors to stderr, or the names of the files if there are none; print warnings in any
 * case. Returns the exit status, 0 or 1. resolve is config_resolve() if the program can count
 * events.
 */
int options_check(const struct options *o,
		  int (*resolve)(struct config *c, struct buf *errors));
/* Do the same after options_read(), which returned r. */
int options_say_checked(const struct config *c, int r, struct str errors);
