/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.c - commands that are programs of their own: they link what no hook should load */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "base/system/program.h"

#define COMMON "nodometer-common"
#define TOOLS "nodometer-tools"
#define TRACE "nodometer-trace"

/* Takes --NAME VALUE or --NAME=VALUE at argv[*i]. */
static bool take_option(const char *name, int argc, char **argv, int *i, const char **value)
{
	size_t n = strlen(name);
	if (strncmp(argv[*i], name, n) != 0)
		return false;
	if (argv[*i][n] == '=') {
		*value = argv[*i] + n + 1;
		return true;
	}
	if (argv[*i][n] != '\0' || *i + 1 == argc)
		return false;
	*value = argv[++*i];
	return true;
}

int command_become(const char *name, bool wants_dir, struct options *o, int argc, char **argv)
{
	static char dir_option[] = "--dir", own[64];
	char **args = calloc((size_t)argc + 3, sizeof(*args));
	struct config c;
	int n = 0;

	if (!args)
		abort();
	snprintf(own, sizeof(own), "nodometer-%s", name);
	args[n++] = own;	/* what ps(1) shows */
	if (wants_dir)
		n += 2;
	for (int i = 1; i < argc; i++)
		if (!take_option("--config", argc, argv, &i, &o->config) &&
		    !take_option("--root", argc, argv, &i, &o->root) &&
		    !take_option("--dir", argc, argv, &i, &o->dir))
			args[n++] = argv[i];
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	if (wants_dir) {
		args[1] = dir_option;
		args[2] = c.dir;
	}
	int e = program_run(name, args);
	config_free(&c);
	free(args);
	return e;
}

/* Becomes a program that takes the common options itself. */
static int run_configured(const struct command *c, struct options *o, int argc, char **argv)
{
	static char names[][9] = { "--config", "--root", "--dir" };
	const char *const values[] = { o->config, o->root, o->dir };
	char **args = calloc((size_t)argc + 2 * ARRAY_SIZE(names) + 1, sizeof(*args)), own[64];
	int n = 0;

	if (!args)
		abort();
	snprintf(own, sizeof(own), "nodometer-%s", c->cli.command);
	args[n++] = own;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (values[i]) {
			args[n++] = names[i];
			args[n++] = (char *)values[i];
		}
	for (int i = 1; i < argc; i++)
		args[n++] = argv[i];
	int e = program_run(c->cli.command, args);
	free(args);
	return e;
}

static int run(const struct command *c, struct options *o, int argc, char **argv)
{
	return command_become(c->cli.command, c->wants_dir, o, argc, argv);
}

/* What each is called, the package that has it, and whether it reads the archive. */
#define PROGRAM(id, name, in, words, text, dir) \
	const struct command id##_command = { \
		.run = run, .package = (in), .wants_dir = (dir), \
		.cli = { .command = (name), .operands = (words), .about = (text) }, \
	}
PROGRAM(cat, "cat", TOOLS, "FILE...", "print records of raw files as JSON lines or CSV", false);
PROGRAM(check, "check", TOOLS, "FILE...", "report the defects of raw files", false);
PROGRAM(convert, "convert", TOOLS, "FILE...", "make files of records into another format", false);
PROGRAM(export, "export", TOOLS, "FILE...", "print raw files as other systems import them", false);
PROGRAM(gather, "gather", TOOLS, "HOST...", "copy the archives of nodes to this machine", true);
PROGRAM(install_hooks, "install-hooks", COMMON, "NAME", "print or set how schedulers mark jobs",
	false);
PROGRAM(jobs, "jobs", TOOLS, "", "list the jobs of an archive", true);
PROGRAM(monitor, "monitor", TOOLS, "CLASS,...", "show or record as OpenVMS MONITOR does",
	false);
PROGRAM(mpxstats, "mpxstats", TRACE, "-p PORT", "print XRootD summary packets as one stream",
	false);
PROGRAM(plot, "plot", TOOLS, "JOB", "draw what a job used over time, as a page of panels", true);
PROGRAM(report, "report", TOOLS, "JOB", "report what a job used, on all its nodes", true);
PROGRAM(tcp, "tcp", TRACE, "COMMAND", "record or draw what TCP connections do", false);
const struct command top_command = {
	.run = run_configured, .package = TOOLS,
	.cli = { .command = "top", .operands = "",
		 .about = "show this node, its jobs and its devices, live" },
};
PROGRAM(trace, "trace", TRACE, "--shadow DIR", "record operations on a directory's files",
	false);
PROGRAM(xrootd, "xrootd", TRACE, "-p PORT", "print each access to a file of XRootD servers", false);
