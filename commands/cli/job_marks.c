/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.c - commands begin, end and mark: through the agent, or without it */
#include "cli/job_marks.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli/alone.h"
#include "recorder/attributes.h"
#include "recorder/jobs.h"
#include "recorder/owner.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "schema/marks.h"

enum { TIMEOUT, ATTR, STRICT, SUMMARY };

#define GRACE_US 200000	/* extra time if the deadline passes before the request is complete */

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

/* Request and exit status for the signal handler when the time is over. */
static struct {
	int status;
	volatile sig_atomic_t status_left;
	/* whether the request is in the runtime directory, or the mark is made */
	volatile sig_atomic_t left;
	volatile sig_atomic_t ready;	/* whether the other members are set */
	volatile sig_atomic_t waited;
	char runtime_dir[CONFIG_TEXT_MAX];
	char name[SPOOL_NAME_SIZE];
	struct str text;		/* the request to leave, or empty */
} late;

static bool leave_late(void)
{
	struct spool s = { .dirfd = -1, .lockfd = -1 };
	return late.text.n && spool_open(&s, late.runtime_dir) == 0 &&
	       spool_leave_named(&s, late.name, late.text) == 0;
}

static void wait_again(void)
{
	const struct itimerval grace = { .it_value = { 0, GRACE_US } };
	late.waited = 1;
	setitimer(ITIMER_REAL, &grace, NULL);
}

/*
 * Leave the request and exit, so that the job goes on. This is the last resort if a disk or a
 * source hangs, or if a busy machine gave this process no time.
 */
static void on_late(int signal)
{
	static const char text[] = "nodometer: gave up: no answer in time\n";
	int saved = errno;
	if (!late.ready && !late.waited && signal == SIGALRM) {
		wait_again();
		errno = saved;
		return;
	}
	bool left = late.left || (late.ready && leave_late());
	int status = left ? late.status_left : late.status;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(status);
	_exit(status);
}

static void bound_time(int64_t us, bool may_fail)
{
	struct sigaction act = { .sa_handler = on_late };
	struct itimerval t = { .it_value = { us / 1000000, us % 1000000 } };
	sigaddset(&act.sa_mask, SIGALRM);
	sigaddset(&act.sa_mask, SIGTERM);
	late.status = may_fail ? EXIT_FAILED : EXIT_DONE;
	late.status_left = may_fail ? EXIT_WAITS : EXIT_DONE;
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

/* Set all that on_late() needs to leave the request. */
static void make_ready(const struct alone *a, struct buf *text)
{
	struct spool s = { .n = UINT_MAX - 1 };	/* a name that alone_mark() does not use */
	struct request q = { .text = a->text };
	if (!a->elsewhere && control_is_marked(a->verb, &q.what) && request_check(&q) == 0) {
		request_put(&q, text);
		str_copy(late.runtime_dir, CONFIG_TEXT_MAX, str_of(a->config->runtime_dir));
		spool_name(&s, a->asked_us, late.name);
	}
	late.text = text->n <= SPOOL_MARK_MAX ? buf_str(text) : STR("");
	late.ready = 1;
}

/* Whether an error of control_ask() means that no agent runs. */
static bool no_agent_runs(int e)
{
	return e == -ENOENT || e == -ECONNREFUSED;
}

/*
 * Report a missing agent. An agent that hangs still holds the counters; without an agent, no job
 * can warn the next one.
 */
static int tell_no_agent(enum control_verb verb, int e)
{
	if (e == -ETIMEDOUT) {
		log_error("the agent does not answer, and may hold the hardware counters: %s is "
			  "not done", control_verb_names[verb]);
		return EXIT_FAILED;
	}
	if (!no_agent_runs(e)) {
		log_error("the agent cannot be asked: %s", e == -ECONNRESET || e == -EPIPE ?
			  "it turned this user away, who asks too often" : strerror(-e));
		return EXIT_FAILED;
	}
	log_warning("no agent runs, so nobody holds the hardware counters; one that is started "
		    "takes them");
	return EXIT_DONE;
}

/* Print the part of an agent's reply after the TIME of the record group. */
static void tell_reply(enum control_verb verb, struct str reply)
{
	struct str line;
	if (verb == CONTROL_SUMMARY && str_take_line(&reply, &line))
		printf(STR_FMT "\n", STR_ARG(line));
	if (str_peek(reply) > '9')
		log_notice(STR_FMT, STR_ARG(reply));
}

int hook_connect(const struct config *c, bool elsewhere, int timeout_ms)
{
	int fd = elsewhere ? -ENOENT : control_connect(c->runtime_dir, timeout_ms);
	int e = owner_become(c, fd >= 0);
	if (e < 0)
		log_warning("going on as root: %s", strerror(-e));
	return fd;
}

/* The agent's share of the timeout in ms; the rest is for doing without it. */
static int agents_ms(const struct alone *a)
{
	int64_t left = a->start_ns / 1000000 + a->timeout_us * 6 / 10000 - monotonic_ns() / 1000000;
	return left > 0 ? (int)left : 0;
}

static int mark_it(const struct alone *a, int fd)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int e = fd < 0 ? fd : control_ask_there(fd, a->verb, a->text, agents_ms(a), &reply);

	if (e >= 0) {
		tell_reply(a->verb, buf_str(&reply));
		return e == CONTROL_WAITS ? EXIT_WAITS : EXIT_DONE;
	}
	if (e == -EREMOTEIO) {
		log_error("the agent says: " STR_FMT, STR_ARG(buf_str(&reply)));
		return EXIT_FAILED;
	}
	if (control_is_of_counters(a->verb) && (!no_agent_runs(e) || a->verb == CONTROL_YIELD))
		return tell_no_agent(a->verb, e);
	if (e == -ETIMEDOUT)
		log_warning("the agent does not answer; marking without it");
	return alone_mark(a);
}

