/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - the commands of the front end, built in or programs of their own */
#pragma once

#include "cli/exit_status.h"
#include "recorder/options.h"

/*
 * How to start a separate program. A command's .takes combines these flags with the common options
 * CLI_ROOT... that the program accepts.
 */
enum {
	/* leave all words unchanged, because they may belong to another program */
	COMMAND_WORDS   = 16,
	COMMAND_FRESH   = 32,	/* ask the agent first to sample the jobs that the words name */
	COMMAND_ARCHIVE = 8,	/* pass --dir with the configured archive if the user gives none */
};

/* Subject of a command, by which "nodometer --help" groups commands. */
enum command_group { GROUP_NODE, GROUP_JOBS, GROUP_RECORDINGS, GROUP_XROOTD, N_COMMAND_GROUPS };

struct command {
	enum command_group group;
	struct cli cli;			/* command line; .about is one line of "nodometer --help" */
	/*
	 * Run the command on the words from argv[optind] on. Returns the exit status, or -errno if
	 * a separate program could not be started.
	 */
	int (*run)(const struct command *c, struct options *o, int argc, char **argv);
	/* package of a separate program (programs.c), or NULL if the command is built in */
	const char *package;
	/* for an old name of a command: the program and option that it stands for; else NULL */
	const char *program, *option;
	/* option of a script; after it, every word from the first operand on is an operand */
	const char *verbatim_after;
	unsigned takes;			/* mask of CLI_ROOT... and COMMAND_... */
};

#define COMMAND(name) extern const struct command name##_command;
#include "cli/commands.inc"
#undef COMMAND

/*
 * Return the exit status if options_next() returned something other than an option of the command.
 */
static inline int command_status(int r)
{
	return r == CLI_SHOWN ? EXIT_DONE : EXIT_USAGE;
}

/*
 * Execute nodometer-NAME. Pass `option` unless it is NULL, the common options that `takes` allows,
 * wherever the user put them, and all other words. Returns only on failure: EXIT_USAGE after a
 * message, or -errno if the program could not be started.
 */
int command_become(const char *name, const char *option, unsigned takes, struct options *o,
		   int argc, char **argv);
