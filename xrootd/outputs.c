/* SPDX-License-Identifier: BSD-3-Clause */
/* outputs.c - where nodometer xrootd writes: lines to files or a pipe, records to an archive */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "tracers/xrootd/program.h"
#include "tracers/xrootd/receiver.h"
#include "tracers/xrootd/lines/xrd_events.h"

/* Forms that lines of a kind may have, by --format. */
static const struct kind {
	const char *option;
	bool forms[FORMAT_WLCG + 1];
	enum line_format usual;
	bool filtered;
} kinds[] = {
	[KIND_TRANSFERS]   = { "transfers",   { [FORMAT_OWN] = true, [FORMAT_OSG] = true,
						[FORMAT_WLCG] = true }, FORMAT_OWN, true },
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

struct output *outputs_add(struct program *p, enum output_kind kind)
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

static bool is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static const char *name_of(const char *path)
{
	return is_stdout(path) ? "standard output" : path;
}

static bool is_same(const struct output *a, const struct output *b)
{
	return a->on && b->on && strcmp(name_of(a->path), name_of(b->path)) == 0;
}

static bool has_one(const struct program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on)
			return true;
	return false;
}

const char *const line_format_names[] = { "", "nodometer", "osg", "wlcg" };

static const char *check_filter(const struct output *o, char *why, size_t size)
{
	const struct kind *k = &kinds[o->kind];
	bool set = line_filter_is_set(&o->filter);
	snprintf(why, size, "--vo, --path and --rest are not of --%s", k->option);
	if ((set || o->filter.rest) && !k->filtered)
		return why;
	snprintf(why, size, "--vo is not of --%s: its messages name no organisation", k->option);
	if (o->filter.vos.n && o->kind != KIND_TRANSFERS)
		return why;
	return set && o->filter.rest ? "--rest is what --vo and --path of others leave" : NULL;
}

/* NULL, or what is wrong with what was named of it. */
static const char *settle_lines(struct output *o, char *why, size_t size)
{
	const struct kind *k = &kinds[o->kind];
	const struct line_filter *f = &o->filter;
	if (!o->on && (o->format || o->open || f->rest || line_filter_is_set(f)))
		return "--format, --vo, --path, --rest and --open go after the --transfers, "
		       "--cache or --copies that they are for";
	if (!o->on)
		return NULL;
	snprintf(why, size, "--%s has no form %s", k->option, line_format_names[o->format]);
	if (o->format && !k->forms[o->format])
		return why;
	o->format = o->format ? o->format : k->usual;
	if (o->open && (o->kind != KIND_TRANSFERS || o->format != FORMAT_OWN))
		return "--open is of --transfers --format nodometer: sites' pipelines would count "
		       "an access several times";
	return check_filter(o, why, size);
}

static const char *find_same(const struct program *p, char *why, size_t size)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		for (size_t k = i + 1; k < OUTPUTS; k++) {
			if (!is_same(&p->to[i], &p->to[k]))
				continue;
			snprintf(why, size, "--%s and --%s both go to %s: give each a file",
				 kinds[p->to[i].kind].option, kinds[p->to[k].kind].option,
				 name_of(p->to[i].path));
			return why;
		}
	return NULL;
}

const char *outputs_settle(struct program *p, char *why, size_t size)
{
	bool used = false;
	if (!has_one(p))
		p->to[TO_TRANSFERS].on = true;
	for (size_t i = 0; i < OUTPUTS; i++) {
		const char *wrong = settle_lines(&p->to[i], why, size);
		if (wrong)
			return wrong;
		if (!p->to[i].on || p->to[i].path)
			continue;
		p->to[i].path = p->output;
		used = true;
	}
	if (p->output && !used)
		return "--output is of an output that names no file";
	return find_same(p, why, size);
}

