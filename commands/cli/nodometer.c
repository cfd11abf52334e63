/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer.c - nodometer-commands: run a built-in command or a program nodometer-COMMAND */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/hook.h"
#include "base/system/program.h"
#include "base/log.h"
#include "base/nearest.h"

#define COMMAND(name) &name##_command,
static const struct command *const commands[] = {
#include "cli/commands.inc"
};
#undef COMMAND

static void print_command(const char *name, const char *operands, const char *about)
{
	char left[40];
	snprintf(left, sizeof(left), "%s %s", name, operands);
	cli_print_row(stdout, 23, left, about);
}

/*
 * Print the row of a command and, if the command is not installed, its package. Programs of the
 * package nodometer-common are always installed with this program.
 */
static void front_print_row(const struct command *c)
{
	struct buf about CLEANUP(buf_free) = { 0 };
	char path[PROGRAM_PATH_MAX];

	buf_addf(&about, "%s", c->cli.about);
	if (c->package && strcmp(c->package, "nodometer-common") != 0 &&
	    program_find(c->cli.command, path) < 0)
		buf_addf(&about, " (not installed: package %s)", c->package);
	buf_add_char(&about, '\0');
	print_command(c->cli.command, c->cli.operands, about.p);
}

static bool is_of_group(const struct command *c, enum command_group group)
{
	return c->group == group && !c->program && !program_left_out(c->cli.command);
}

static void print_group(enum command_group group)
{
	static const char *const titles[] = {
		[GROUP_NODE] = "This node", [GROUP_JOBS] = "Jobs",
		[GROUP_RECORDINGS] = "Recordings", [GROUP_XROOTD] = "XRootD",
	};
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!is_of_group(commands[i], group))
			continue;
		if (n++ == 0)
			printf("\n%s:\n", titles[group]);
		front_print_row(commands[i]);
	}
}

static void front_print_commands(void)
{
	puts("\nCommands (the options above may precede or follow the command):");
	for (int group = 0; group < N_COMMAND_GROUPS; group++)
		print_group(group);
	putchar('\n');
	print_command("help", "[COMMAND]", "show the manual page of a command");
}

static const struct cli front_end = {
	.program = "nodometer", .operands = "COMMAND [ARGUMENTS]", .common = CLI_ALL,
	.until_word = true, .more = front_print_commands, .page = "nodometer(1)",
	.about = "Records the resources that jobs use on this node, and reports them.",
};

static const struct command *front_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(name, commands[i]->cli.command) == 0)
			return commands[i];
	return NULL;
}

/* Word that is no command, but users may try it because of the program nodometer-send in sbin. */
static const char sender[] = "send";

/* Hints for words that users mistake for commands. */
#define FIRST_HOOKS "first \"nodometer install-hooks --remove SCHEDULER\", then remove the packages"
static const struct {
	const char *name, *instead;
} front_instead[] = {
	{ "last", "\"nodometer jobs\" lists the newest jobs last" },
	{ "remove", FIRST_HOOKS },
	{ "uninstall", FIRST_HOOKS },
	{ "why", "\"nodometer report JOB\" says what slowed a job down" },
};

static bool front_say_instead(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(front_instead); i++)
		if (strcmp(name, front_instead[i].name) == 0) {
			fprintf(stderr, "nodometer: unknown command \"%s\"; %s\n", name,
				front_instead[i].instead);
			return true;
		}
	return false;
}

