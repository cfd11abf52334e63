/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c - command status: show the state of the agent, its jobs and its archive */
#include "agent/status_reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/status_check.h"
#include "cli/status_held.h"
#include "cli/status_lines.h"
#include "cli/status_sinks.h"
#include "agent/control.h"
#include "recorder/owner.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/bounded.h"
#include "base/utf8.h"
#include "base/json.h"

#define ANSWER_MS 1900	/* timeout of the whole command */
#define FILES_MS  400	/* part of the timeout that is reserved for reading files */

enum { AS_JSON, CHECK, WARNING, CRITICAL, IDLE_GPUS };

static const struct cli_option table[] = {
	[AS_JSON]  = { "json",     NULL,
		       "print one object: share/nodometer/schemas/status-1.json" },
	[CHECK]    = { "check",    NULL,
			"print one line, with the exit status of a Nagios plugin" },
	[WARNING]  = { "warning",  "SECONDS", "with --check: warn if the last sample is older" },
	[CRITICAL] = { "critical", "SECONDS",
		       "with --check: critical if the last sample is older" },
	[IDLE_GPUS] = { "idle-gpus", "TIME",
			"list GPUs that no process of their job used for TIME; exit 1 if any" },
};

static int find_line(struct str key)
{
	for (size_t i = 0; i < n_status_lines; i++)
		if (str_eq(key, str_of(status_lines[i].key)))
			return (int)i;
	return -1;
}

static void status_put_moment(struct buf *b, struct str seconds)
{
	int64_t usec;
	if (str_take_time(&seconds, &usec))
		buf_addf(b, "%s", cli_moment(usec).s);
}

static void status_put_text(struct buf *b, int i, struct str value)
{
	struct str id, since;
	size_t from = b->n;
	buf_addf(b, "%-25s ", status_lines[i].label);
	if (status_lines[i].shape == STATUS_MOMENT) {
		status_put_moment(b, value);
	} else if (status_lines[i].shape == STATUS_SECONDS) {
		buf_addf(b, STR_FMT " s", STR_ARG(value));
	} else if (status_lines[i].shape == STATUS_JOB && str_take_word(&value, &id) &&
		   str_take_word(&value, &since)) {
		buf_addf(b, STR_FMT ", since ", STR_ARG(id));
		status_put_moment(b, since);
		buf_addf(b, ", from" STR_FMT, STR_ARG(value));
	} else {
		buf_add(b, value);
	}
	utf8_make_printable(b->p + from, b->n - from);
	buf_add_char(b, '\n');
}

/* Append an element of an array such as jobs or errors. */
static void put_element(struct buf *b, enum status_shape shape, struct str value)
{
	struct str first = { 0 }, since = { 0 };
	if (shape == STATUS_LINE) {
		json_str(b, NULL, str_trim(value));
		return;
	}
	json_open(b, NULL, '{');
	str_take_word(&value, &first);
	json_str(b, shape == STATUS_JOB ? "id" : "type", first);
	if (shape == STATUS_JOB && str_take_word(&value, &since))
		json_raw(b, "since", since);
	json_str(b, shape == STATUS_JOB ? "source" : "why", str_trim(value));
	json_close(b, '}');
}

static void put_array(struct buf *b, const char *name, const char *key, enum status_shape shape,
		      struct str reply)
{
	struct str line, word;
	json_open(b, name, '[');
	while (str_take_line(&reply, &line))
		if (str_take_word(&line, &word) && str_eq(word, str_of(key)))
			put_element(b, shape, line);
	json_close(b, ']');
}

static void status_put_json(struct buf *b, struct str reply, bool running,
			    const struct status_sinks *sinks)
{
	struct str text = reply, line, key;
	json_open(b, NULL, '{');
	json_bool(b, "running", running);
	while (str_take_line(&text, &line)) {
		if (!str_take_word(&line, &key))
			continue;
		int i = find_line(key);
		if (i < 0 || status_lines[i].shape >= STATUS_JOB)
			continue;
		if (status_lines[i].shape == STATUS_TEXT)
			json_str(b, status_lines[i].key, str_trim(line));
		else
			json_raw(b, status_lines[i].key, str_trim(line));
	}
	put_array(b, "jobs", "job", STATUS_JOB, reply);
	put_array(b, "errors", "error", STATUS_ERROR, reply);
	put_array(b, "refused", "refused", STATUS_LINE, reply);
	put_array(b, "denied_to", "denied_to", STATUS_LINE, reply);
	status_put_sinks_json(b, sinks);
	json_u64(b, "schema", 1);
	buf_add(b, STR("}\n"));
}

