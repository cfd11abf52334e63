/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.c - commands that are separate programs, to keep their libraries out of hooks */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/control.h"
#include "cli/command.h"
#include "base/system/program.h"
#include "base/vec.h"

/* ms to wait for the agent's sample; after that, a report uses older records */
#define FRESH_MS        1000
#define FRESH_WORDS_MAX 16

#define COMMON "nodometer-common"
#define TOOLS "nodometer-tools"
#define TRACE "nodometer-trace"

/*
 * Ask the agent for a sample of each running job on the command line, so that reports are up to
 * date. The agent ignores words that are no job of this node.
 */
static void programs_ask_agent(const struct config *c, int n, char **words)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int e = 0;

	for (int i = 1, n_queried = 0; i < n && n_queried < FRESH_WORDS_MAX; i++) {
		if (words[i][0] == '-')
			continue;
		e = control_ask(c->runtime_dir, CONTROL_FRESH, str_of(words[i]), FRESH_MS, &reply);
		if (e < 0 && e != -EREMOTEIO)
			return;
		n_queried++;
	}
}

int command_become(const char *name, const char *option, unsigned takes, struct options *o,
		   int argc, char **argv)
{
	/* users' scripts give --config before any command, so all commands accept it */
	const unsigned without_effect = CLI_ALL & ~CLI_CONFIG & ~takes;
	const struct cli cli = { .command = name };
	static char own[64];
	struct config c = { 0 };
	int n = 0, words = takes & COMMAND_WORDS ? argc :
			   cli_take_common(&o->given, argc, argv);

	if (cli_refuse_common(&cli, &o->given, without_effect) != CLI_OK)
		return EXIT_USAGE;
	char **args = xrealloc(NULL, ((size_t)argc + CLI_COMMON_WORDS_MAX + 2) * sizeof(*args));
	if (takes & COMMAND_ARCHIVE && !o->given.dir) {
		if (options_configure(o, &c) < 0)
			return EXIT_USAGE;
		o->given.dir = c.dir;
		if (takes & COMMAND_FRESH)
			programs_ask_agent(&c, words, argv);
	}
	snprintf(own, sizeof(own), "nodometer-%s", name);
	args[n++] = own;	/* set the name that ps(1) shows */
	n += cli_put_common(&o->given, takes, args + n);
	if (option)
		args[n++] = (char *)option;
	for (int i = 1; i < words; i++)
		args[n++] = argv[i];
	args[n] = NULL;
	int e = program_run(name, args);
	config_free(&c);
	free(args);
	return e;
}

static int programs_run_command(const struct command *c, struct options *o, int argc, char **argv)
{
	const char *name = c->program ? c->program : c->cli.command;
	return command_become(name, c->option, c->takes, o, argc, argv);
}

/* Define a command by its name, group, package and the common options that it accepts. */
#define PROGRAM(id, name, of, in, words, text, options) \
	const struct command id##_command = { \
		.run = programs_run_command, .group = GROUP_##of, \
		.package = (in), .takes = (options), \
		.cli = { .command = (name), .operands = (words), .about = (text) }, \
	}
/* Define an old command name. It runs a program with an option, and --help does not list it. */
#define OLD_NAME(id, name, in, of, word, options) \
	const struct command id##_command = { \
		.run = programs_run_command, .package = (in), .takes = (options), \
		.program = (of), .option = (word), .cli = { .command = (name) }, \
	}
#define NONE 0
#define DIR CLI_DIR
#define ARCHIVE (CLI_DIR | COMMAND_ARCHIVE)
#define ALL CLI_ALL
PROGRAM(cat, "cat", RECORDINGS, TOOLS, "[FILE...]",
	"print records as JSON lines or CSV, or convert them", DIR);
PROGRAM(check, "check", RECORDINGS, TOOLS, "FILE...", "report the defects of raw files", NONE);
PROGRAM(compare, "compare", JOBS, TOOLS, "JOB JOB", "compare two runs, or two sets of runs",
	ARCHIVE);
OLD_NAME(convert, "convert", TOOLS, "cat", "--exact", DIR);
OLD_NAME(export, "export", TOOLS, "cat", "--monotonic", DIR);
PROGRAM(fleet, "fleet", JOBS, TOOLS, "", "list nodes of a central archive that need attention",
	ARCHIVE);
PROGRAM(jobs, "jobs", JOBS, TOOLS, "",
	"list jobs: states, efficiency, those that wasted most", ARCHIVE);
PROGRAM(monitor, "monitor", RECORDINGS, TOOLS, "CLASS,...",
	"show or record classes of OpenVMS MONITOR", NONE);
PROGRAM(mpxstats, "mpxstats", XROOTD, TRACE, "-p PORT",
	"print XRootD summary packets as one stream", NONE);
PROGRAM(nodes, "nodes", JOBS, TOOLS, "--slow",
		"list nodes slower than their peers in the same jobs",
	ARCHIVE);
PROGRAM(plot, "plot", JOBS, TOOLS, "JOB",
	"draw charts of a job's use of resources over time", ARCHIVE | COMMAND_FRESH);
PROGRAM(report, "report", JOBS, TOOLS, "[JOB]",
	"report what a job used, or what this node did today", ARCHIVE | COMMAND_FRESH);
PROGRAM(run, "run", JOBS, TOOLS, "COMMAND...",
	"run a command and report what it used; needs no root", CLI_DIR | COMMAND_WORDS);
OLD_NAME(schema, "schema", COMMON, "types", "--schema", ALL);
PROGRAM(site, "site", JOBS, TOOLS, "", "write HTML pages about runs, users, nodes and weeks",
	ARCHIVE);
PROGRAM(tcp, "tcp", RECORDINGS, TRACE, "COMMAND",
		"record TCP connections and diagnose what limits them", NONE);
PROGRAM(top, "top", NODE, COMMON, "",
		"show live values of this node, jobs and devices", ALL);
PROGRAM(trace, "trace", RECORDINGS, TRACE, "--shadow DIR",
	"record operations on a directory's files", NONE);
PROGRAM(types, "types", NODE, COMMON, "[TYPE...]",
	"types of this node, with devices; why others are absent; keys", ALL);
PROGRAM(xrootd, "xrootd", XROOTD, TRACE, "-p PORT",
	"print each access to a file of XRootD servers", NONE);
