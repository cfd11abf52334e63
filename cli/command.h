/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - the commands that are built into the front end */
#pragma once

#include "recorder/options.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_WAITS = 3 };

struct command {
	struct cli cli;			/* .about: one line, as "nodometer --help" shows it */
	/* Words are argv[optind] on, as getopt(3) leaves them; returns the exit status. */
	int (*run)(const struct command *c, struct options *o, int argc, char **argv);
};

#define COMMAND(name) extern const struct command name##_command;
#include "cli/commands.inc"
#undef COMMAND

/* The status to exit with after options_next() returned what is no option of the command's. */
static inline int command_status(int r)
{
	return r == CLI_SHOWN ? EXIT_DONE : EXIT_USAGE;
}
