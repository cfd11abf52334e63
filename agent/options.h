/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the options that all commands share, and the configuration they lead to */
#pragma once

#include <getopt.h>
#include "agent/config.h"

/* One option; .has_arg is told by .arg, the name its help shows, NULL for a switch. */
struct option_help {
	const char *name;
	const char *arg;
	const char *help;
	int id;			/* what options_next() returns */
};

enum { OPTION_ROOT = 1000, OPTION_CONFIG, OPTION_DIR, OPTION_HELP, OPTION_VERSION };
#define OPTIONS_COMMON \
	{ "root",    "DIR",  "what collectors see as / (default /)",  OPTION_ROOT    }, \
	{ "config",  "FILE", "configuration, not the default one",    OPTION_CONFIG  }, \
	{ "dir",     "DIR",  "archive, not the configured one",       OPTION_DIR     }, \
	{ "help",    NULL,   "show this text and leave",              OPTION_HELP    }, \
	{ "version", NULL,   "show the version and leave",            OPTION_VERSION }

#define OPTIONS_MAX 24

/* What the common options said; NULL where they did not. */
struct options {
	const char *root, *config, *dir;
};

/*
 * The next option's id, -1 when there are no more (words follow from optind on), '?' for one that
 * is wrong: getopt_long(3) has said so. Common options are taken in; help and version are returned.
 */
int options_next(struct options *o, int argc, char **argv, const struct option_help *table,
		 size_t n);

void options_print(const struct option_help *table, size_t n);	/* for --help, to stdout */

/* Configuration file and options together. 0, or -errno with a message logged. */
int options_configure(const struct options *o, struct config *c) MUST_CHECK;
