/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - parse the options common to all commands and read the configuration */
#pragma once

#include <getopt.h>
#include "base/cli.h"
#include "base/listener.h"
#include "recorder/config.h"

struct options {
	struct cli_common given;
	const struct config_sinks *sinks;	/* handlers for sections [sink NAME]; may be NULL */
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
 * Read the configuration for a scheduler's hook, which must not fail because of a wrong key. Errors
 * are logged, and wrong keys keep their defaults. Returns 0, or -errno if the file given by
 * --config cannot be read, or --root or --dir is too long; c must then not be used.
 */
int options_configure_anyway(const struct options *o, struct config *c) MUST_CHECK;

/*
 * Print the warnings and errors in the configuration to stderr. If there are no errors, print the
 * names of its files. `resolve` is config_resolve() in programs that read hardware counters, or
 * NULL. Returns the exit status, 0 or 1.
 */
int options_check(const struct options *o,
		  int (*resolve)(struct config *c, struct buf *errors));
/* Like options_check(), for a configuration that options_read() has read. r is its result. */
int options_say_checked(const struct config *c, int r, struct str errors);
