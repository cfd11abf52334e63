/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - collect and rotate: one sample without, or by, the agent */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/command.h"
#include "agent/control.h"
#include "agent/recorder.h"
#include "archive/tidy.h"
#include "base/log.h"

#define ASK_MS 2000
#define LOCK_MS 10000	/* no job waits for this */

enum { OPTION_STDOUT = 1 };

static const struct option_help collect_table[] = {
	{ "stdout", NULL, "print header and one record group; write nothing", OPTION_STDOUT },
	OPTIONS_COMMON
};
static const struct option_help rotate_table[] = { OPTIONS_COMMON };

/* Only the types that are named. */
static int choose_types(struct config *c, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!collector_find(names[i])) {
			log_error("unknown type %s; \"nodometer types\" lists them", names[i]);
			return -EINVAL;
		}
	for (size_t i = 0; n && i < n_collectors; i++) {
		enum type_use named = USE_OFF;
		for (int k = 0; k < n; k++)
			if (strcmp(collectors[i]->name, names[k]) == 0)
				named = c->use[i] == USE_ISOLATE ? USE_ISOLATE : USE_ON;
		c->use[i] = named;
	}
	return 0;
}

static int print_sample(const struct config *c)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	static struct recorder r;
	char error[768];

	if (recorder_open(&r, c, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return EXIT_FAILED;
	}
	recorder_print(&r, &b);
	recorder_close(&r);
	if (fwrite(b.p, 1, b.n, stdout) != b.n || fflush(stdout) != 0) {
		log_error("standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

/* A job file that changed since the last run makes a group of its own, with marks. */
static int sample(struct recorder *r, bool rotate)
{
	if (rotate)
		return recorder_rotate(r);
	int e = r->config->job_file[0] ? recorder_job_file(r) : 0;
	return e == 0 ? recorder_sample(r, 0) : e;	/* 1: that was the sample */
}

static int write_sample(const struct config *c, bool rotate)
{
	static struct recorder r;
	char error[768];

	if (recorder_open(&r, c, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return EXIT_FAILED;
	}
	r.lock_ms = LOCK_MS;
	int e = sample(&r, rotate);
	if (e < 0)
		log_error("%s/%s: %s", c->dir, r.host.name, strerror(-e));
	else if (rotate)
		tidy_wait(tidy_start(c->dir, r.host.name, &c->retain));
	recorder_close(&r);
	return e < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* The agent's word, or -1: there is none to ask. */
static int ask(const struct config *c, enum control_verb verb)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int e = control_ask(c->runtime_dir, verb, STR(""), ASK_MS, &reply);
	if (e == 0)
		return EXIT_DONE;
	if (e == -EREMOTEIO) {
		log_error("the agent says: " STR_FMT, STR_ARG(buf_str(&reply)));
		return EXIT_FAILED;
	}
	if (e == -ETIMEDOUT)
		log_warning("the agent does not answer; going on without it");
	return -1;
}

static int run_collect(const struct command *cmd, struct options *o, int argc, char **argv)
{
	bool to_stdout = false;
	struct config c;
	int id, status = -1;

	while ((id = options_next(o, argc, argv, cmd->table, cmd->n_table)) != -1) {
		if (id != OPTION_STDOUT)
			return command_other_option(cmd, id);
		to_stdout = true;
	}
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	bool all = optind == argc;
	if (choose_types(&c, argv + optind, argc - optind) < 0)
		status = EXIT_USAGE;
	else if (to_stdout)
		status = print_sample(&c);
	else if (all && !o->root && !o->dir)
		status = ask(&c, CONTROL_COLLECT);
	if (status < 0)
		status = write_sample(&c, false);
	config_free(&c);
	return status;
}

static int run_rotate(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct config c;
	int id = options_next(o, argc, argv, cmd->table, cmd->n_table);
	if (id != -1)
		return command_other_option(cmd, id);
	if (optind != argc)
		return command_usage(cmd, "takes no words");
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	int status = o->root || o->dir ? -1 : ask(&c, CONTROL_ROTATE);
	if (status < 0)
		status = write_sample(&c, true);
	config_free(&c);
	return status;
}

const struct command collect_command = {
	.name = "collect", .arguments = "[TYPE...]", .run = run_collect, OPTIONS(collect_table),
	.summary = "take one sample of all types, or of these",
};
const struct command rotate_command = {
	.name = "rotate", .arguments = "", .run = run_rotate, OPTIONS(rotate_table),
	.summary = "close the current file and begin the next",
};
