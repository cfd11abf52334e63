/* SPDX-License-Identifier: BSD-3-Clause */
/* outputs.c - outputs of nodometer xrootd: lines to files or a pipe, records to an archive */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "xrootd/program.h"
#include "xrootd/receiver.h"
#include "xrootd/lines/xrd_events.h"

/* formats that each kind of output accepts with --format, and the default format */
static const struct output_kind_forms {
	const char *option;
	bool forms[FORMAT_WLCG + 1];
	enum line_format usual;
	bool filtered;
} kinds[] = {
	[KIND_TRANSFERS]   = { "transfers",   { [FORMAT_NODOMETER] = true, [FORMAT_OSG] = true,
						[FORMAT_WLCG] = true }, FORMAT_NODOMETER, true },
	[KIND_SESSIONS]    = { "sessions",    { [FORMAT_NODOMETER] = true }, FORMAT_NODOMETER,
			       false },
	[KIND_CACHE]       = { "cache",       { [FORMAT_OSG] = true, [FORMAT_WLCG] = true },
			       FORMAT_OSG, true },
	[KIND_COPIES]      = { "copies",      { [FORMAT_OSG] = true, [FORMAT_WLCG] = true },
			       FORMAT_OSG, true },
	[KIND_CONNECTIONS] = { "connections", { [FORMAT_OSG] = true }, FORMAT_OSG, false },
	[KIND_SUMMARIES]   = { "summaries",   { [FORMAT_OSG] = true }, FORMAT_OSG, false },
	[KIND_DATAGRAMS]   = { "shovel",      { false }, FORMAT_NONE, false },
	[KIND_EVENTS]      = { "events",      { false }, FORMAT_NONE, false },
	[KIND_RAW]         = { "raw",         { false }, FORMAT_NONE, false },
};

struct xrootd_output *outputs_add(struct xrootd_program *p, enum output_kind kind)
{
	size_t i = kind == KIND_TRANSFERS ? TO_TRANSFERS : kind == KIND_EVENTS ? TO_EVENTS :
		   kind == KIND_RAW ? TO_RAW : TO_MORE;
	if (i == TO_TRANSFERS && p->to[i].on)
		i = TO_MORE;
	while (i >= TO_MORE && i < TO_RAW && p->to[i].on)
		i++;
	if (i >= TO_RAW && kind != KIND_RAW)
		return NULL;
	p->to[i].on = true;
	p->to[i].kind = kind;
	return &p->to[i];
}

static bool outputs_is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static const char *outputs_display_name(const char *path)
{
	return outputs_is_stdout(path) ? "standard output" : path;
}

static bool outputs_same_path(const struct xrootd_output *a, const struct xrootd_output *b)
{
	return a->on && b->on && strcmp(outputs_display_name(a->path),
					outputs_display_name(b->path)) == 0;
}

static bool outputs_any(const struct xrootd_program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on)
			return true;
	return false;
}

const char *const line_format_names[] = { "", "nodometer", "osg", "wlcg" };

static const char *outputs_check_filter(const struct xrootd_output *o, char *why, size_t size)
{
	const struct output_kind_forms *k = &kinds[o->kind];
	bool set = line_filter_is_set(&o->filter);
	snprintf(why, size, "--vo, --path and --rest cannot be used with --%s", k->option);
	if ((set || o->filter.rest) && !k->filtered)
		return why;
	snprintf(why, size, "--vo cannot be used with --%s, whose messages name no organisation",
		 k->option);
	if (o->filter.vos.n && o->kind != KIND_TRANSFERS)
		return why;
	return set && o->filter.rest ?
	       "--rest cannot be used with --vo and --path: it selects what they leave on other "
	       "outputs" : NULL;
}

/*
 * Check the options of one output and set its default format. Returns NULL, or an error text
 * (constant or in `why`).
 */
