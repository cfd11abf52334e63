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

/* Get the next option as cli_take() does. Handle the common options without returning them. */
int options_next(struct options *o, const struct cli *c, int argc, char **argv, const char **arg);

/*
 * Read the configuration and apply the options. Without --config, read the default file and the
 * folder conf.d next to it; with --config, read only that file. Returns 0, or -errno with a line
 * per error appended to errors. c has all correct settings and must be freed in any case.
 */
int options_read(const struct options *o, struct config *c, struct buf *errors) MUST_CHECK;
/* Log each line of `errors` as a message. */
void options_log(struct str errors, enum log_level level);

/*
 * Read the configuration. Returns 0, or logs the errors and returns -errno; c must then not be
 * used.
 */
int options_configure(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Read the configuration for a scheduler's hook, which must go on in spite of errors. Errors in a
 * file that can be read, or in the default file, are logged, and the wrong keys keep their
 * defaults. Returns 0, or -errno as options_configure() does.
 */
int options_configure_anyway(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Print the errors in the configuration to stderr or, if there are none, the names of its files;
 * print warnings in any case. Returns the exit status, 0 or 1. resolve is config_resolve() if the
 * program can count events.
 */
int options_check(const struct options *o,
		  int (*resolve)(struct config *c, struct buf *errors));
/* Do the same as options_check(), given the return value r of options_read(). */
int options_say_checked(const struct config *c, int r, struct str errors);
