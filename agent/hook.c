/* SPDX-License-Identifier: BSD-3-Clause */
/* hook.c - begin, end and mark: by the agent, or without one under the file lock */
#include "agent/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "agent/attributes.h"
#include "agent/recorder.h"
#include "base/log.h"

enum { OPTION_STRICT = 1, OPTION_TIMEOUT, OPTION_ATTR };

static const struct option_help table[] = {
	{ "attr",    "KEY=VALUE", "what the scheduler knows of the job; may be given often",
	  OPTION_ATTR },
	{ "strict",  NULL,      "exit 1 or 2 on failure; without it always 0",    OPTION_STRICT  },
	{ "timeout", "SECONDS", "give up after so long, fractions allowed (default 2)",
	  OPTION_TIMEOUT },
	OPTIONS_COMMON
};
static const struct option_help mark_table[] = {
	{ "timeout", "SECONDS", "give up after so long, fractions allowed (default 2)",
	  OPTION_TIMEOUT },
	OPTIONS_COMMON
};

static int status_on_alarm;

/* The last resort against a disk or a source that hangs: the job goes on. */
static void on_alarm(int signal)
{
	static const char text[] = "nodometer: gave up: no answer in time\n";
	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(status_on_alarm);
	_exit(status_on_alarm);
}

static void bound_time(int64_t us, int status)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval t = { .it_value = { us / 1000000, us % 1000000 } };
	status_on_alarm = status;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

static int do_verb(struct recorder *r, enum control_verb verb, struct str argument)
{
	if (verb == CONTROL_BEGIN)
		return recorder_begin(r, argument);
	if (verb == CONTROL_END)
		return recorder_end(r, argument);
	if (verb == CONTROL_RELEASE)
		return recorder_release(r, argument);
	if (verb == CONTROL_ACQUIRE)
		return recorder_acquire(r, argument);
	return recorder_mark(r, argument);
}

/* No agent, or one that does not answer: sample and mark by ourselves. */
static int do_alone(const struct config *c, enum control_verb verb, struct str argument,
		    int lock_ms)
{
	static struct recorder r;	/* too large for a hook's stack limit */
	char error[768];

	if (recorder_open(&r, c, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return -EIO;
	}
	r.lock_ms = lock_ms;
	int e = do_verb(&r, verb, argument);
	recorder_close(&r);
	return e;
}

static int tell(int e, enum control_verb verb, struct str what, const struct config *c)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	bool done = control_explain(&text, verb, what, e);
	if (text.n && done)
		log_notice(STR_FMT, STR_ARG(buf_str(&text)));
	else if (e == -EINVAL)
		log_error(STR_FMT, STR_ARG(buf_str(&text)));
	else if (text.n)
		log_error("%s: " STR_FMT, c->dir, STR_ARG(buf_str(&text)));
	return done ? EXIT_DONE : EXIT_FAILED;
}

static bool is_of_counters(enum control_verb verb)
{
	return verb == CONTROL_RELEASE || verb == CONTROL_ACQUIRE || verb == CONTROL_YIELD;
}

/* One that hangs still holds them; where none runs nobody does, and a job cannot tell the next. */
static int tell_no_agent(enum control_verb verb, int e)
{
	if (e == -ETIMEDOUT) {
		log_error("the agent does not answer, and may hold the hardware counters: %s is "
			  "not done", control_verb_names[verb]);
		return EXIT_FAILED;
	}
	if (e != -ENOENT && e != -ECONNREFUSED) {
		log_error("the agent cannot be asked: %s", strerror(-e));
		return EXIT_FAILED;
	}
	log_warning("no agent runs, so nobody holds the hardware counters; one that is started "
		    "takes them");
	return EXIT_DONE;
}

static int mark_it(const struct config *c, enum control_verb verb, const char *text,
		   int64_t timeout_us, bool alone)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int ms = (int)(timeout_us / 1000);
	int e = alone ? -ENOENT :
		control_ask(c->runtime_dir, verb, str_of(text), ms * 6 / 10, &reply);

	if (e == 0) {
		if (reply.n && reply.p[0] > '9')	/* more than the TIME of the group */
			log_notice(STR_FMT, STR_ARG(buf_str(&reply)));
		return EXIT_DONE;
	}
	if (e == -EREMOTEIO) {
		log_error("the agent says: " STR_FMT, STR_ARG(buf_str(&reply)));
		return EXIT_FAILED;
	}
	if (is_of_counters(verb) && (e == -ETIMEDOUT || verb == CONTROL_YIELD))
		return tell_no_agent(verb, e);
	if (e == -ETIMEDOUT)
		log_warning("the agent does not answer; marking without it");
	return tell(do_alone(c, verb, str_of(text), ms * 3 / 10), verb, str_of(text), c);
}