static const char *outputs_settle_one(struct xrootd_output *o, char *why, size_t size)
{
	const struct output_kind_forms *k = &kinds[o->kind];
	const struct line_filter *f = &o->filter;
	if (!o->on && (o->format || o->open || f->rest || line_filter_is_set(f)))
		return "--format, --vo, --path, --rest and --open must follow the --transfers, "
		       "--cache or --copies that they apply to";
	if (!o->on)
		return NULL;
	snprintf(why, size, "--%s has no format %s", k->option, line_format_names[o->format]);
	if (o->format && !k->forms[o->format])
		return why;
	o->format = o->format ? o->format : k->usual;
	if (o->open && (o->kind != KIND_TRANSFERS || o->format != FORMAT_NODOMETER))
		return "--open needs --transfers --format nodometer: sites' pipelines would count "
		       "an access several times";
	return outputs_check_filter(o, why, size);
}

static const char *outputs_find_duplicate(const struct xrootd_program *p, char *why, size_t size)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		for (size_t k = i + 1; k < OUTPUTS; k++) {
			if (!outputs_same_path(&p->to[i], &p->to[k]))
				continue;
			snprintf(why, size, "--%s and --%s both write to %s: use a file for each",
				 kinds[p->to[i].kind].option, kinds[p->to[k].kind].option,
				 outputs_display_name(p->to[i].path));
			return why;
		}
	return NULL;
}

const char *outputs_settle(struct xrootd_program *p, char *why, size_t size)
{
	bool used = false;
	if (!outputs_any(p))
		p->to[TO_TRANSFERS].on = true;
	for (size_t i = 0; i < OUTPUTS; i++) {
		const char *wrong = outputs_settle_one(&p->to[i], why, size);
		if (wrong)
			return wrong;
		if (!p->to[i].on || p->to[i].path)
			continue;
		p->to[i].path = p->output;
		used = true;
	}
	if (p->output && !used)
		return "--output cannot be used if each output names its file";
	return outputs_find_duplicate(p, why, size);
}

/* Check if the path is a directory, or names one that does not exist yet: "DIR/". */
static bool outputs_is_directory(const char *path)
{
	struct stat st;
	return (*path && path[strlen(path) - 1] == '/') ||
	       (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void outputs_open_file(struct xrootd_output *o)
{
	o->fd = outputs_is_stdout(o->path) ? STDOUT_FILENO : receiver_open(o->path);
	if (o->fd >= 0)
		return;
	log_error("%s: %s", o->path, strerror(-o->fd));
	exit(CLI_FAILED);
}

void outputs_open(struct xrootd_program *p)
{
	struct xrootd_output *raw = &p->to[TO_RAW];
	if (raw->on && !outputs_is_stdout(raw->path) && outputs_is_directory(raw->path))
		p->recorder.dir = raw->path;
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on && !(i == TO_RAW && p->recorder.dir))
			outputs_open_file(&p->to[i]);
	p->recorder.fd = raw->fd;
}

static _Noreturn void outputs_exit_on_error(const struct xrootd_output *o, int error)
{
	log_error("%s: %s", outputs_display_name(o->path), strerror(error));
	exit(CLI_FAILED);
}

/*
 * Check if writing to an output may be retried: a full disk may get room again. A closed pipe, or
 * any error with --read, ends the program.
 */
static bool outputs_may_retry(const struct xrootd_program *p, const struct xrootd_output *o)
{
	return !p->read && output_is_file(o);
}

void outputs_write(struct xrootd_program *p)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		struct xrootd_output *o = &p->to[i];
		bool waited = o->waits;
		int e = output_write(o, outputs_display_name(o->path));
		if (e < 0 && !outputs_may_retry(p, o))
			outputs_exit_on_error(o, -e);
		if (e < 0 && !waited)
			log_error("%s: %s; lines wait in memory", outputs_display_name(o->path),
				  strerror(-e));
	}
}

