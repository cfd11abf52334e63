/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - a sample becomes the text of a record group, and that a piece of the archive */
#include "recorder/output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
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

static int leave_groups(struct output *o, int64_t usec, struct str text, char *name)
{
	int e = spool_open(o->spool, o->config->runtime_dir);
	return e < 0 ? e : spool_leave(o->spool, SPOOL_GROUPS, usec, text, name);
}

/* The marks get a header of their own, so that whoever finds them can make a file of them. */
static char *leave_marks(void *arg, int64_t usec, struct str group, struct buf *marks)
{
	struct output *o = arg;
	struct buf text CLEANUP(buf_free) = { 0 };
	char name[SPOOL_NAME_SIZE];
	put_marks_only(marks, group);
	buf_add_char(&text, '\n');
	output_put_header(o, &text);
	buf_add(&text, buf_str(marks));
	int e = leave_groups(o, usec, buf_str(&text), name);
	if (e == 0)
		return xstrdup(str_of(name));
	say_error(o->listener, "%s/marks: %s; a restart forgets marks that wait",
		  o->config->runtime_dir, strerror(-e));
	return NULL;
}

static void forget_marks(void *arg, const char *name)
{
	spool_remove(((struct output *)arg)->spool, name);
}

static void put_header(void *arg, struct buf *b)
{
	output_put_header(arg, b);
}

/* An agent that runs has the groups that it left in its memory as well. */
static bool is_anothers(const struct output *o, const struct spooled *g)
{
	if (g->pid == getpid())
		return o->to.unwritten.n > 0;
	return !o->to.keep && (kill(g->pid, 0) == 0 || errno == EPERM);
}

int output_write_left(struct output *o)
{
	struct spooled *all;
	int e = 0;
	size_t n = spool_read(o->spool, SPOOL_GROUPS, &all);
	for (size_t i = 0; i < n && e == 0; i++) {
		struct piece p = {
			.usec = all[i].usec, .marked = true, .fresh = true,
			.group = str_skip(buf_str(&all[i].text), 1),
		};
		if (is_anothers(o, &all[i]))
			continue;
		e = archiver_deliver(&o->to, &p);
		if (e < 0)
			break;
		spool_remove(o->spool, all[i].name);
		o->to.rotate = true;
	}
	spooled_free(all, n);
	return e;
}

static int make_room(void *arg)
{
	return output_write_left(arg);
}

void output_open(struct output *o)
{
	static const struct archiver_maker maker = {
		put_header, make_room, leave_marks, forget_marks,
	};
	const struct config *c = o->config;
	o->to.maker = &maker;
	o->to.arg = o;
	archiver_open(&o->to, &(struct store_place){
		.dir = c->dir, .host = o->host->name, .boot_id = o->host->boot_id,
		.version = output_version(o), .free_floor = c->retain.free_floor,
		.listener = o->listener,
	});
}

static void leave_unwritten(struct output *o)
{
	struct unwritten *p = &o->to.unwritten;
	char name[SPOOL_NAME_SIZE];
	if (p->n == 0)
		return;
	int e = leave_groups(o, p->part[0].usec, buf_str(&p->text), name);
	if (e == 0)
		archiver_forget_left(&o->to, p->n);
	if (e < 0)
		say_warning(o->listener, "%zu record groups that waited in memory are lost: "
			    "%s/marks: %s", p->n, o->config->runtime_dir, strerror(-e));
	else
		say_notice(o->listener, "%zu record groups wait in %s/marks for the next start",
			   p->n, o->config->runtime_dir);
}

void output_close(struct output *o)
{
	archiver_settle(&o->to);
	leave_unwritten(o);
	archiver_close(&o->to);
	buf_free(&o->schema);
	buf_free(&o->below);
	buf_free(&o->group);
}
