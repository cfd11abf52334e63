/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - collect and rotate: one sample without, or by, the agent */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/job_marks.h"
#include "agent/control.h"
#include "recorder/job_sources.h"
#include "recorder/requests.h"
#include "archive/explain.h"
#include "archive/tidy.h"
#include "base/log.h"

#define ASK_MS 2000
#define LOCK_MS 10000	/* no job waits for this */

static const struct cli_option collect_table[] = {
	{ "stdout", NULL, "print a header and one record group; write nothing" },
};

static bool is_among(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_counters(const struct named_types *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->type[i]->name, name) == 0)
			return true;
	return false;
}

static int choose_types(struct config *c, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!type_find(names[i]) && !is_counters(&c->named, names[i])) {
			log_error("unknown type %s; \"nodometer types\" lists them", names[i]);
			return -EINVAL;
		}
	for (size_t i = 0; n && i < n_types; i++)
		c->use[i] = !is_among(types[i]->name, names, n) ? USE_OFF :
			    c->use[i] == USE_ISOLATE ? USE_ISOLATE : USE_ON;
	for (size_t i = 0; n && i < c->named.n; i++)
		c->named.type[i]->off = !is_among(c->named.type[i]->name, names, n);
	return 0;
}

static int print_sample(const struct config *c)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	static struct recorder r;
	char error[768];

	if (recorder_open(&r, c, &log_listener, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return EXIT_FAILED;
	}
	recorder_print(&r, &b);
	recorder_close(&r);
	return cli_publish(NULL, buf_str(&b)) == CLI_OK ? EXIT_DONE : EXIT_FAILED;
}

/* A job file that changed since the last run makes a group of its own, with marks. */
static int sample(struct recorder *r, bool rotate)
{
	if (rotate)
		return recorder_rotate(r);
	int e = r->config->job_file[0] ? recorder_job_file(r) : 0;
	return e == 0 ? recorder_sample(r, 0) : e;	/* 1: that was the sample */
}

static void log_path_error(const char *dir, int e)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	explain_path(&why, dir, e, true);
	log_error("%s: " STR_FMT, dir, STR_ARG(buf_str(&why)));
}

/* marks: those that hooks left are for this archive. */
static int write_sample(const struct config *c, bool rotate, bool marks)
{
	static struct recorder r;
	char error[768];

	if (recorder_open(&r, c, &log_listener, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return EXIT_FAILED;
	}
	recorder_set_patience(&r, LOCK_MS);
	int e = marks && recorder_drain(&r, NULL, NULL) < 0 ? -EIO : 0;
	if (e < 0)
		log_warning("%s/marks: what hooks left there is not marked", c->runtime_dir);
	e = sample(&r, rotate);
	if (e < 0)
		log_path_error(c->dir, e);
	else if (rotate)
		tidy_wait(tidy_start(c->dir, r.host.name, &c->retain, &log_listener));
	recorder_close(&r);
	return e < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* The agent's word, or -1: there is none to ask. */
static int ask(const struct config *c, bool elsewhere, enum control_verb verb)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = hook_connect(c, elsewhere, ASK_MS);
	int e = fd < 0 ? fd : control_ask_there(fd, verb, STR(""), ASK_MS, &reply);
	if (e == CONTROL_WAITS)
		log_warning("the agent says: " STR_FMT, STR_ARG(buf_str(&reply)));
	if (e >= 0)
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
	const char *arg;
	int id, status = -1;

	while ((id = options_next(o, &cmd->cli, argc, argv, &arg)) != -1) {
		if (id < 0)
			return command_status(id);
		to_stdout = true;
	}
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	bool all = optind == argc;
	if (choose_types(&c, argv + optind, argc - optind) < 0)
		status = EXIT_USAGE;
	else if (to_stdout)
		status = print_sample(&c);
	else
		status = ask(&c, !all || o->root || o->dir, CONTROL_COLLECT);
	if (status < 0)
		status = write_sample(&c, false, !o->root && !o->dir);
	config_free(&c);
	return status;
}

static int run_rotate(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct config c;
	const char *arg;
	int id = options_next(o, &cmd->cli, argc, argv, &arg);
	if (id != -1)
		return command_status(id);
	if (optind != argc)
		return cli_misused(&cmd->cli, "takes no words");
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	int status = ask(&c, o->root || o->dir, CONTROL_ROTATE);
	if (status < 0)
		status = write_sample(&c, true, !o->root && !o->dir);
	config_free(&c);
	return status;
}

const struct command collect_command = {
	.run = run_collect,
	.cli = {
		.command = "collect", .operands = "[TYPE...]", .configured = true,
		CLI_OPTIONS(collect_table),
		.about = "take one sample of all types, or of those named",
	},
};
const struct command rotate_command = {
	.run = run_rotate,
	.cli = {
		.command = "rotate", .operands = "", .configured = true,
		.about = "close the current file of the archive and start the next",
	},
};
