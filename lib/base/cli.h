/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - parse the command line of a program and print its --help, both from one table */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/buf.h"

#define CLI_OK     0
#define CLI_FAILED 1	/* the work failed, or defects were found */
#define CLI_WRONG  2	/* wrong command line */

struct cli_option {
	const char *name;	/* name of the option, without "--" */
	const char *arg;	/* name of the argument, or NULL if the option has none */
	const char *help;	/* NULL: an old name, which --help omits */
	char letter;		/* letter of the short form, or '\0' */
	/*
	 * the argument may be omitted; it is taken from "--name=ARG", or from the next word unless
	 * that is an option
	 */
	bool optional;
};

/* Arguments of the options that every program has; NULL if not given. */
struct cli_common {
	const char *root, *config, *dir;
};
/* bits for --root, --config and --dir */
enum { CLI_ROOT = 1, CLI_CONFIG = 2, CLI_DIR = 4, CLI_ALL = 7 };

struct cli {
	const char *command;	/* "cat" for "nodometer cat", or NULL */
	const char *program;	/* "nodometerd" for a program that is no command, or NULL */
	const char *operands;	/* "FILE...", or "" */
	const char *about;	/* one or two sentences for --help */
	const struct cli_option *option;
	size_t n_options;
	/* set of CLI_ROOT, CLI_CONFIG and CLI_DIR: the common options that --help lists */
	unsigned common;
	/*
	 * options end at the first operand, because this operand is a command with its own options
	 */
	bool until_word;
	/* for a command without operands: what to use instead, or NULL */
	const char *instead;
	/* function that prints further text at the end of --help, or NULL */
	void (*more)(void);
	/* manual page that --help names, such as "nodometerd(8)"; NULL for the command's page */
	const char *page;
};

#define CLI_OPTIONS(table) .option = (table), .n_options = ARRAY_SIZE(table)

/* Results of cli_take() other than an index in the table of options. */
enum {
	CLI_END     = -1,	/* no more options: operands start at optind */
	CLI_SHOWN   = -2,	/* --help or --version was printed */
	CLI_MISUSED = -3,	/* an error was printed */
	/* this value or less: one of --root, --config, --dir was found; call cli_set_common() */
	CLI_COMMON  = -4,
};
/* Parse the next option. Returns its index in the table, or a result above. */
int cli_take(const struct cli *c, int argc, char **argv, const char **arg);

/* Store the argument of a common option; `result` is the result of cli_take(). */
void cli_set_common(struct cli_common *to, int result, const char *arg);
/*
 * Remove the options --root, --config and --dir from the words after argv[0], up to "--", and store
 * their arguments. Returns the number of words left, including argv[0].
 */
int cli_take_common(struct cli_common *to, int argc, char **argv);
/*
 * Store in words[0] and after the options of *from that are in the set `which`, a sum of CLI_ROOT,
 * CLI_CONFIG and CLI_DIR. Returns the number of words stored.
 */
int cli_put_common(const struct cli_common *from, unsigned which, char **words);
#define CLI_COMMON_WORDS_MAX 6	/* maximum result of cli_put_common() */

/*
 * Check that none of --root, --config and --dir in the set `which` was given. Returns CLI_OK, or
 * CLI_WRONG after a message that names the option.
 */
int cli_refuse_common(const struct cli *c, const struct cli_common *given,
		      unsigned which) MUST_CHECK;

#define CLI_NAME_MAX 32
/* Write an option as the user types it, "--name". Returns `to`. */
char *cli_put_name(char to[CLI_NAME_MAX], const struct cli_option *o);

/*
 * Parse the next option of a program that reads files. Returns its index or CLI_END. Ignores
 * --root, --config and --dir, and exits after --help or an error.
 */
int cli_next(const struct cli *c, int argc, char **argv, const char **arg);

/*
 * Check that no operands follow the options. Returns CLI_END, or CLI_MISUSED after printing a
 * message with the operand and .instead.
 */
int cli_refuse_operands(const struct cli *c, int argc, char **argv) MUST_CHECK;

/* Print --help. Returns CLI_OK, or CLI_WRONG after a message if that fails. */
int cli_help(const struct cli *c);

/* Print what is wrong with the command line, and where to find help. Returns CLI_WRONG. */
int cli_misused(const struct cli *c, const char *fmt, ...) PRINTF(2, 3);
/* Print a usage error as cli_misused() does, and exit with CLI_WRONG. */
void cli_wrong(const struct cli *c, const char *fmt, ...)
	PRINTF(2, 3) __attribute__((noreturn));

/*
 * Parse the argument of --option as an integer from least to most. Exits with a message if the
 * argument is invalid.
 */
uint64_t cli_number(const struct cli *c, const char *option, const char *arg, uint64_t least,
		    uint64_t most);

/*
 * Open the output file that an option names. An existing file is not truncated: write it with
 * files_rewrite(). Returns a descriptor, or -1 after a message.
 */
int cli_open_output(const char *path) MUST_CHECK;
/*
 * Return whether an option's value is the path of a file: neither NULL nor "-" (standard output).
 */
bool cli_is_file(const char *path);
/*
 * Write a program's complete output to a file, or to standard output if path is NULL. Reports
 * errors. Returns CLI_OK or CLI_FAILED.
 */
int cli_publish(const char *path, struct str text);
/*
 * Print to standard output with files_print(). A closed pipe is not an error. Returns CLI_OK or
 * CLI_FAILED.
 */
int cli_print(struct buf *text);
/*
 * Flush stdout at the end of a program. Reports this error or any earlier error of stdout, but
 * ignores a closed pipe. Returns CLI_OK or CLI_FAILED.
 */
int cli_flush(void);
/*
 * Return whether to print colours: standard output is a terminal, and NO_COLOR is unset or empty.
 */
bool cli_has_colour(void);
/*
 * Print a row of a help text: two blanks, `left`, and `text` from column `column` on, wrapped at 76
 * columns. If `left` is too long, `text` starts on the next line.
 */
void cli_print_row(FILE *to, int column, const char *left, const char *text);

/*
 * Parse a time in a form of base/when.h. Returns microseconds since the epoch; exits with a message
 * if the text is no time.
 */
int64_t cli_time(const struct cli *c, const char *text);
/* Exit with a message if --since is after --until. */
void cli_check_times(const struct cli *c, int64_t since, int64_t until);
/* Parse a time and set *by_clock if it is a local time, which depends on the time zone. */
int64_t cli_time_by_clock(const struct cli *c, const char *text, bool *by_clock);

/* Text of --help about the forms of a time. */
#define CLI_TIME "TIME is epoch seconds, -2h, -1month, yesterday, \"Tue 14:03\" or local\n" \
		 "\"YYYY-MM-DD HH:MM[:SS]\"."

/* Local time as "YYYY-MM-DD HH:MM:SS", or "?" if it is out of range. */
struct cli_moment {
	char s[32];
};
struct cli_moment cli_moment(int64_t usec);