static const char *how_to_start(void)
{
	if (access(SBINDIR "/nodometerd", X_OK) < 0)
		return "install the package nodometer, which has the agent";
	if (access("/run/systemd/system", F_OK) < 0)
		return SBINDIR "/nodometerd, or have cron run \"nodometer collect\"";
	return "systemctl enable --now nodometerd; journalctl -u nodometerd says why it ended";
}

static const char *agent_state(int e)
{
	if (e == 0)
		return "runs";
	if (e == -ETIMEDOUT)
		return "does not answer";
	return control_has_no_agent(e) ? "does not run" : "cannot be queried";
}

static void put_people(struct buf *b, struct str reply, int e, const struct status_sinks *sinks)
{
	struct str line, key;
	buf_addf(b, "%-25s %s\n", "agent", agent_state(e));
	if (control_has_no_agent(e))
		buf_addf(b, "%-25s %s\n", "to start it", how_to_start());
	while (str_take_line(&reply, &line)) {
		if (!str_take_word(&line, &key))
			continue;
		int i = find_line(key);
		if (i >= 0)
			status_put_text(b, i, str_trim(line));
	}
	status_put_sinks(b, sinks);
}

/* Describe the jobs and the archive from files, because no agent answered. */
static void ask_files(struct buf *b, const struct config *c)
{
	struct recorder r;
	char error[768];
	if (recorder_open(&r, c, &log_listener, error, sizeof(error)) < 0)
		return;
	buf_addf(b, "file %s/%s/current\n", c->dir, r.host.name);
	status_put_left(b, c);
	if (jobs_load(&r.jobs, r.jobs_path) == 0)
		status_put_jobs(b, &r.jobs);
	recorder_close(&r);
}

struct status_question {
	bool json, check;
	int64_t idle_us;	/* shortest idle time for --idle-gpus; 0: not given */
	struct status_limits limits;
	struct status_sinks sinks;
};

static bool status_take_seconds(const char *text, int64_t *us)
{
	struct str s = str_of(text);
	return str_take_time(&s, us) && s.n == 0;
}

static bool status_take_time(const char *text, int64_t *us)
{
	const struct key k = { .kind = KEY_NUMBER, .name = "--idle-gpus", .units = key_times,
			       .min = 1000, .max = INT64_MAX };
	struct buf why CLEANUP(buf_free) = { 0 };
	return key_set(&k, us, text, &why);
}

/* Parse the options. Returns -1 to continue, or the exit status. */
static int status_take_options(const struct command *c, struct options *o, int argc, char **argv,
			       struct status_question *q)
{
	const char *arg;
	int id;
	while ((id = options_next(o, &c->cli, argc, argv, &arg)) != -1) {
		int64_t *us = id == WARNING ? &q->limits.warning_us : &q->limits.critical_us;
		if (id == AS_JSON)
			q->json = true;
		else if (id == CHECK)
			q->check = true;
		else if (id == IDLE_GPUS && !status_take_time(arg, &q->idle_us))
			return cli_misused(&c->cli, "--idle-gpus needs a time, such as 90s, 60min "
					   "or 2h");
		else if (id == IDLE_GPUS)
			continue;
		else if (id != WARNING && id != CRITICAL)
			return command_status(id);
		else if (!status_take_seconds(arg, us))
			return cli_misused(&c->cli, "--warning and --critical need a number of "
					   "seconds");
	}
	return cli_refuse_operands(&c->cli, argc, argv) == CLI_END ? -1 : EXIT_USAGE;
}

/* Report error e of control_ask() unless no agent runs. For -EREMOTEIO, `reply` has the reason. */
static void warn_of(const struct config *c, int e, struct str reply)
{
	if (e == -EREMOTEIO)
		log_warning("the agent says: " STR_FMT, STR_ARG(reply));
	else if (e < 0 && !control_has_no_agent(e))
		log_warning("%s/control: %s", c->runtime_dir, e != -ETIMEDOUT ? strerror(-e) :
			    "there is an agent, but it does not answer");
}

static int64_t last_of(struct str reply)
{
	struct str line, key;
	int64_t usec = 0;
	while (str_take_line(&reply, &line))
		if (str_take_word(&line, &key) && str_eq(key, STR("last"))) {
			line = str_trim(line);
			str_take_time(&line, &usec);
		}
	return usec;
}

/* Print the idle GPUs. If the state of GPUs is unknown, print the reason to standard error. */
static int print_idle_gpus(const struct config *c, int64_t least_us, struct str reply, int e)
{
	struct buf out CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	if (e < 0) {
		log_error("the agent of %s does not answer: %s", c->runtime_dir, strerror(-e));
		return HELD_UNKNOWN;
	}
	int status = status_held(&out, &why, reply, least_us);
	fwrite(why.p, 1, why.n, stderr);
	fwrite(out.p, 1, out.n, stdout);
	return status;
}

