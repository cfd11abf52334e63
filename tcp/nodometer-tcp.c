/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-tcp.c - nodometer tcp: record TCP connections, analyse recordings and draw graphs */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/log.h"
#include "tcp/tcp.h"

static const struct {
	const char *name, *about;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "graph",  "draw a .pm file, or print it as text", tcp_graph_main },
	{ "record", "record snapshots of TCP connections in a .pm file", tcp_record_main },
	{ "report", "report what limited the connections of a .pm file", tcp_report_main },
};

static void tcp_print_commands(void)
{
	puts("\nCommands, each with --help of its own:");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		cli_print_row(stdout, 21, commands[i].name, commands[i].about);
}

static const struct cli cli = {
	.command = "tcp", .operands = "record|report|graph [ARGUMENTS]", .until_word = true,
	.more = tcp_print_commands,
	.about = "Records snapshots of TCP connections, diagnoses what limited the connections,\n"
		 "and draws graphs.",
};

int main(int argc, char **argv)
{
	const char *arg;

	log_open("nodometer tcp", LOG_LEVEL_INFO);
	cli_next(&cli, argc, argv, &arg);
	if (optind == argc)
		cli_wrong(&cli, "missing COMMAND");
	argc -= optind;
	argv += optind;
	optind = 0;	/* restart getopt(3), because the subcommand parses its own arguments */
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(argc, argv);
	cli_wrong(&cli, "%s: unknown command", argv[0]);
}
