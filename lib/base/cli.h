/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - the command line of every program: a table is its parser and its --help */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

#define CLI_OK     0
#define CLI_FAILED 1	/* the work failed, or defects were found */
#define CLI_WRONG  2	/* wrong usage */

struct cli_option {
	const char *name;	/* after "--" */
	const char *arg;	/* name of the argument, NULL: no argument */
	const char *help;
	char letter;		/* short form, after "-"; '\0': none */
	bool optional;		/* the argument: the next word if that is no option, or "-" */
};

struct cli {
	const char *command;	/* "cat": users call it as "nodometer cat" */
	const char *program;	/* "nodometerd": users call it by this name; .command is NULL */
	const char *operands;	/* "FILE...", or "" */
	const char *about;	/* a sentence, or two */
	const struct cli_option *option;
	size_t n_options;
	bool configured;	/* --help shows --root, --config and --dir, which all take */
	bool until_word;	/* options end at the first word: that is a command of its own */
	void (*more)(void);	/* prints what --help has after the options; or NULL */
	const char *page;	/* "nodometerd(8)", where there is more; NULL: the command's */
};

#define CLI_OPTIONS(table) .option = (table), .n_options = ARRAY_SIZE(table)

/* Results of cli_take() that are no place of an option in the table. */
enum {
	CLI_END     = -1,	/* only operands are left, from optind on */
	CLI_SHOWN   = -2,	/* --help or --version was printed */
	CLI_MISUSED = -3,	/* the error was printed */
	CLI_ROOT    = -4,
	CLI_CONFIG  = -5,
	CLI_DIR     = -6,
};
int cli_take(const struct cli *c, int argc, char **argv, const char **arg);

/*
 * The same for readers of files: the place of the next option, or CLI_END. --root, --config and
 * --dir are taken and left; the program ends here when help was shown or the usage is wrong.
 */
int cli_next(const struct cli *c, int argc, char **argv, const char **arg);

/* As if --help were the only word. */
void cli_help(const struct cli *c);

/* Says what is wrong with the command line and where to read more; returns CLI_WRONG. */
int cli_misused(const struct cli *c, const char *fmt, ...) PRINTF(2, 3);
/* The same, and ends the program. */
void cli_wrong(const struct cli *c, const char *fmt, ...)
	PRINTF(2, 3) __attribute__((noreturn));

/* The whole number from least to most after --option; anything else ends the program. */
uint64_t cli_number(const struct cli *c, const char *option, const char *arg, uint64_t least,
		    uint64_t most);

/*
 * A program's output, whole: to the file, or to standard output if path is NULL. Says what fails.
 * CLI_OK or CLI_FAILED.
 */
int cli_publish(const char *path, struct str text);
/* To standard output, as files_print(): that its reader has gone is no error. */
int cli_print(struct buf *text);

/* A moment as base/when.h has it, in microseconds; another text ends the program. */
int64_t cli_time(const struct cli *c, const char *text);

/* The sentence of --help on such a moment. */
#define CLI_TIME "TIME is epoch seconds, -2h, -1month, yesterday, \"Tue 14:03\" or local\n" \
		 "\"YYYY-MM-DD HH:MM[:SS]\"."

/* The inverse: local "YYYY-MM-DD HH:MM:SS", or "?" where the calendar has no such time. */
struct cli_moment {
	char s[32];
};
struct cli_moment cli_moment(int64_t usec);
