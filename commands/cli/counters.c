/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c - command counters: release the hardware counters to a job, and take them back */
#include <string.h>
#include "cli/job_marks.h"

static const struct cli_option table[] = {
	{ "timeout", "SECONDS", "give up after this time (default 2)" },
};

static const struct {
	const char *word;
	enum control_verb verb;
	int least, most;	/* smallest and largest number of jobs on the command line */
	const char *want;
} actions[] = {
	{ "release", CONTROL_RELEASE, 1, 1, "release needs one job id"          },
	{ "acquire", CONTROL_ACQUIRE, 0, 1, "acquire takes at most one job id"  },
	{ "yield",   CONTROL_YIELD,   0, 0, "yield takes no job id: it is for your own job" },
};

static int find_action(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strcmp(word, actions[i].word) == 0)
			return (int)i;
	return -1;
}

static int run_action(const struct command *c, struct options *o, const struct hook_request *q,
		      int n, char **words)
{
	int i = n > 0 ? find_action(words[0]) : -1;
	if (i < 0)
		return cli_misused(&c->cli, "expected release JOB, acquire [JOB] or yield");
	if (n - 1 < actions[i].least || n - 1 > actions[i].most)
		return cli_misused(&c->cli, "%s", actions[i].want);
	return hook_run(o, q, actions[i].verb, n > 1 ? words[1] : "");
}

static int run_counters(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	const char *arg;
	int id;

	while ((id = options_next(o, &c->cli, argc, argv, &arg)) != -1) {
		if (id < 0)
			return command_status(id);
		if (!hook_take_timeout(arg, &q.timeout_us))
			return cli_misused(&c->cli, "--timeout must be from 0.01 to 3600 seconds");
	}
	return run_action(c, o, &q, argc - optind, argv + optind);
}

const struct command counters_command = {
	.run = run_counters,
	.cli = {
		.command = "counters", .operands = "release|acquire|yield [JOB]",
		.common = CLI_ALL,
		CLI_OPTIONS(table),
		.about = "release hardware counters to a job, or take them back",
	},
};
