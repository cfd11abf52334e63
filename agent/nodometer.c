/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer.c - the front end: built-in commands, and programs named nodometer-COMMAND */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/command.h"
#include "base/program.h"
#include "base/log.h"

static const struct command *const builtin[] = {
	&begin_command, &end_command, &mark_command, &collect_command, &counters_command,
	&rotate_command, &status_command, &types_command, &schema_command,
};

/* Programs of their own: they link what the front end, run by every hook, should not load. */
static const struct {
	const char *name, *arguments, *summary;
	bool wants_dir;		/* reads the archive: learns from us where it is */
} external[] = {
	{ "cat",      "FILE...", "records of raw files as JSON lines or CSV",      false },
	{ "check",    "FILE...", "validate raw files",                             false },
	{ "mpxstats", "-p PORT", "XRootD summary packets as one stream of text",   false },
	{ "plot",     "JOB",     "what its nodes did over time, as a page of panels", true  },
	{ "report",   "JOB",     "what a job used, over all hosts of the archive", true  },
	{ "xrootd",   "-p PORT", "what XRootD servers tell of each access to a file", false },
	{ "install-hooks", "NAME", "what marks the jobs of a scheduler",           false },
};

static const struct option_help common[] = { OPTIONS_COMMON };

int command_usage(const struct command *c, const char *what)
{
	fprintf(stderr, "nodometer %s: %s\nusage: nodometer %s [OPTIONS]%s%s\n"
		"Try \"nodometer %s --help\".\n", c->name, what, c->name,
		*c->arguments ? " " : "", c->arguments, c->name);
	return EXIT_USAGE;
}

int command_other_option(const struct command *c, int id)
{
	if (id == OPTION_VERSION) {
		puts("nodometer " PACKAGE_VERSION);
		return EXIT_DONE;
	}
	if (id != OPTION_HELP) {
		fprintf(stderr, "Try \"nodometer %s --help\".\n", c->name);
		return EXIT_USAGE;
	}
	printf("usage: nodometer %s [OPTIONS]%s%s\n\n%s\n\n", c->name,
	       *c->arguments ? " " : "", c->arguments, c->summary);
	options_print(c->table, c->n_table);
	printf("\nMore in nodometer-%s(1).\n", c->name);
	return EXIT_DONE;
}

int command_configure(const struct command *c, struct options *o, int argc, char **argv,
		      struct config *config, bool *json)
{
	int id;
	*json = false;
	while ((id = options_next(o, argc, argv, c->table, c->n_table)) != -1) {
		if (id != OPTION_JSON)
			return command_other_option(c, id);
		*json = true;
	}
	if (optind != argc)
		return command_usage(c, "takes no words");
	return options_configure(o, config) < 0 ? EXIT_USAGE : -1;
}

static void print_help(FILE *to)
{
	fputs("usage: nodometer [OPTIONS] COMMAND [ARGUMENTS]\n\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++) {
		char left[40];
		snprintf(left, sizeof(left), "%s %s", builtin[i]->name, builtin[i]->arguments);
		fprintf(to, "  %-19s %s\n", left, builtin[i]->summary);
	}
	for (size_t i = 0; i < ARRAY_SIZE(external); i++) {
		char left[40];
		snprintf(left, sizeof(left), "%s %s", external[i].name, external[i].arguments);
		fprintf(to, "  %-19s %s\n", left, external[i].summary);
	}
	fputs("  help [COMMAND]      the manual page of a command\n\n"
	      "Options before or behind the command:\n", to);
	fflush(to);
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

static bool wants_dir(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(external); i++)
		if (strcmp(external[i].name, name) == 0)
			return external[i].wants_dir;
	return false;
}

/* Common options are ours to understand; the program gets the rest, and the archive's folder. */
static int run_external(const char *name, struct options *o, int argc, char **argv)
{
	static char dir_option[] = "--dir";
	char **args = calloc((size_t)argc + 3, sizeof(*args));
	struct config c;
	int n = 0;

	if (!args)
		abort();
	args[n++] = argv[0];
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
		fprintf(stderr, "nodometer: unknown command \"%s\", or its program nodometer-%s is "
			"not installed; \"nodometer --help\" lists the commands\n", name, name);
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
		print_help(stdout);
		options_print(common, ARRAY_SIZE(common));
		return EXIT_DONE;
	}
	snprintf(page, sizeof(page), "nodometer-%s", argv[1]);
	if (show_page(page))
		return EXIT_DONE;
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		if (strcmp(argv[1], builtin[i]->name) == 0)
			return command_other_option(builtin[i], OPTION_HELP);
	static char help_option[] = "--help";
	program_run(argv[1], (char *[]){ argv[1], help_option, NULL });
	fprintf(stderr, "nodometer: no command \"%s\"\n", argv[1]);
	return EXIT_USAGE;
}

/* Options in front of the command; optind is left at the command. */
static int take_leading(struct options *o, int argc, char **argv)
{
	for (optind = 1; optind < argc && argv[optind][0] == '-'; optind++) {
		int at = optind;
		if (strcmp(argv[at], "--help") == 0)
			return run_help(0, NULL);
		if (strcmp(argv[at], "--version") == 0) {
			puts("nodometer " PACKAGE_VERSION);
			return EXIT_DONE;
		}
		if (!take_option("--config", argc, argv, &optind, &o->config) &&
		    !take_option("--root", argc, argv, &optind, &o->root) &&
		    !take_option("--dir", argc, argv, &optind, &o->dir)) {
			fprintf(stderr, "nodometer: unknown option %s\n", argv[at]);
			return EXIT_USAGE;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct options o = { NULL };

	log_open("nodometer", LOG_LEVEL_INFO);
	int r = take_leading(&o, argc, argv);
	if (r >= 0)
		return r;
	if (optind >= argc) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	argc -= optind;
	argv += optind;
	optind = 1;
	if (strcmp(argv[0], "help") == 0)
		return run_help(argc, argv);
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		if (strcmp(argv[0], builtin[i]->name) == 0)
			return builtin[i]->run(builtin[i], &o, argc, argv);
	return run_external(argv[0], &o, argc, argv);
}