bool hook_take_timeout(const char *text, int64_t *us)
{
	struct str s = str_of(text);
	return str_take_time(&s, us) && s.n == 0 && *us >= 10000 && *us <= 3600000000;
}

/* One that cannot be had is told, and costs no mark. */
static void take_attribute(struct hook_request *q, const char *text)
{
	int e = attributes_add(&q->attributes, str_of(text));
	if (e == -EINVAL)
		log_warning("--attr %s: want KEY=VALUE, the key of small letters, digits and _; it "
			    "is left out", text);
	else if (e < 0)
		log_warning("--attr %s: all of them have more than %d bytes; it is left out", text,
			    ATTRIBUTES_MAX);
}

static int take_options(const struct command *c, struct options *o, int argc, char **argv,
			struct hook_request *q)
{
	int id;
	while ((id = options_next(o, argc, argv, c->table, c->n_table)) != -1) {
		if (id == OPTION_STRICT)
			q->strict = true;
		else if (id == OPTION_ATTR)
			take_attribute(q, optarg);
		else if (id == OPTION_TIMEOUT && hook_take_timeout(optarg, &q->timeout_us))
			continue;
		else if (id == OPTION_TIMEOUT)
			return command_usage(c, "--timeout wants seconds, from 0.01 to 3600");
		else
			return command_other_option(c, id);
	}
	return -1;
}

int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text)
{
	struct config config;
	if (options_configure(o, &config) < 0)
		return EXIT_USAGE;
	bool may_fail = q->strict || (verb != CONTROL_BEGIN && verb != CONTROL_END);
	bound_time(q->timeout_us, may_fail ? EXIT_FAILED : EXIT_DONE);
	int status = mark_it(&config, verb, text, q->timeout_us, o->root || o->dir);
	config_free(&config);
	return status;
}

/* Attributes stand behind an id that is one: a blank in it would make its end an attribute. */
static int mark_job(const struct command *c, struct options *o, const struct hook_request *q,
		    const char *id)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_add(&text, str_of(id));
	if (job_id_valid(str_of(id)))
		buf_add(&text, buf_str(&q->attributes));
	buf_add_char(&text, '\0');
	return hook_run(o, q, c == &begin_command ? CONTROL_BEGIN : CONTROL_END, text.p);
}

static int run_job(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	int status = take_options(c, o, argc, argv, &q);
	if (status < 0)
		status = argc - optind == 1 ? mark_job(c, o, &q, argv[optind])
					    : command_usage(c, "want one job id");
	buf_free(&q.attributes);
	return q.strict ? status : EXIT_DONE;	/* a hook never harms a job */
}

static int run_mark(const struct command *c, struct options *o, int argc, char **argv)
{
	struct hook_request q = { .timeout_us = HOOK_TIMEOUT_US };
	struct buf text CLEANUP(buf_free) = { 0 };
	int status = take_options(c, o, argc, argv, &q);
	if (status >= 0)
		return status;
	for (int i = optind; i < argc; i++)
		buf_addf(&text, "%s%s", i > optind ? " " : "", argv[i]);
	if (text.n == 0 || text.n > CONTROL_REQUEST_MAX / 2)
		return command_usage(c, "want a text of at most 512 bytes");
	buf_add_char(&text, '\0');
	return hook_run(o, &q, CONTROL_MARK, text.p);
}

const struct command begin_command = {
	.name = "begin", .arguments = "JOB", .run = run_job, OPTIONS(table),
	.summary = "mark the begin of a job, with a sample",
};
const struct command end_command = {
	.name = "end", .arguments = "JOB", .run = run_job, OPTIONS(table),
	.summary = "mark the end of a job, with a sample",
};
const struct command mark_command = {
	.name = "mark", .arguments = "TEXT...", .run = run_mark, OPTIONS(mark_table),
	.summary = "write a mark of your own, with a sample",
};