/* Whether path is a folder, or names one: "DIR/". */
static bool is_folder(const char *path)
{
	struct stat st;
	return (*path && path[strlen(path) - 1] == '/') ||
	       (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void open_one(struct output *o)
{
	o->fd = is_stdout(o->path) ? STDOUT_FILENO : receiver_open(o->path);
	if (o->fd >= 0)
		return;
	log_error("%s: %s", o->path, strerror(-o->fd));
	exit(CLI_FAILED);
}

void outputs_open(struct program *p)
{
	struct output *raw = &p->to[TO_RAW];
	if (raw->on && !is_stdout(raw->path) && is_folder(raw->path))
		p->recorder.dir = raw->path;
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on && !(i == TO_RAW && p->recorder.dir))
			open_one(&p->to[i]);
	p->recorder.fd = raw->fd;
}

static _Noreturn void end_unread(const struct output *o, int error)
{
	log_error("%s: %s", name_of(o->path), strerror(error));
	exit(CLI_FAILED);
}

/* An unread pipe is the end, a full disk has room again. A run that reads files ends, too. */
static bool may_wait(const struct program *p, const struct output *o)
{
	return !p->read && output_is_file(o);
}

void outputs_write(struct program *p)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		struct output *o = &p->to[i];
		bool waited = o->waits;
		int e = output_write(o, name_of(o->path));
		if (e < 0 && !may_wait(p, o))
			end_unread(o, -e);
		if (e < 0 && !waited)
			log_error("%s: %s; lines wait in memory", name_of(o->path), strerror(-e));
	}
}

void outputs_write_last(struct program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		p->to[i].tried_ns = 0;
	outputs_write(p);
}

bool outputs_wait(const struct program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].text.n > 0)
			return true;
	return false;
}

void outputs_no_records(struct program *p, int error)
{
	struct output *o = &p->to[TO_RAW];
	if (!may_wait(p, o))
		end_unread(o, error);
	if (!o->waits)
		log_error("%s: %s; the next record group has its sums, too", name_of(o->path),
			  strerror(error));
	o->waits = true;
}

/* Not in the middle of a file that goes on. */
void outputs_put_head(struct program *p)
{
	struct output *o = &p->to[TO_EVENTS];
	struct buf all = { 0 };
	if (!p->csv || files_has_content(o->fd))
		return;
	xrd_event_csv_head(&all);
	buf_add(&all, buf_str(&o->text));	/* of a disk that was full */
	buf_free(&o->text);
	o->text = all;
}

void outputs_reopen(struct program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		struct output *o = &p->to[i];
		if (!o->on || is_stdout(o->path) || (i == TO_RAW && p->recorder.dir) ||
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

static bool is_kept(const struct output *o)
{
	struct stat st;
	return o->on && !is_stdout(o->path) && fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* DIR/.xrootd-state, FILE.state of the first file; where a file is read, if it is asked for. */
void outputs_name_state(struct program *p)
{
	const char *path = NULL;
	if (p->keeper.path || p->read)
		return;
	for (size_t i = 0; i < OUTPUTS && !path && !p->recorder.dir; i++)
		path = is_kept(&p->to[i]) ? p->to[i].path : NULL;
	if (p->recorder.dir)
		buf_addf(&p->state_path, "%s/.xrootd-state", p->recorder.dir);
	else if (path)
		buf_addf(&p->state_path, "%s.state", path);
	else
		return;
	buf_add_char(&p->state_path, '\0');
	p->keeper.path = p->state_path.p;
}

static struct receiver_paths paths_of(const struct program *p)
{
	struct receiver_paths paths = {
		.state = p->keeper.path, .tidies = p->recorder.live,
	};
	for (size_t i = 0; i < OUTPUTS; i++)
		if (p->to[i].on && !is_stdout(p->to[i].path))
			paths.output[i] = p->to[i].path;
	return paths;
}

void outputs_become(struct program *p)
{
	struct receiver_paths paths = paths_of(p);
	struct buf own CLEANUP(buf_free) = { 0 };
	const char *dir = p->recorder.dir;
	if (geteuid() != 0)
		return;
	if (dir && xrd_recorder_identify(&p->recorder) == 0) {
		buf_addf(&own, "%s/%s%c", dir, p->recorder.host.name, '\0');
		paths.given[0] = access(dir, F_OK) < 0 ? dir : NULL;
		if (archive_make_dirs(own.p) == 0)	/* else archive_open() says why */
			paths.given[1] = own.p;
	}
	keeper_open(&p->keeper);
	receiver_become(&paths);
}

void outputs_confine(const struct program *p)
{
	const struct receiver_paths paths = paths_of(p);
	receiver_confine(&paths);
}

void outputs_free(struct program *p)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		buf_free(&p->to[i].text);
	user_texts_free(&p->users);
}
