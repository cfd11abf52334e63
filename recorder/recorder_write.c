/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_write.c - groups go to the archive; the marks of those that wait are left safe */
#include "recorder/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "recorder/recorder_steps.h"
#include "base/listener.h"

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

/* With a header of its own, so that whoever finds it can make a file of it. */
static char *leave_marks(struct recorder *r, int64_t usec, struct str group)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char name[SPOOL_NAME_SIZE];
	buf_add_char(&text, '\n');
	recorder_put_header(r, &text);
	buf_add(&text, group);
	int e = r->spool.dirfd < 0 ? spool_open(&r->spool, r->config->runtime_dir) : 0;
	if (e == 0)
		e = spool_leave(&r->spool, SPOOL_GROUPS, usec, buf_str(&text), name);
	if (e == 0)
		return xstrdup(str_of(name));
	say_error(r->listener, "%s/marks: %s; a restart forgets marks that wait",
		  r->config->runtime_dir, strerror(-e));
	return NULL;
}

static char *left_marks(void *arg, int64_t usec, struct str group, struct buf *marks)
{
	put_marks_only(marks, group);
	return leave_marks(arg, usec, buf_str(marks));
}

static void forget_marks(void *arg, const char *name)
{
	spool_remove(&((struct recorder *)arg)->spool, name);
}

static void put_header(void *arg, struct buf *b)
{
	recorder_put_header(arg, b);
}

static int make_room(void *arg)
{
	return recorder_write_left(arg);
}

const struct archiver_maker recorder_maker = {
	put_header, make_room, left_marks, forget_marks,
};

int recorder_write(struct recorder *r, int64_t usec)
{
	r->out.new_schema |= r->new_schema;
	r->new_schema = false;
	return archiver_put(&r->out, usec, buf_str(&r->group), r->marks.n > 0);
}

void recorder_settle(struct recorder *r)
{
	archiver_settle(&r->out);
}

/* Of an agent that runs: it has them in its memory as well. */
static bool is_anothers(const struct recorder *r, const struct spooled *g)
{
	if (g->pid == getpid())
		return r->out.unwritten.n > 0;
	return !r->out.keep && (kill(g->pid, 0) == 0 || errno == EPERM);
}

int recorder_write_left(struct recorder *r)
{
	struct spooled *all;
	int e = 0;
	size_t n = spool_read(&r->spool, SPOOL_GROUPS, &all);
	for (size_t i = 0; i < n && e == 0; i++) {
		struct piece p = {
			.usec = all[i].usec, .marked = true, .fresh = true,
			.group = str_skip(buf_str(&all[i].text), 1),
		};
		if (is_anothers(r, &all[i]))
			continue;
		e = archiver_deliver(&r->out, &p);
		if (e < 0)
			break;
		spool_remove(&r->spool, all[i].name);
		r->out.rotate = true;
	}
	spooled_free(all, n);
	return e;
}

void recorder_leave_unwritten(struct recorder *r)
{
	struct unwritten *p = &r->out.unwritten;
	char name[SPOOL_NAME_SIZE];
	if (p->n == 0)
		return;
	int e = r->spool.dirfd < 0 ? spool_open(&r->spool, r->config->runtime_dir) : 0;
	if (e == 0)
		e = spool_leave(&r->spool, SPOOL_GROUPS, p->part[0].usec, buf_str(&p->text), name);
	if (e == 0)
		archiver_forget_left(&r->out, p->n);
	if (e < 0)
		say_warning(r->listener, "%zu record groups that waited in memory are lost: "
			    "%s/marks: %s", p->n, r->config->runtime_dir, strerror(-e));
	else
		say_notice(r->listener, "%zu record groups wait in %s/marks for the next start",
			   p->n, r->config->runtime_dir);
}
