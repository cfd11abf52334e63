/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.c - the program nodometer: handle begin and end, else execute nodometer-commands
 *
 * Schedulers run "nodometer begin" and "nodometer end" for each job on each node. To start fast,
 * this program contains only the code that asks an agent for the begin and end marks of a job. For
 * anything else, it executes nodometer-commands with the same words.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "base/system/program.h"
#include "cli/hook.h"
#include "recorder/runtime_dir.h"

/* The command line of "begin" or "end". */
struct front {
	enum control_verb verb;	/* the command; CONTROL_VERBS until it is known */
	struct hook_request request;
	const char *config;	/* argument of --config, or NULL */
	const char *job;
};

/* If argv[*i] is name=VALUE, or name followed by a word VALUE, take VALUE and advance *i. */
static bool front_take_value(const char *name, char **argv, int *i, const char **value)
{
	size_t n = strlen(name);
	if (strncmp(argv[*i], name, n) != 0)
		return false;
	if (argv[*i][n] == '=')
		*value = argv[*i] + n + 1;
	else if (argv[*i][n] == '\0' && argv[*i + 1])
		*value = argv[++*i];
	else
		return false;
	return true;
}

static bool front_take_option(struct front *f, char **argv, int *i)
{
	const char *value;
	if (front_take_value("--config", argv, i, &f->config))
		return true;
	if (f->verb == CONTROL_VERBS)	/* only --config may stand before the command */
		return false;
	if (strcmp(argv[*i], "--strict") == 0)
		return f->request.strict = true;
	if (front_take_value("--timeout", argv, i, &value))
		return hook_take_timeout(value, &f->request.timeout_us);
	if (!front_take_value("--attr", argv, i, &value) ||
	    f->request.n_attrs == HOOK_ATTRS_MAX)
		return false;
	hook_take_attribute(&f->request, value);
	return true;
}

static bool front_take_operand(struct front *f, const char *word)
{
	if (f->verb != CONTROL_VERBS) {
		bool is_first = !f->job;
		f->job = word;
		return is_first;
	}
	f->verb = strcmp(word, "begin") == 0 ? CONTROL_BEGIN :
		  strcmp(word, "end") == 0 ? CONTROL_END : CONTROL_VERBS;
	return f->verb != CONTROL_VERBS;
}

/* Parse the command line. Returns false if it must be left to nodometer-commands. */
static bool front_take_words(struct front *f, char **argv)
{
	bool only_operands = false, fine = true;
	for (int i = 1; argv[i] && fine; i++) {
		if (only_operands || argv[i][0] != '-')
			fine = front_take_operand(f, argv[i]);
		else if (strcmp(argv[i], "--") == 0)
			fine = only_operands = f->verb != CONTROL_VERBS;
		else
			fine = front_take_option(f, argv, &i);
	}
	return fine && f->job;
}

/* Execute nodometer-commands. If word is not NULL, insert it before the other words. */
static int front_run_commands(int argc, char **argv, char *word)
{
	char **args = calloc((size_t)argc + 2, sizeof(*args));
	int n = 0;
	if (!args)
		abort();
	args[n++] = argv[0];
	if (word)
		args[n++] = word;
	for (int i = 1; i < argc; i++)
		args[n++] = argv[i];
	int e = program_run("commands", args);
	log_error("nodometer-commands: %s", strerror(-e));
	free(args);
	return EXIT_USAGE;
}

/*
 * Handle a request that the agent did not answer: store the request so that it is not lost, then
 * execute nodometer-commands, which writes the mark with the same identity and deadline, and with
 * the privileges that this process still has.
 */
static int front_hand_over(const struct hook *h, bool was_root, int argc, char **argv)
{
	char word[HOOK_WORD_SIZE];
	const struct itimerval none = { .it_value = { 0, 0 } };
	hook_hand_over(h, word);
	bool left = hook_leave();
	if (was_root && geteuid() != 0)
		privileges_pass_on();
	/* a timer left running would end nodometer-commands by SIGALRM */
	setitimer(ITIMER_REAL, &none, NULL);
	int status = front_run_commands(argc, argv, word);
	return left ? EXIT_WAITS : status;
}

/* Give up root before parsing words that users may have chosen, such as a job's name. */
static void front_leave_root(const char *runtime_dir)
{
	int e = privileges_of_writer(runtime_dir, privileges_here(PRIVILEGES_OF_TYPES));
	if (e < 0)
		log_warning("cannot drop root privileges, continuing as root: %s", strerror(-e));
}

/* Ask the agent to mark the job's begin or end. Returns the exit status. */
static int front_mark(const struct front *f, const char *runtime_dir, int argc, char **argv)
{
	struct buf text CLEANUP(buf_free) = { 0 }, kept CLEANUP(buf_free) = { 0 };
	bool is_root = geteuid() == 0;
	struct hook h = {
		.verb = f->verb, .runtime_dir = runtime_dir, .timeout_us = f->request.timeout_us,
	};
	hook_start(&h);
	hook_bound_time(&h, f->request.strict);
	int fd CLEANUP(close_fd) = control_connect(runtime_dir, hook_agents_ms(&h));
	if (fd < 0)
		return front_hand_over(&h, is_root, argc, argv);
	if (is_root)
		front_leave_root(runtime_dir);
	hook_put_text(&text, &h, &f->request, f->job);
	h.text = buf_str(&text);
	hook_make_ready(&h, &kept);
	int status = hook_ask(&h, fd);
	if (status < 0)
		status = front_hand_over(&h, is_root, argc, argv);
	return hook_finish(status, f->request.strict);
}

/*
 * Return whether this program may parse the command line itself: it is called "nodometer", not
 * mpxstats or pmgraph, and POSIXLY_CORRECT, which forbids options after operands, is not set.
 */
static bool front_is_usual(const char *called)
{
	const char *slash = strrchr(called, '/');
	return strcmp(slash ? slash + 1 : called, "nodometer") == 0 && !getenv("POSIXLY_CORRECT");
}

int main(int argc, char **argv)
{
	struct front f = {
		.verb = CONTROL_VERBS, .request = { .timeout_us = HOOK_TIMEOUT_US },
	};
	char runtime_dir[CONFIG_TEXT_MAX];

	log_open("nodometer", LOG_LEVEL_INFO);
	bool asks_agent = argc > 2 && front_is_usual(argv[0]) && front_take_words(&f, argv) &&
			  runtime_dir_find(f.config, runtime_dir);
	int status = asks_agent ? front_mark(&f, runtime_dir, argc, argv)
				: front_run_commands(argc, argv, NULL);
	bool may_fail = f.verb == CONTROL_VERBS || f.request.strict;
	/* a hook must never harm a job by its exit status */
	return may_fail ? status : EXIT_DONE;
}
