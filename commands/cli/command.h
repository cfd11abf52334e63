/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - describe the commands of the program nodometer, built in or separate programs */
#pragma once

#include "cli/exit_status.h"
#include "recorder/options.h"

/*
 * Flags for starting a separate program. The mask .takes of a command combines these flags with
 * those of the common options that the program accepts, such as CLI_ROOT.
 */
enum {
	/* pass all words unchanged, because some may be options of a program that it starts */
	COMMAND_WORDS   = 16,
	/*
	 * before the program starts, ask the agent for a sample of the jobs on the command line; no
	 * effect without COMMAND_ARCHIVE, or if the user gives --dir
	 */
	COMMAND_FRESH   = 32,
	COMMAND_ARCHIVE = 8,	/* unless the user gives --dir, pass --dir CONFIGURED-ARCHIVE */
};

/* Subject of a command, by which "nodometer --help" groups commands. */
enum command_group { GROUP_NODE, GROUP_JOBS, GROUP_RECORDINGS, GROUP_XROOTD, N_COMMAND_GROUPS };

struct command {
	enum command_group group;
	struct cli cli;			/* command line; .about is one line of "nodometer --help" */
	/*
	 * Run the command; its words start at argv[optind]. Returns the exit status, or -errno if a
	 * separate program could not be started.
	 */
	int (*run)(const struct command *c, struct options *o, int argc, char **argv);
	/* package of a separate program (programs.c), or NULL if the command is built in */
	const char *package;
	/* for an old command name: the program and option that replace it; else NULL */
	const char *program, *option;
	/* if the user gives this option of a script, no option may follow the first operand */
	const char *verbatim_after;
	unsigned takes;			/* mask of CLI_ROOT... and COMMAND_... */
};

#define COMMAND(name) extern const struct command name##_command;
#include "cli/commands.inc"
#undef COMMAND

/* Return the exit status for a result r of options_next() that is no option of the command. */
static inline int command_status(int r)
{
	return r == CLI_SHOWN ? EXIT_DONE : EXIT_USAGE;
}

/*
 * Execute nodometer-NAME with `option` unless it is NULL, the common options that `takes` allows,
 * and all other words. Returns only on failure: EXIT_USAGE after a message, or -errno if the
 * program could not be started.
 */
int command_become(const char *name, const char *option, unsigned takes, struct options *o,
		   int argc, char **argv);
