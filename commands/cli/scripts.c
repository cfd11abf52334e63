/* SPDX-License-Identifier: BSD-3-Clause */
/* scripts.c - commands that are shell scripts: parse their options and print their --help */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "base/vec.h"

#define OPTIONS_MAX 8

/*
 * Run a script. Pass each option as a word "--name", its argument as the next word, then "--" and
 * the operands, so that the script need not parse short or abbreviated options.
 */
static int scripts_run(const struct command *c, struct options *o, int argc, char **argv)
{
	static char names[OPTIONS_MAX][CLI_NAME_MAX], end[] = "--";
	char **words = xrealloc(NULL, (2 * (size_t)argc + 1) * sizeof(*words));
	struct cli cli = c->cli;
	const char *arg;
	int n = 0, r;

	for (int i = 1; c->verbatim_after && i < argc; i++)
		cli.until_word |= strcmp(argv[i], c->verbatim_after) == 0;
	words[n++] = argv[0];
	while ((r = options_next(o, &cli, argc, argv, &arg)) >= 0) {
		words[n++] = cli_put_name(names[r], &cli.option[r]);
		if (cli.option[r].arg)
			words[n++] = (char *)arg;
	}
	words[n++] = end;
	while (optind < argc)
		words[n++] = argv[optind++];
	r = r == CLI_END ? command_become(cli.command, NULL, c->takes | COMMAND_WORDS, o, n, words)
			 : command_status(r);
	free(words);
	return r;
}

static const struct cli_option gather_options[] = {
	{ "from",     "DIR", "archive on the hosts (default /var/lib/nodometer)" },
	{ "parallel", "N",   "hosts at a time (default 8)" },
};

static void gather_end_help(void)
{
	puts("\nIf HOST is \"-\", names are read from standard input. If RSYNC_RSH is set, it\n"
	     "replaces ssh. Only new data is sent, and an interrupted copy is continued.\n\n"
	     "Exit status: 0 if all hosts were copied, 1 if one or more failed, 2 for wrong\n"
	     "usage.");
}

const struct command gather_command = {
	.run = scripts_run, .group = GROUP_JOBS, .package = "nodometer-tools",
	.takes = CLI_DIR | COMMAND_ARCHIVE,
	.cli = {
		.command = "gather", .operands = "HOST...", .common = CLI_DIR,
		.about = "copy the archives of nodes to this machine",
		CLI_OPTIONS(gather_options), .more = gather_end_help,
	},
};

static const struct cli_option install_hooks_options[] = {
	{ "apply",   NULL,   "make the changes; if one is impossible, make none" },
	{ "remove",  NULL,   "undo what --apply did" },
	{ "summary", NULL,   "slurm: also store each job's use in AdminComment, and print its "
			     "report" },
	{ "verify",  NULL,   "slurm: run a job, wait for its marks on each node, and report what "
			     "is wrong; the words after \"slurm\" are options of sbatch" },
	{ "at",      "PATH", "the scheduler's configuration file or folder, if it is not the "
			     "default" },
};

static void install_hooks_end_help(void)
{
	puts("\nNAME is one of:\n  slurm\n  pbs\n  torque\n  gridengine\n  lsf\n  htcondor\n"
	     "  flux\n\n"
	     "Exit status: 0 if all was done or printed, 1 if a step is impossible, 2 for wrong\n"
	     "usage.");
}

const struct command install_hooks_command = {
	.run = scripts_run, .group = GROUP_JOBS, .package = "nodometer-common",
	.verbatim_after = "--verify",
	.cli = {
		.command = "install-hooks", .operands = "NAME",
		.about = "show, install or remove the scheduler's prolog and epilog",
		CLI_OPTIONS(install_hooks_options), .more = install_hooks_end_help,
	},
};
