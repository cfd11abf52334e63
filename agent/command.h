/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - the commands that are built into the front end */
#pragma once

#include "agent/options.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct command {
	const char *name;
	const char *arguments;		/* as the usage line shows them */
	const char *summary;
	const struct option_help *table;
	size_t n_table;
	/* Words are argv[optind] on, as getopt(3) leaves them; returns the exit status. */
	int (*run)(const struct command *c, struct options *o, int argc, char **argv);
};

#define OPTIONS(t) .table = (t), .n_table = ARRAY_SIZE(t)

extern const struct command begin_command, end_command, mark_command, collect_command;
extern const struct command counters_command, rotate_command, status_command, types_command;
extern const struct command schema_command;

enum { OPTION_JSON = 1 };	/* what --json is in the tables of commands that have it */

/*
 * For commands that take no words and have no option of their own but --json: -1 and the
 * configuration, which the caller frees, or the status to exit with.
 */
int command_configure(const struct command *c, struct options *o, int argc, char **argv,
		      struct config *config, bool *json);

/*
 * What every run() does with an option that is not its own: help, version, errors. The status to
 * exit with.
 */
int command_other_option(const struct command *c, int id);
int command_usage(const struct command *c, const char *what);	/* wrong words: EXIT_USAGE */
