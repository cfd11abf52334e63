/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.c - commands begin, end and mark: write a mark, through the agent if one runs */
#include "cli/job_marks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cli/alone.h"
#include "recorder/owner.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/privileges.h"

enum { TIMEOUT, ATTR, STRICT, SUMMARY };

#define TIMEOUT_ROW \
	[TIMEOUT] = { "timeout", "SECONDS", "give up after this time (default 2)" }
#define ROWS_GROUP_JOBS \
	TIMEOUT_ROW, \
	[ATTR]    = { "attr", "KEY=VALUE", "attribute of the job, from its scheduler; may be " \
		      "repeated" }, \
	[STRICT]  = { "strict", NULL, "on failure exit with 1 or 2, or with 3 if the " \
		      "mark is saved but not in the archive yet" }

static const struct cli_option table[] = { ROWS_GROUP_JOBS };
static const struct cli_option end_table[] = {
	ROWS_GROUP_JOBS,
	[SUMMARY] = { "summary", NULL, "print one line of JSON: what the job used on this node" },
};
static const struct cli_option mark_table[] = { TIMEOUT_ROW };

/*
 * Report why the agent did not answer a request to release the hardware counters or to take them
 * back. If the agent hangs, the request fails, because the agent may still use the counters. If no
 * agent runs, the counters are free. Returns the exit status.
 */
static int tell_no_agent(enum control_verb verb, int e)
{
	if (e == -ETIMEDOUT) {
		log_error("the agent does not answer and may hold the hardware counters: %s failed",
			  control_verb_names[verb]);
		return EXIT_FAILED;
	}
	if (!control_has_no_agent(e)) {
		log_error("cannot query the agent: %s", e == -ECONNRESET || e == -EPIPE ?
			  "it refused this user, who sent too many requests" : strerror(-e));
		return EXIT_FAILED;
	}
	log_warning("no agent is running, so the hardware counters are free until one is started");
	return EXIT_DONE;
}

int hook_connect(const struct config *c, bool elsewhere, int timeout_ms)
{
	int fd = elsewhere ? -ENOENT : control_connect(c->runtime_dir, timeout_ms);
	bool handed_over = hook_is_taken_over() && geteuid() != 0;
	int e = handed_over ? privileges_keep(owner_privileges(c)) : owner_become(c, fd >= 0);
	if (e < 0)
		log_warning("cannot drop root privileges, continuing as root: %s", strerror(-e));
	return fd;
}

static int mark_it(const struct hook *h, const struct config *c, int fd)
{
	int r = fd < 0 ? fd : hook_ask(h, fd);

	if (r >= 0)
		return r;
	if (control_is_of_counters(h->verb) &&
	    (!control_has_no_agent(r) || h->verb == CONTROL_YIELD))
		return tell_no_agent(h->verb, r);
	if (r == -ETIMEDOUT)
		log_warning("the agent does not answer; marking without it");
	return alone_mark(h, c);
}

static int hook_take_options(const struct command *c, struct options *o, int argc, char **argv,
			     struct hook_request *q)
{
	const char *arg;
	int id;
	while ((id = options_next(o, &c->cli, argc, argv, &arg)) != -1) {
		if (id == STRICT)
			q->strict = true;
		else if (id == SUMMARY)
			q->summary = true;
		else if (id == ATTR)
			hook_take_attribute(q, arg);
		else if (id == TIMEOUT && hook_take_timeout(arg, &q->timeout_us))
			continue;
		else if (id == TIMEOUT)
			return cli_misused(&c->cli, "--timeout must be from 0.01 to 3600 seconds");
		else
			return command_status(id);
	}
	return -1;
}

int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text)
{
	struct buf all CLEANUP(buf_free) = { 0 }, left CLEANUP(buf_free) = { 0 };
	struct config config;
	if (options_configure_anyway(o, &config) < 0)
		return EXIT_USAGE;
	struct hook h = {
		.verb = verb, .elsewhere = o->given.root || o->given.dir,
		.runtime_dir = config.runtime_dir,
		.timeout_us = q->timeout_us,
	};
	hook_start(&h);
	hook_bound_time(&h, q->strict || (verb != CONTROL_BEGIN && verb != CONTROL_END &&
					  verb != CONTROL_SUMMARY));
	int fd CLEANUP(close_fd) = hook_connect(&config, h.elsewhere, hook_agents_ms(&h));
	hook_put_text(&all, &h, q, text);
	h.text = buf_str(&all);
	hook_make_ready(&h, &left);
	int status = hook_finish(mark_it(&h, &config, fd), q->strict);
	config_free(&config);
	return status;
}

static enum control_verb verb_of(const struct command *c, const struct hook_request *q)
{
	return c == &begin_command ? CONTROL_BEGIN : q->summary ? CONTROL_SUMMARY : CONTROL_END;
}

static int run_job(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	int status = hook_take_options(c, o, argc, argv, &q);
	if (status < 0)
		status = argc - optind == 1 ? hook_run(o, &q, verb_of(c, &q), argv[optind])
					    : cli_misused(&c->cli, "expected one job id");
	/* a hook must never harm a job by its exit status */
	return q.strict ? status : EXIT_DONE;
}

static int run_mark(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	struct buf text CLEANUP(buf_free) = { 0 };
	int status = hook_take_options(c, o, argc, argv, &q);
	if (status >= 0)
		return status;
	for (int i = optind; i < argc; i++)
		buf_addf(&text, "%s%s", i > optind ? " " : "", argv[i]);
	if (text.n == 0 || text.n > CONTROL_REQUEST_MAX / 2)
		return cli_misused(&c->cli, "expected a text of at most 512 bytes");
	buf_add_char(&text, '\0');
	return hook_run(o, &q, CONTROL_MARK, text.p);
}

const struct command begin_command = {
	.run = run_job, .group = GROUP_JOBS,
	.cli = {
		.command = "begin", .operands = "JOB", .common = CLI_ALL,
		CLI_OPTIONS(table),
		.about = "mark the start of a job, with a sample",
	},
};
const struct command end_command = {
	.run = run_job, .group = GROUP_JOBS,
	.cli = {
		.command = "end", .operands = "JOB", .common = CLI_ALL,
		CLI_OPTIONS(end_table),
		.about = "mark the end of a job, with a sample",
	},
};
const struct command mark_command = {
	.run = run_mark, .group = GROUP_JOBS,
	.cli = {
		.command = "mark", .operands = "TEXT...", .common = CLI_ALL,
		CLI_OPTIONS(mark_table),
		.about = "write your own mark, with a sample",
	},
};
