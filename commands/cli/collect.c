/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - commands collect and rotate: take one sample, through the agent or without it */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/job_marks.h"
#include "agent/control.h"
#include "recorder/job_sources.h"
#include "recorder/requests.h"
#include "archive/explain.h"
#include "archive/tidy.h"
#include "base/log.h"
#include "base/system/bounded.h"

#define ASK_MS 2000
#define LOCK_MS 10000	/* ms; longer than for a mark, because no job waits for a sample */
#define REACH_MS 10000	/* ms; timeout for the archive's file system */
#define RECORD_MS (LOCK_MS + 20000)

static const struct cli_option collect_table[] = {
	{ "stdout", NULL, "print a header and one record group; write nothing" },
};

static bool collect_is_among(const char *name, char **names, int n)
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

static int collect_choose_types(struct config *c, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!type_find(names[i]) && !is_counters(&c->named, names[i])) {
			log_error("unknown type %s; \"nodometer types\" lists them", names[i]);
			return -EINVAL;
		}
	for (size_t i = 0; n && i < n_types; i++)
		c->use[i] = !collect_is_among(types[i]->name, names, n) ? USE_OFF :
			    c->use[i] == USE_ISOLATE ? USE_ISOLATE : USE_ON;
	for (size_t i = 0; n && i < c->named.n; i++)
		c->named.type[i]->off = !collect_is_among(c->named.type[i]->name, names, n);
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

/*
 * Take a sample. If the job file changed since the last run of this command, the sample also has
 * the marks for this change.
 */
static int collect_sample(struct recorder *r, bool rotate)
{
	if (rotate)
		return recorder_rotate(r);
	int e = r->config->job_file[0] ? recorder_job_file(r) : 0;
	/* e is 1 if recorder_job_file() has written a sample with marks: do not write another */
	return e == 0 ? recorder_sample(r, 0) : e;
}

static void log_path_error(const char *dir, int e)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	explain_path(&why, dir, e, true);
	log_error("%s: " STR_FMT, dir, STR_ARG(buf_str(&why)));
}

struct collect_work {
	const struct config *config;
	bool rotate;
	bool marks;	/* also write the marks that hooks have requested (alone.c) */
};

/* Write a sample. Appends the host's name to `host`. Returns 0 or -errno. */
static int write_sample(const struct collect_work *w, struct buf *host)
{
	static struct recorder r;
	const struct config *c = w->config;
	char error[768];

	if (recorder_open(&r, c, &log_listener, error, sizeof(error)) < 0) {
		log_error("%s", error);
		return -EIO;
	}
	recorder_set_lock_timeout(&r, LOCK_MS);
	if (w->marks && recorder_drain(&r, NULL, NULL) < 0)
		log_warning("%s/marks: marks that hooks left there are not recorded",
			    c->runtime_dir);
	int e = collect_sample(&r, w->rotate);
	if (e < 0)
		log_path_error(c->dir, e);
	buf_add(host, str_of(r.host.name));
	recorder_close(&r);
	return e;
}

/* Access the archive. This runs in a child process, because the archive's file system may hang. */
static void collect_reach(void *arg, struct buf *out)
{
	const struct collect_work *w = arg;
	struct stat st;
	(void)out;
	/* the result does not matter, only that stat(2) returns in time */
	(void)stat(w->config->dir, &st);
}

/*
 * Write the sample. Append the result of write_sample(), an int, and the host's name to out. This
 * runs in a child process, because the file system may hang.
 */
static void write_sample_apart(void *arg, struct buf *out)
{
	struct buf host CLEANUP(buf_free) = { 0 };
	int e = write_sample(arg, &host);
	buf_add(out, (struct str){ (const char *)&e, sizeof(e) });
	buf_add(out, buf_str(&host));
	buf_add_char(out, '\0');
}

/*
 * Write a sample or rotate without an agent; after a rotation, also tidy the archive. Fails if the
 * archive's file system hangs.
 */
static int collect_alone(const struct config *c, bool rotate, bool marks)
{
	struct collect_work w = { c, rotate, marks };
	struct buf out CLEANUP(buf_free) = { 0 };
	int result, e = bounded_run(REACH_MS, collect_reach, &w, &out);
	if (e == 0)
		e = bounded_run(RECORD_MS, write_sample_apart, &w, &out);
	if (e == -ETIMEDOUT)
		log_error("%s: its file system does not answer; no sample is recorded, and marks "
			  "that hooks left in %s/marks stay there", c->dir, c->runtime_dir);
	else if (e < 0)
		log_error("%s: %s", c->dir, strerror(-e));
	if (e < 0)
		return EXIT_FAILED;
	memcpy(&result, out.p, sizeof(result));
	if (result == 0 && rotate)
		tidy_wait(tidy_start(c->dir, out.p + sizeof(result), &c->retain, &log_listener));
	return result < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Ask the agent. Returns the exit status, or -1 if no agent runs or the agent does not answer. */
static int collect_ask(const struct config *c, bool elsewhere, enum control_verb verb)
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
		log_warning("the agent does not answer; continuing without it");
	return -1;
}

static int collect_run(const struct command *cmd, struct options *o, int argc, char **argv)
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
	if (collect_choose_types(&c, argv + optind, argc - optind) < 0)
		status = EXIT_USAGE;
	else if (to_stdout)
		status = print_sample(&c);
	else
		status = collect_ask(&c, !all || o->given.root || o->given.dir, CONTROL_COLLECT);
	if (status < 0)
		status = collect_alone(&c, false, !o->given.root && !o->given.dir);
	config_free(&c);
	return status;
}

static int collect_run_rotate(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct config c;
	const char *arg;
	int id = options_next(o, &cmd->cli, argc, argv, &arg);
	if (id != -1)
		return command_status(id);
	if (cli_refuse_operands(&cmd->cli, argc, argv) != CLI_END)
		return EXIT_USAGE;
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	int status = collect_ask(&c, o->given.root || o->given.dir, CONTROL_ROTATE);
	if (status < 0)
		status = collect_alone(&c, true, !o->given.root && !o->given.dir);
	config_free(&c);
	return status;
}

const struct command collect_command = {
	.run = collect_run,
	.cli = {
		.command = "collect", .operands = "[TYPE...]", .common = CLI_ALL,
		CLI_OPTIONS(collect_table),
		.about = "take one sample of all types, or of the given types",
	},
};
const struct command rotate_command = {
	.run = collect_run_rotate,
	.cli = {
		.command = "rotate", .operands = "", .common = CLI_ALL,
		.about = "close the archive's current file and start a new one",
	},
};
