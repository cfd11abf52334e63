/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c - status: is there an agent, and how is it */
#include "agent/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "agent/command.h"
#include "agent/control.h"
#include "base/log.h"
#include "formats/json.h"
#include "formats/raw_write.h"

static const struct option_help table[] = {
	{ "json", NULL, "one JSON object", OPTION_JSON },
	OPTIONS_COMMON
};

enum shape { NUMBER, MOMENT, SECONDS, TEXT, JOB, ERROR };

static const struct {
	const char *key;
	enum shape shape;
	const char *label;
} lines[] = {
	{ "version",  TEXT,    "version"                  },
	{ "pid",      NUMBER,  "process"                  },
	{ "since",    MOMENT,  "running since"            },
	{ "interval", SECONDS, "interval"                 },
	{ "file",     TEXT,    "current file"             },
	{ "size",     NUMBER,  "its size in bytes"        },
	{ "samples",  NUMBER,  "samples taken"            },
	{ "last",     MOMENT,  "last sample"              },
	{ "missed",   NUMBER,  "ticks missed"             },
	{ "waiting",  NUMBER,  "groups waiting in memory" },
	{ "lost",     NUMBER,  "groups lost"              },
	{ "job",      JOB,     "job"                      },
	{ "released", TEXT,    "counters released to job" },
	{ "error",    ERROR,   "type in error"            },
};

static int find_line(struct str key)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (str_eq(key, str_of(lines[i].key)))
			return (int)i;
	return -1;
}

/* "2026-11-21 00:15:06" for people. */
static void put_moment(struct buf *b, struct str seconds)
{
	int64_t usec;
	char text[64];
	struct tm tm;
	if (!str_take_time(&seconds, &usec))
		return;
	time_t t = (time_t)(usec / 1000000);
	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_add(b, str_of(text));
}

static void put_text(struct buf *b, int i, struct str value)
{
	struct str id, since;
	buf_addf(b, "%-25s ", lines[i].label);
	if (lines[i].shape == MOMENT) {
		put_moment(b, value);
	} else if (lines[i].shape == SECONDS) {
		buf_addf(b, STR_FMT " s", STR_ARG(value));
	} else if (lines[i].shape == JOB && str_take_word(&value, &id) &&
		   str_take_word(&value, &since)) {
		buf_addf(b, STR_FMT ", since ", STR_ARG(id));
		put_moment(b, since);
		buf_addf(b, ", from" STR_FMT, STR_ARG(value));
	} else {
		buf_add(b, value);
	}
	buf_add_char(b, '\n');
}

static void put_pair(struct buf *b, const char *name, struct str value)
{
	json_put_name(b, name);
	json_put_string(b, value);
}

/* The element of an array: jobs, errors. */
static void put_element(struct buf *b, enum shape shape, struct str value)
{
	struct str first = { 0 }, since = { 0 };
	buf_add_char(b, '{');
	str_take_word(&value, &first);
	put_pair(b, shape == JOB ? "id" : "type", first);
	if (shape == JOB && str_take_word(&value, &since)) {
		json_put_name(b, "since");
		buf_add(b, since);
	}
	put_pair(b, shape == JOB ? "source" : "why", str_trim(value));
	buf_add_char(b, '}');
}

static void put_array(struct buf *b, const char *name, const char *key, enum shape shape,
		      struct str reply)
{
	struct str line, word;
	bool first = true;
	json_put_name(b, name);
	buf_add_char(b, '[');
	while (str_take_line(&reply, &line)) {
		if (!str_take_word(&line, &word) || !str_eq(word, str_of(key)))
			continue;
		if (!first)
			buf_add_char(b, ',');
		put_element(b, shape, line);
		first = false;
	}
	buf_add_char(b, ']');
}

static void put_json(struct buf *b, struct str reply, bool running)
{
	struct str text = reply, line, key;
	buf_add_char(b, '{');
	json_put_name(b, "running");
	buf_add(b, running ? STR("true") : STR("false"));
	while (str_take_line(&text, &line)) {
		if (!str_take_word(&line, &key))
			continue;
		int i = find_line(key);
		if (i < 0 || lines[i].shape == JOB || lines[i].shape == ERROR)
			continue;
		json_put_name(b, lines[i].key);
		if (lines[i].shape == TEXT)
			json_put_string(b, str_trim(line));
		else
			buf_add(b, str_trim(line));
	}
	put_array(b, "jobs", "job", JOB, reply);
	put_array(b, "errors", "error", ERROR, reply);
	buf_add(b, STR("}\n"));
}

static void put_people(struct buf *b, struct str reply, bool running)
{
	struct str line, key;
	buf_addf(b, "%-25s %s\n", "agent", running ? "runs" : "does not run");
	while (str_take_line(&reply, &line)) {
		if (!str_take_word(&line, &key))
			continue;
		int i = find_line(key);
		if (i >= 0)
			put_text(b, i, str_trim(line));
	}
}

/* What the files tell when there is no agent to ask: the jobs and the archive. */
static void ask_files(struct buf *b, const struct config *c)
{
	struct recorder r;
	char error[768];
	if (recorder_open(&r, c, error, sizeof(error)) < 0)
		return;
	buf_addf(b, "file %s/%s/current\n", c->dir, r.host.name);
	if (jobs_load(&r.jobs, r.jobs_path) == 0)
		status_put_jobs(b, &r.jobs);
	recorder_close(&r);
}

static int run_status(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct buf reply CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct config c;
	bool json;

	int status = command_configure(cmd, o, argc, argv, &c, &json);
	if (status >= 0)
		return status;
	int r = control_ask(c.runtime_dir, CONTROL_STATUS, STR(""), 2000, &reply);
	if (r == -ETIMEDOUT || r == -EACCES)
		log_warning("%s/control: %s", c.runtime_dir, r == -EACCES ? strerror(-r) :
			    "there is an agent, but it does not answer");
	if (r < 0) {
		reply.n = 0;
		ask_files(&reply, &c);
	}
	if (json)
		put_json(&out, buf_str(&reply), r == 0);
	else
		put_people(&out, buf_str(&reply), r == 0);
	fwrite(out.p, 1, out.n, stdout);
	config_free(&c);
	return r == 0 ? EXIT_DONE : EXIT_FAILED;
}

const struct command status_command = {
	.name = "status", .arguments = "", .run = run_status, OPTIONS(table),
	.summary = "whether the agent runs, its jobs and its archive",
};
