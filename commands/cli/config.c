/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c - command config check: report mistakes in the configuration */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/system/program.h"
#include "cli/command.h"

/*
 * Return whether nodometer-send must check the configuration instead of this program, because it
 * has sinks. Return false if the events of section [counters] are invalid.
 */
static bool is_for_sender(const struct options *o)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	struct config c;
	/* ignore the result: the program that checks the file reports its errors */
	(void)(options_read(o, &c, &errors) < 0);
	c.warnings.n = 0;
	bool ours = config_resolve(&c, &errors) == 0 && c.has_sinks;
	if (ours)
		fprintf(stderr, STR_FMT, STR_ARG(buf_str(&c.warnings)));
	config_free(&c);
	return ours;
}

/*
 * Execute nodometer-send --check, which knows the keys of sinks, too. Returns only if
 * nodometer-send was not built or is not installed.
 */
static void ask_sender(const struct options *o, bool connect)
{
	char path[PROGRAM_PATH_MAX], program[] = "nodometer-send";
	char check[sizeof("--connect")] = "--check";
	char config[] = "--config", file[PROGRAM_PATH_MAX] = "";
	char *argv[] = { program, check, o->given.config ? config : NULL, file, NULL };

	const char *left_out = program_left_out("send");
	if (left_out) {
		fprintf(stderr, "sections [sink NAME] are not checked: nodometer-send is not "
			"built: configured with %s\n", left_out);
		return;
	}
	if (connect)
		str_copy(check, sizeof(check), STR("--connect"));
	if (o->given.config)
		str_copy(file, sizeof(file), str_of(o->given.config));
	if (program_find("send", path) < 0)
		str_copy(path, sizeof(path), str_of(SBINDIR "/nodometer-send"));
	execv(path, argv);
	fprintf(stderr, "sections [sink NAME] are not checked: %s: %s\n", path, strerror(errno));
}

enum { CONNECT };
static const struct cli_option options[] = {
	[CONNECT] = { "connect", NULL, "also try to connect to the receiver of each sink for 5 s" },
};

static int run_config(const struct command *c, struct options *o, int argc, char **argv)
{
	const char *arg;
	bool connect = false;
	int id;
	while ((id = options_next(o, &c->cli, argc, argv, &arg)) == CONNECT)
		connect = true;
	if (id != CLI_END)
		return command_status(id);
	if (argc - optind < 1 || argc - optind > 2 || strcmp(argv[optind], "check") != 0)
		return cli_misused(&c->cli, "expected \"check\", and optionally a file");
	if (argc - optind == 2)
		o->given.config = argv[optind + 1];
	bool has_sinks = is_for_sender(o);
	if (has_sinks)
		ask_sender(o, connect);
	int status = options_check(o, config_resolve);
	if (status || !connect)
		return status;
	if (!has_sinks)
		fprintf(stderr, "no section [sink NAME], so there is no receiver to connect to\n");
	return EXIT_FAILED;
}

const struct command config_command = {
	.run = run_config,
	.cli = {
		.command = "config", .operands = "check [FILE]", .common = CLI_ALL,
		.about = "report the mistakes in the configuration", CLI_OPTIONS(options),
	},
};