void outputs_write_last(struct xrootd_program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		p->to[i].tried_ns = 0;
	outputs_write(p);
}

bool outputs_wait(const struct xrootd_program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].text.n > 0)
			return true;
	return false;
}

void outputs_no_records(struct xrootd_program *p, int error)
{
	struct xrootd_output *o = &p->to[TO_RAW];
	if (!outputs_may_retry(p, o))
		outputs_exit_on_error(o, error);
	if (!o->waits)
		log_error("%s: cannot write a record group: %s; its sums go into the next one",
			  outputs_display_name(o->path), strerror(error));
	o->waits = true;
}

void outputs_put_head(struct xrootd_program *p)
{
	struct xrootd_output *o = &p->to[TO_EVENTS];
	struct buf all = { 0 };
	if (!p->csv || files_has_content(o->fd))
		return;
	xrd_event_csv_head(&all);
	if (str_starts(buf_str(&o->text), buf_str(&all))) {
		buf_free(&all);
		return;
	}
	buf_add(&all, buf_str(&o->text));	/* lines that wait because the disk was full */
	buf_free(&o->text);
	o->text = all;
}

void outputs_reopen(struct xrootd_program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		struct xrootd_output *o = &p->to[i];
		if (!o->on || outputs_is_stdout(o->path) || (i == TO_RAW && p->recorder.dir) ||
		    !receiver_reopen(o->path, &o->fd))
			continue;
		if (i == TO_EVENTS)
			outputs_put_head(p);
		if (i != TO_RAW)
			continue;
		p->recorder.fd = o->fd;
		p->recorder.headed = false;
	}
}

static bool outputs_is_file(const struct xrootd_output *o)
{
	struct stat st;
	return o->on && !outputs_is_stdout(o->path) && fstat(o->fd,
							     &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * Choose the default state file: DIR/.xrootd-state for an archive, else FILE.state for the first
 * output file. There is no default with --read.
 */
void outputs_name_state(struct xrootd_program *p)
{
	const char *path = NULL;
	if (p->keeper.path || p->read)
		return;
	for (size_t i = 0; i < OUTPUTS && !path && !p->recorder.dir; i++)
		path = outputs_is_file(&p->to[i]) ? p->to[i].path : NULL;
	if (p->recorder.dir)
		buf_addf(&p->state_path, "%s/.xrootd-state", p->recorder.dir);
	else if (path)
		buf_addf(&p->state_path, "%s.state", path);
	else
		return;
	buf_add_char(&p->state_path, '\0');
	p->keeper.path = p->state_path.p;
}

static struct receiver_paths outputs_paths(const struct xrootd_program *p)
{
	struct receiver_paths paths = {
		.state = p->keeper.path, .tidies = p->recorder.live, .serves = p->page != NULL,
	};
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on && !outputs_is_stdout(p->to[i].path))
			paths.output[i] = p->to[i].path;
	return paths;
}

void outputs_become(struct xrootd_program *p)
{
	struct receiver_paths paths = outputs_paths(p);
	struct buf host_dir CLEANUP(buf_free) = { 0 };
	const char *dir = p->recorder.dir;
	if (geteuid() != 0)
		return;
	if (dir && xrd_recorder_identify(&p->recorder) == 0) {
		buf_addf(&host_dir, "%s/%s%c", dir, p->recorder.host.name, '\0');
		paths.handed_over[0] = access(dir, F_OK) < 0 ? dir : NULL;
		/* ignore an error here: archive_open() reports it later */
		if (archive_make_dirs(host_dir.p) == 0)
			paths.handed_over[1] = host_dir.p;
	}
	keeper_open(&p->keeper);
	receiver_become(&paths);
}

void outputs_confine(const struct xrootd_program *p)
{
	const struct receiver_paths paths = outputs_paths(p);
	receiver_confine(&paths);
}

void outputs_free(struct xrootd_program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		buf_free(&p->to[i].text);
	user_texts_free(&p->users);
}
