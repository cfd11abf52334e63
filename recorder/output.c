/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - a sample becomes the text of a record group, and that a piece of the archive */
#include "recorder/output.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"
#include "formats/raw_write.h"

static bool is_dialect(const struct output *o, const char *dialect)
{
	return strcmp(o->config->dialect, dialect) == 0;
}

const char *output_version(const struct output *o)
{
	return is_dialect(o, "2.3") ? RAW_VERSION_23 : RAW_VERSION;
}

void output_put_header(const struct output *o, struct buf *b)
{
	host_put_header(b, o->host, &o->sampler->root, &o->sampler->shared.topology,
			output_version(o));
	buf_add(b, buf_str(&o->below));
	buf_add(b, buf_str(&o->schema));
}

void output_note_schema(struct output *o, bool new_schema)
{
	if (new_schema) {
		o->schema.n = 0;
		sampler_put_schema(o->sampler, &o->schema);
	}
	if (!new_schema && !o->sampler->below_changed)
		return;
	o->below.n = 0;
	sampler_put_below(o->sampler, &o->below);
	o->sampler->below_changed = false;
	o->header_turn++;
}

void output_put_group(struct output *o, int64_t usec, struct str ids, struct str marks,
		      struct buf *b)
{
	raw_put_group(b, usec, ids, is_dialect(o, "2.3") ? str_of(o->host->name) : STR(""));
	buf_add(b, marks);
	o->sampler->boot_us = (uint64_t)boottime_us(usec);
	sampler_put_rows(o->sampler, b, archiver_take_failed(&o->to), o->missed);
	o->missed = 0;
}

/* Old readers take whole seconds only. */
static void make_group(struct output *o, int64_t usec, struct str ids, struct str marks)
{
	if (is_dialect(o, "1.0"))
		usec -= usec % 1000000;
	o->group.n = 0;
	output_put_group(o, usec, ids, marks, &o->group);
}

int output_write(struct output *o, int64_t usec, struct str ids, struct str marks)
{
	make_group(o, usec, ids, marks);
	o->to.new_schema |= o->header_turn != o->written_turn;
	o->written_turn = o->header_turn;
	return archiver_put(&o->to, usec, buf_str(&o->group), marks.n > 0);
}

void output_print(struct output *o, int64_t usec, struct str ids, struct str marks,
		  struct buf *b)
{
	make_group(o, usec, ids, marks);
	output_put_header(o, b);
	buf_add(b, buf_str(&o->group));
}

/* The group without its samples: its marks, and the row without which it would count as torn. */
static void put_marks_only(struct buf *b, struct str group)
{
	struct str line, rest = group, first, second;
	buf_add_char(b, '\n');
	str_take_line(&rest, &line);	/* the blank one */
	for (bool titled = false; str_take_line(&rest, &line); titled = true)
		if (!titled || str_peek(line) == '%')
			buf_addf(b, STR_FMT "\n", STR_ARG(line));
	if (!str_take_prefix(&line, STR("nodometer - ")))
		return;
	str_take_word(&line, &first);
	str_take_word(&line, &second);
	buf_addf(b, "nodometer - " STR_FMT " " STR_FMT " 1", STR_ARG(first), STR_ARG(second));
	str_take_word(&line, &first);
	buf_addf(b, STR_FMT "\n", STR_ARG(line));
}

static void put_header(void *arg, struct buf *b)
{
	output_put_header(arg, b);
}

/* Opens the file in which groups wait: 0, -EAGAIN: an agent that lives has it; or -errno. */
static int open_waiting(struct output *o, bool make)
{
	int e = spool_open(o->spool, o->config->runtime_dir);
	int fd = e < 0 ? e : spool_open_groups(o->spool, make);
	return fd < 0 ? fd : unwritten_open(&o->to.unwritten, fd);
}

void output_keep(struct output *o)
{
	const struct unwritten *u = &o->to.unwritten;
	int e = u->kept || u->n ? 0 : open_waiting(o, true);
	if (e < 0)
		say_warning(o->listener, "%s/" SPOOL_GROUPS ": %s; a restart forgets record groups "
			    "that wait", o->config->runtime_dir, strerror(-e));
}

int output_write_left(struct output *o)
{
	int e = o->to.keep ? -EAGAIN : open_waiting(o, false);
	if (e < 0)
		return e == -ENOENT || e == -EAGAIN ? 0 : e;
	e = archiver_settle(&o->to);
	unwritten_clear(&o->to.unwritten);
	return e;
}

void output_open(struct output *o)
{
	static const struct archiver_maker maker = { put_header, put_marks_only };
	const struct config *c = o->config;
	o->to.maker = &maker;
	o->to.arg = o;
	archiver_open(&o->to, &(struct store_place){
		.dir = c->dir, .host = o->host->name, .boot_id = o->host->boot_id,
		.version = output_version(o), .free_floor = c->retain.free_floor,
		.listener = o->listener,
	});
}

static void say_waiting(const struct output *o)
{
	const struct unwritten *p = &o->to.unwritten;
	if (p->n && p->kept)
		say_notice(o->listener, "%zu record groups wait in %s/" SPOOL_GROUPS " for the "
			   "next start", p->n, o->config->runtime_dir);
	else if (p->n)
		say_warning(o->listener, "%zu record groups that waited in memory are lost", p->n);
}

void output_close(struct output *o)
{
	archiver_settle(&o->to);
	say_waiting(o);
	archiver_close(&o->to);
	buf_free(&o->schema);
	buf_free(&o->below);
	buf_free(&o->group);
}