/*
 * Input of status_compose(). If .files is set, also read the files of the archive and of
 * nodometer-send.
 */
struct status_text {
	const struct config *config;
	struct status_question *question;
	struct buf *reply;
	int e;			/* -errno if the agent did not answer, else 0 */
	bool files;
};

/* Append the line that --check would print as the first row, without its performance data. */
static void status_put_health(struct buf *out, const struct status_text *t,
			      const struct status_sinks *sinks)
{
	struct buf check CLEANUP(buf_free) = { 0 };
	struct str text, head;

	status_check(&check, buf_str(t->reply), t->e, &t->question->limits, sinks);
	text = buf_str(&check);
	str_take_prefix(&text, STR("NODOMETER "));
	if (str_take_until(&text, '|', &head))
		buf_addf(out, "%-25s " STR_FMT "\n", "health", STR_ARG(str_trim(head)));
}

/* Append the status text. Returns the exit status. */
static int status_compose(const struct status_text *t, struct buf *out)
{
	const struct status_sinks none = { .n = 0 };
	struct status_question *q = t->question;
	const struct status_sinks *sinks = t->files ? &q->sinks : &none;
	if (t->files)
		status_load_sinks(&q->sinks, t->config, last_of(buf_str(t->reply)));
	if (q->check)
		return status_check(out, buf_str(t->reply), t->e, &q->limits, sinks);
	if (t->files) {
		buf_add(t->reply, STR("hooks "));
		owner_put(t->reply, t->config);
		buf_add_char(t->reply, '\n');
	}
	if (!q->json && t->e == 0)
		status_put_health(out, t, sinks);
	if (q->json)
		status_put_json(out, buf_str(t->reply), t->e == 0, sinks);
	else
		put_people(out, buf_str(t->reply), t->e, sinks);
	return t->e == 0 ? EXIT_DONE : EXIT_FAILED;
}

/*
 * Append the status text to `out`, then the exit status as one byte. This runs in a child process,
 * because file systems may hang.
 */
static void status_compose_apart(void *arg, struct buf *out)
{
	int status = status_compose(arg, out);
	buf_add_char(out, (char)status);
}

/* Append a line to the agent's reply that the archive's file system hangs, unless it has one. */
static void status_add_hung(struct buf *reply, const struct config *c)
{
	struct str text = buf_str(reply), line;
	while (str_take_line(&text, &line))
		if (str_starts(line, STR("stopped ")))
			return;
	buf_addf(reply, "stopped the file system of %s or %s does not answer\n", c->dir,
		 c->state_dir);
}

static int print_status(const struct config *c, struct status_question *q)
{
	int64_t until_ms = monotonic_ns() / 1000000 + ANSWER_MS;
	struct buf reply CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	int e = control_ask(c->runtime_dir, CONTROL_STATUS, STR(""), ANSWER_MS - FILES_MS, &reply);
	struct status_text t = { c, q, &reply, e, true };

	if (!q->check && !q->idle_us)
		warn_of(c, e, buf_str(&reply));
	if (e < 0)
		reply.n = 0;
	if (q->idle_us)
		return print_idle_gpus(c, q->idle_us, buf_str(&reply), e);
	if (!q->check && e < 0)
		ask_files(&reply, c);
	int64_t left_ms = until_ms - monotonic_ns() / 1000000;
	int r = bounded_run((int)left_ms, status_compose_apart, &t, &out);
	if (r == -ETIMEDOUT) {
		status_add_hung(&reply, c);
		t.files = false;
	}
	if (r < 0)
		status_compose_apart(&t, &out);
	fwrite(out.p, 1, out.n - 1, stdout);
	return out.p[out.n - 1];
}

static int status_run(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct status_question q = { .json = false };
	const struct config_sinks sinks = status_take_sinks(&q.sinks);
	struct config c;
	o->sinks = &sinks;
	int status = status_take_options(cmd, o, argc, argv, &q);
	if (status < 0 && options_configure_anyway(o, &c) < 0)
		status = EXIT_USAGE;
	if (status < 0) {
		status = print_status(&c, &q);
		if (cli_flush() != CLI_OK)
			status = q.check || q.idle_us ? STATUS_UNKNOWN : EXIT_FAILED;
		config_free(&c);
	} else if (q.check && status != EXIT_DONE) {
		status = STATUS_UNKNOWN;
	}
	status_free_sinks(&q.sinks);
	return status;
}

const struct command status_command = {
	.run = status_run,
	.cli = {
		.command = "status", .operands = "", .common = CLI_ALL,
		CLI_OPTIONS(table),
		.about = "show the state of the agent, its jobs and its archive",
	},
};
