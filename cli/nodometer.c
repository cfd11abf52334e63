/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer.c - the front end: built-in commands, and programs named nodometer-COMMAND */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/command.h"
#include "base/system/program.h"
#include "base/log.h"
#include "base/nearest.h"

#define COMMAND(name) &name##_command,
static const struct command *const builtin[] = {
#include "cli/commands.inc"
};
#undef COMMAND

#define COMMON "nodometer-common"
#define TOOLS "nodometer-tools"
#define TRACE "nodometer-trace"

/* Programs of their own: they link what the front end, run by every hook, should not load. */
static const struct {
	const char *name, *package, *operands, *about;
	bool wants_dir;		/* reads the archive: learns from us where it is */
} external[] = {
	{ "cat",      TOOLS, "FILE...", "records of raw files as JSON lines or CSV", false },
	{ "check",    TOOLS, "FILE...", "validate raw files", false },
	{ "mpxstats", TRACE, "-p PORT", "XRootD summary packets as one stream of text", false },
	{ "plot",     TOOLS, "JOB", "what its nodes did over time, as a page of panels", true },
	{ "report",   TOOLS, "JOB", "what a job used, over all hosts of the archive", true },
	{ "tcp",      TRACE, "COMMAND", "TCP connections, recorded and drawn", false },
	{ "xrootd",   TRACE, "-p PORT", "what XRootD servers report of each access", false },
	{ "install-hooks", COMMON, "NAME", "what marks the jobs of a scheduler", false },
};

static void print_command(const char *name, const char *operands, const char *about)
{
	char left[40];
	snprintf(left, sizeof(left), "%s %s", name, operands);
	printf("  %-20s %s\n", left, about);
}

static void print_commands(void)
{
	puts("\nCommands; the options above stand before or after them:");
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		print_command(builtin[i]->cli.command, builtin[i]->cli.operands,
			      builtin[i]->cli.about);
	for (size_t i = 0; i < ARRAY_SIZE(external); i++)
		print_command(external[i].name, external[i].operands, external[i].about);
	print_command("help", "[COMMAND]", "the manual page of a command");
}

static const struct cli front_end = {
	.program = "nodometer", .operands = "COMMAND [ARGUMENTS]", .configured = true,
	.until_word = true, .more = print_commands, .page = "nodometer(1)",
	.about = "Statistics of this node, by job: what the agent records, and what files hold.",
};

/* As if --help were the only word after the command. */
static void show_help(const struct cli *c)
{
	static char help_option[] = "--help", name[] = "nodometer";
	const char *arg;
	optind = 0;
	cli_take(c, 2, (char *[]){ name, help_option, NULL }, &arg);
}

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

static const char *package_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(external); i++)
		if (strcmp(external[i].name, name) == 0)
			return external[i].package;
	return COMMON;
}

static bool wants_dir(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(external); i++)
		if (strcmp(external[i].name, name) == 0)
			return external[i].wants_dir;
	return false;
}

/* The commands that come with nodometer, installed here or not, and what else was meant. */
static void unknown_command(const char *name)
{
	struct nearest n = { NULL, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		nearest_try(&n, name, builtin[i]->cli.command);
	for (size_t i = 0; i < ARRAY_SIZE(external); i++)
		nearest_try(&n, name, external[i].name);
	if (n.best && n.distance == 0)
		fprintf(stderr, "nodometer: the program nodometer-%s is not installed here: it is "
			"in the package %s\n", name, package_of(name));
	else if (n.best)
		fprintf(stderr, "nodometer: unknown command \"%s\"; did you mean \"%s\"?\n", name,
			n.best);
	else
		fprintf(stderr, "nodometer: unknown command \"%s\"; \"nodometer --help\" lists the "
			"commands\n", name);
}

/* Common options are ours to understand; the program gets the rest, and the archive's folder. */
static int run_external(const char *name, struct options *o, int argc, char **argv)
{
	static char dir_option[] = "--dir", own[64];
	char **args = calloc((size_t)argc + 3, sizeof(*args));
	struct config c;
	int n = 0;

	if (!args)
		abort();
	snprintf(own, sizeof(own), "nodometer-%s", name);
	args[n++] = own;	/* what ps(1) shows */
	if (wants_dir(name))
		n += 2;
	for (int i = 1; i < argc; i++)
		if (!take_option("--config", argc, argv, &i, &o->config) &&
		    !take_option("--root", argc, argv, &i, &o->root) &&
		    !take_option("--dir", argc, argv, &i, &o->dir))
			args[n++] = argv[i];
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	if (wants_dir(name)) {
		args[1] = dir_option;
		args[2] = c.dir;
	}
	int e = program_run(name, args);
	config_free(&c);
	free(args);
	if (e == -ENOENT)
		unknown_command(name);
	else
		fprintf(stderr, "nodometer: nodometer-%s: %s\n", name, strerror(-e));
	return EXIT_USAGE;
}

/* False where there is no man(1), or not this page: nodometer may not be installed. */
static bool show_page(const char *page)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		execlp("man", "man", page, (char *)NULL);
		_exit(127);
	}
	signal(SIGINT, SIG_IGN);	/* it is the pager's */
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_help(int argc, char **argv)
{
	char page[64];
	if (argc < 2) {
		show_help(&front_end);
		return EXIT_DONE;
	}
	snprintf(page, sizeof(page), "nodometer-%s", argv[1]);
	if (show_page(page))
		return EXIT_DONE;
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		if (strcmp(argv[1], builtin[i]->cli.command) == 0)
			return show_help(&builtin[i]->cli), EXIT_DONE;
	static char help_option[] = "--help";
	program_run(argv[1], (char *[]){ argv[1], help_option, NULL });
	unknown_command(argv[1]);
	return EXIT_USAGE;
}

static int run_pmgraph(int argc, char **argv)
{
	static char program[] = "nodometer-tcp", graph[] = "graph";
	char **args = calloc((size_t)argc + 2, sizeof(*args));

	if (!args)
		abort();
	args[0] = program;
	args[1] = graph;
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	int e = program_run("tcp", args);
	if (e == -ENOENT)
		unknown_command("tcp");
	else
		fprintf(stderr, "pmgraph: nodometer-tcp: %s\n", strerror(-e));
	free(args);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options o = { NULL };
	const char *arg, *called = strrchr(argv[0], '/');

	log_open("nodometer", LOG_LEVEL_INFO);
	called = called ? called + 1 : argv[0];
	if (strcmp(called, "mpxstats") == 0)	/* as XRootD's own is */
		return run_external("mpxstats", &o, argc, argv);
	if (strcmp(called, "pmgraph") == 0)	/* of the PSC TCP kernel monitor */
		return run_pmgraph(argc, argv);
	int r = options_next(&o, &front_end, argc, argv, &arg);
	if (r != CLI_END)
		return command_status(r);
	if (optind >= argc)
		return cli_misused(&front_end, "want a command");
	argc -= optind;
	argv += optind;
	optind = 0;	/* getopt(3): the order of words is another from here on */
	if (strcmp(argv[0], "help") == 0)
		return run_help(argc, argv);
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		if (strcmp(argv[0], builtin[i]->cli.command) == 0)
			return builtin[i]->run(builtin[i], &o, argc, argv);
	return run_external(argv[0], &o, argc, argv);
}
