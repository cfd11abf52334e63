/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c - counters: a job gets the processor's counters, or gives them back */
#include <string.h>
#include "agent/hook.h"

enum { OPTION_TIMEOUT = 1 };

static const struct option_help table[] = {
	{ "timeout", "SECONDS", "give up after so long, fractions allowed (default 2)",
	  OPTION_TIMEOUT },
	OPTIONS_COMMON
};

static const struct {
	const char *word;
	enum control_verb verb;
	int least, most;	/* jobs behind it */
	const char *want;
} actions[] = {
	{ "release", CONTROL_RELEASE, 1, 1, "release wants one job id"          },
	{ "acquire", CONTROL_ACQUIRE, 0, 1, "acquire wants one job id at most"  },
	{ "yield",   CONTROL_YIELD,   0, 0, "yield takes no words: it is for the job that asks" },
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
		return command_usage(c, "want release JOB, acquire [JOB] or yield");
	if (n - 1 < actions[i].least || n - 1 > actions[i].most)
		return command_usage(c, actions[i].want);
	return hook_run(o, q, actions[i].verb, n > 1 ? words[1] : "");
}

static int run_counters(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	int id;

	while ((id = options_next(o, argc, argv, c->table, c->n_table)) != -1) {
		if (id != OPTION_TIMEOUT)
			return command_other_option(c, id);
		if (!hook_take_timeout(optarg, &q.timeout_us))
			return command_usage(c, "--timeout wants seconds, from 0.01 to 3600");
	}
	return run_action(c, o, &q, argc - optind, argv + optind);
}

const struct command counters_command = {
	.name = "counters", .arguments = "WHAT [JOB]", .run = run_counters, OPTIONS(table),
	.summary = "give hardware counters to a job: release, yield; take them back: acquire",
};