/* Report an unknown command. Tell which package has the command, or suggest a similar one. */
static void command_is_unknown(const char *name)
{
	const struct command *known = front_find(name);
	const char *left_out = program_left_out(name);
	struct nearest n = { NULL, 0 };
	if (left_out) {
		fprintf(stderr, "nodometer: %s is not built: configured with %s\n", name, left_out);
		return;
	}
	if (known) {
		fprintf(stderr, "nodometer: the program nodometer-%s is not installed here: it is "
			"in the package %s\n", known->program ? known->program : name,
			known->package);
		return;
	}
	if (front_say_instead(name))
		return;
	if (!program_left_out(sender))
		nearest_try(&n, name, sender);
	if (n.best && n.distance == 0) {
		fprintf(stderr, "nodometer: send is not a command; run nodometer-send (package "
			"nodometer-send)\n");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!commands[i]->program && !program_left_out(commands[i]->cli.command))
			nearest_try(&n, name, commands[i]->cli.command);
	if (n.best == sender)
		fprintf(stderr, "nodometer: unknown command \"%s\"; did you mean "
			"nodometer-%s?\n", name, n.best);
	else if (n.best)
		fprintf(stderr, "nodometer: unknown command \"%s\"; did you mean \"%s\"?\n", name,
			n.best);
	else
		fprintf(stderr, "nodometer: unknown command \"%s\"; \"nodometer --help\" lists the "
			"commands\n", name);
}

/* Convert the result of a command's run() to an exit status. */
static int front_status_of(const char *name, int r)
{
	if (r == -ENOENT)
		command_is_unknown(name);
	else if (r < 0)
		fprintf(stderr, "nodometer: nodometer-%s: %s\n", name, strerror(-r));
	return r < 0 ? EXIT_USAGE : r;
}

/* Show a manual page. Returns false if man(1) or the page is missing. */
static bool front_show_page(const char *page)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		/* hide man's message about a missing page, because --help is printed instead */
		int null = open("/dev/null", O_WRONLY);
		dup2(null, STDERR_FILENO);
		execlp("man", "man", page, (char *)NULL);
		_exit(127);
	}
	signal(SIGINT, SIG_IGN);	/* SIGINT is meant for the pager */
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_help(int argc, char **argv)
{
	char page[64];
	if (argc < 2 || strcmp(argv[1], "help") == 0 || argv[1][0] == '-')
		return cli_help(&front_end);
	if (strncmp(argv[1], "nodometer-", strlen("nodometer-")) == 0)
		argv[1] += strlen("nodometer-");
	snprintf(page, sizeof(page), "nodometer-%s", argv[1]);
	if (front_show_page(page))
		return EXIT_DONE;
	const struct command *c = front_find(argv[1]);
	if (c && (!c->package || c->cli.n_options))
		return cli_help(&c->cli);
	static char help_option[] = "--help";
	program_run(c && c->program ? c->program : argv[1],
		    (char *[]){ argv[1], help_option, NULL });
	command_is_unknown(argv[1]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	const char *arg, *called = strrchr(argv[0], '/');

	prctl(PR_SET_NAME, "nodometer");	/* set the name that ps(1) shows */
	log_open("nodometer", LOG_LEVEL_INFO);
	if (argc > 1 && hook_take_over(argv[1])) {
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	called = called ? called + 1 : argv[0];
	if (strcmp(called, "mpxstats") == 0)	/* called by the name of XRootD's program */
		return front_status_of("mpxstats",
				       command_become("mpxstats", NULL, 0, &o, argc, argv));
	/* called by the name of a program of the PSC TCP kernel monitor */
	if (strcmp(called, "pmgraph") == 0)
		return front_status_of("tcp", command_become("tcp", "graph", COMMAND_WORDS, &o,
							     argc, argv));
	int r = options_next(&o, &front_end, argc, argv, &arg);
	if (r != CLI_END)
		return command_status(r);
	if (optind >= argc)
		return cli_misused(&front_end, "missing command");
	argc -= optind;
	argv += optind;
	optind = 0;	/* restart getopt(3), because argv changed */
	if (strcmp(argv[0], "help") == 0)
		return run_help(argc, argv);
	const struct command *c = front_find(argv[0]);
	if (c)
		r = c->run(c, &o, argc, argv);
	else if (strcmp(argv[0], "commands") == 0)
		r = -ENOENT;	/* do not execute this program again */
	else
		r = command_become(argv[0], NULL, 0, &o, argc, argv);
	return front_status_of(argv[0], r);
}
