/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - the commands of the front end: built into it, or programs of their own */
#pragma once

#include "recorder/options.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_WAITS = 3 };

/* Options of all commands that a program of its own has; it is started without the others. */
enum {
	COMMAND_ROOT    = 1,
	COMMAND_CONFIG  = 2,
	COMMAND_DIR     = 4,
	COMMAND_WORDS   = 16,	/* words may be another program's: all are left as they are */
	COMMAND_ARCHIVE = 8,	/* --dir is the configured archive where nobody says another one */
};

/* The subject of a command: "nodometer --help" lists commands by it. */
enum command_group { GROUP_NODE, GROUP_JOBS, GROUP_RECORDINGS, GROUP_XROOTD, N_COMMAND_GROUPS };

struct command {
	enum command_group group;
	struct cli cli;			/* .about: one line, as "nodometer --help" shows it */
	/*
	 * Words are argv[optind] on, as getopt(3) leaves them. The exit status; or -errno: it is a
	 * program of its own, and was not started.
	 */
	int (*run)(const struct command *c, struct options *o, int argc, char **argv);
	/* Of a program of its own, see programs.c: NULL is one that is built in. */
	const char *package;
	unsigned takes;			/* options of all commands that it has: COMMAND_... */
};

#define COMMAND(name) extern const struct command name##_command;
#include "cli/commands.inc"
#undef COMMAND

/* The status to exit with after options_next() returned what is no option of the command's. */
static inline int command_status(int r)
{
	return r == CLI_SHOWN ? EXIT_DONE : EXIT_USAGE;
}

/*
 * Becomes the program nodometer-NAME, with those options of all commands that takes has, wherever
 * they stood, and with all other words. Returns on failure only: EXIT_USAGE, and said why, or
 * -errno: it was not started.
 */
int command_become(const char *name, unsigned takes, struct options *o, int argc, char **argv);