bool hook_take_timeout(const char *text, int64_t *us)
{
	struct str s = str_of(text);
	return str_take_time(&s, us) && s.n == 0 && *us >= 10000 && *us <= 3600000000;
}

/* Append KEY=VALUE. An invalid or too long attribute is reported, but the mark is still made. */
static void add_attribute(struct buf *b, const char *text)
{
	int e = attributes_add(b, str_of(text));
	if (e == -EINVAL)
		log_warning("--attr %s: want KEY=VALUE, the key of small letters, digits and _; it "
			    "is left out", text);
	else if (e < 0)
		log_warning("--attr %s: all of them have more than %d bytes; it is left out", text,
			    ATTRIBUTES_MAX);
}

/* Keep an attribute, because attributes are parsed only after the process has given up root. */
static void hook_take_attribute(struct hook_request *q, const char *text)
{
	if (q->n_attrs == HOOK_ATTRS_MAX)
		log_warning("--attr %s: more than %d; it is left out", text, HOOK_ATTRS_MAX);
	else
		q->attr[q->n_attrs++] = text;
}

/*
 * Append the id and its attributes. No attributes follow an invalid id: a blank in it would make
 * its end an attribute.
 */
static void hook_put_text(struct buf *b, const struct hook_request *q, const char *text)
{
	struct buf attributes CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < q->n_attrs; i++)
		add_attribute(&attributes, q->attr[i]);
	buf_add(b, str_of(text));
	if (job_id_valid(str_of(text)))
		buf_add(b, buf_str(&attributes));
	buf_add_char(b, '\0');
	b->n--;
}

/*
 * Append the identity of the request, so that its mark is made once, whoever makes it and however
 * often it is asked for.
 */
static void hook_put_request(struct buf *b, const struct alone *a)
{
	struct request q = { .text = buf_str(b) };
	if (!control_is_marked(a->verb, &q.what) || request_check(&q) < 0)
		return;
	buf_addf(b, " " MARK_REQUEST_KEY "%lld.%d", (long long)a->asked_us, (int)getpid());
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
			return cli_misused(&c->cli, "--timeout wants seconds, from 0.01 to 3600");
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
	bool may_fail = q->strict || (verb != CONTROL_BEGIN && verb != CONTROL_END &&
				      verb != CONTROL_SUMMARY);
	bound_time(q->timeout_us, may_fail);
	struct alone a = {
		.config = &config, .verb = verb, .elsewhere = o->given.root || o->given.dir,
		.asked_us = realtime_us(), .start_ns = monotonic_ns(),
		.timeout_us = q->timeout_us, .left = &late.left,
	};
	int fd CLEANUP(close_fd) = hook_connect(&config, a.elsewhere, agents_ms(&a));
	hook_put_text(&all, q, text);
	hook_put_request(&all, &a);
	a.text = buf_str(&all);
	make_ready(&a, &left);
	int status = mark_it(&a, fd);
	if (status == EXIT_WAITS && !q->strict)
		status = EXIT_DONE;
	late.status_left = may_fail ? status : EXIT_DONE;
	late.left = 1;
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
					    : cli_misused(&c->cli, "want one job id");
	return q.strict ? status : EXIT_DONE;	/* a hook never harms a job */
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
		return cli_misused(&c->cli, "want a text of at most 512 bytes");
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
