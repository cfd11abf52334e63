/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_sums.c - what servers tell, added up by server and minute, as rows of records */
#include "tracers/xrd_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/raw_marks.h"
#include "formats/raw_write.h"
#include "tracers/xrd_keys.h"

#define LATE      ((int64_t)65000000)	/* behind its end a minute is told */
#define PENDING   3			/* minutes that are not told: so many end within LATE */
#define JUMP      10			/* minutes without any tick: they are left out */
#define HOSTS_MAX XRD_SERVERS_MAX
#define OTHERS    "others"		/* all servers behind the HOSTS_MAX first */

/* What it is called stays the same when it is started anew; each start is a struct xrd_server. */
struct host {
	struct host *next, *chain;
	char name[2 * XRD_TEXT];
	bool sends[XRD_TYPES];
	bool told;
	int64_t since;			/* the minute in which it was heard of first */
	uint64_t sum[XRD_KEYS];		/* of all minutes that were told */
	uint64_t minute[PENDING][XRD_KEYS];
};

struct xrd_sums {
	struct xrd_sums_listener to;
	const struct xrd_servers *all;
	struct host *first, **end, *bucket[1024];
	size_t n;
	bool started;
	int64_t oldest, newest;		/* minutes since 1970: not told yet, up to this moment's */
	int64_t now;
};

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t v;
	return __builtin_add_overflow(a, b, &v) ? UINT64_MAX : v;
}

static size_t place(const char *name)
{
	uint64_t h = str_hash(str_of(name));
	return (size_t)(h ^ h >> 32) % ARRAY_SIZE(((struct xrd_sums *)NULL)->bucket);
}

static struct host *host_named(struct xrd_sums *s, const char *name)
{
	struct host **at = &s->bucket[place(name)];
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->chain;
	if (*at)
		return *at;
	if (s->n >= HOSTS_MAX && strcmp(name, OTHERS) != 0)
		return host_named(s, OTHERS);
	struct host *h = xrealloc(NULL, sizeof(*h));
	*h = (struct host){ .since = s->newest };
	str_copy(h->name, sizeof(h->name), str_of(name));
	*at = *s->end = h;
	s->end = &h->next;
	s->n++;
	return h;
}

/*
 * "HOST:PORT", as its clients know it; what has no port (FRM) is called by its program. A server
 * that has not said who it is: where it sends from.
 */
static void name_of(const struct xrd_server *v, char *name, size_t size)
{
	if (!v->known || !*v->host)
		snprintf(name, size, "%s:%u", v->ip, v->source.port);
	else if (*v->port && strcmp(v->port, "0") != 0)
		snprintf(name, size, "%s:%s", v->host, v->port);
	else
		snprintf(name, size, "%s:%s", v->host, *v->program ? v->program : v->instance);
}

/* Before anything of it was told, it said who it is: so it was from the start. */
static void move(struct host *from, struct host *to)
{
	for (size_t m = 0; m < PENDING; m++)
		for (size_t k = 0; k < XRD_KEYS; k++)
			to->minute[m][k] = xrd_keys[k].kind == GAUGE ? from->minute[m][k] :
					   plus(to->minute[m][k], from->minute[m][k]);
	for (size_t i = 0; i < XRD_TYPES; i++)
		to->sends[i] |= from->sends[i];
	if (from->since < to->since && !to->told)
		to->since = from->since;
	memset(from->minute, 0, sizeof(from->minute));
	memset(from->sends, 0, sizeof(from->sends));
}

static struct host *host_of(struct xrd_sums *s, struct xrd_server *v, bool identified)
{
	char name[2 * XRD_TEXT];
	struct host *h = v->told_as;
	if (h && !identified)
		return h;
	name_of(v, name, sizeof(name));
	v->told_as = host_named(s, name);
	if (h && h != v->told_as && !h->told)
		move(h, v->told_as);
	h = v->told_as;
	h->sends[TYPE_SERVER] = true;
	return h;
}

static uint64_t *at_minute(const struct xrd_sums *s, struct host *h, int64_t minute)
{
	if (minute < s->oldest)
		minute = s->oldest;
	if (minute > s->newest)
		minute = s->newest;
	if (minute < h->since)
		h->since = minute;
	return h->minute[minute % PENDING];
}

static void note_start(uint64_t *to, const struct xrd_server *v)
{
	if (to[STARTED] < v->start)
		to[STARTED] = v->start;
}

/* What the datagrams' numbers tell; what was lost may come late after all. */
static void take_counts(uint64_t *to, struct xrd_server *v)
{
	const struct {
		enum xrd_key key;
		const uint64_t *seen;
		uint64_t *told;
	} counts[] = {
		{ DATAGRAMS, &v->seen.received,  &v->told.received  },
		{ LOST,      &v->seen.lost,      &v->told.lost      },
		{ REORDERED, &v->seen.reordered, &v->told.reordered },
		{ DUPLICATE, &v->seen.duplicate, &v->told.duplicate },
	};
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (*counts[i].seen <= *counts[i].told)
			continue;
		to[counts[i].key] += *counts[i].seen - *counts[i].told;
		*counts[i].told = *counts[i].seen;
	}
	note_start(to, v);
	to[OPEN_FILES] += v->n_open;
}

/* At the end of the newest minute. */
static void end_minute(struct xrd_sums *s)
{
	for (struct host *h = s->first; h; h = h->next)
		h->minute[s->newest % PENDING][OPEN_FILES] = 0;
	for (size_t i = 0; i < s->all->n; i++) {
		struct xrd_server *v = s->all->server[i];
		take_counts(at_minute(s, host_of(s, v, false), s->newest), v);
	}
}

static void on_forgotten(void *arg, struct xrd_server *v)
{
	struct xrd_sums *s = arg;
	take_counts(at_minute(s, host_of(s, v, false), s->newest), v);
}

static void add_minute(struct host *h, const uint64_t *minute)
{
	for (size_t k = 0; k < XRD_KEYS; k++) {
		if (xrd_keys[k].kind == COUNTER)
			h->sum[k] = plus(h->sum[k], minute[k]);
		else if (k == OPEN_FILES || minute[k])
			h->sum[k] = minute[k];
	}
}

static void tell_oldest(struct xrd_sums *s, int64_t usec)
{
	for (struct host *h = s->first; h; h = h->next) {
		uint64_t *minute = h->minute[s->oldest % PENDING];
		add_minute(h, minute);
		memset(minute, 0, sizeof(h->minute[0]));
		h->told = h->told || h->since <= s->oldest;
	}
	s->to.minute(s->to.arg, usec, s);
	s->oldest++;
}

static void start(struct xrd_sums *s, int64_t now)
{
	s->newest = now / XRD_MINUTE;
	s->oldest = s->newest ? s->newest - 1 : 0;
}

/* Up to now, where the input ends or the clock jumps. */
static void tell_all(struct xrd_sums *s)
{
	end_minute(s);
	while (s->oldest < s->newest)
		tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	tell_oldest(s, s->now);
}

void xrd_sums_tick(struct xrd_sums *s, int64_t now)
{
	int64_t minute = now / XRD_MINUTE;
	if (!s->started) {
		s->started = true;
		start(s, now);
		s->to.minute(s->to.arg, s->oldest * XRD_MINUTE, s);
	}
	if (minute > s->newest + JUMP || minute < s->newest - JUMP) {
		tell_all(s);
		start(s, now);
		s->oldest = s->newest;
		s->now = now;
	}
	while (s->newest < minute) {
		end_minute(s);
		s->newest++;
		int64_t due = s->newest * XRD_MINUTE - LATE;
		while ((s->oldest + 1) * XRD_MINUTE <= due)
			tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	}
	if (now > s->now)
		s->now = now;
	while ((s->oldest + 1) * XRD_MINUTE <= now - LATE)
		tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
}

void xrd_sums_finish(struct xrd_sums *s)
{
	if (s->started)
		tell_all(s);
}

static void add(uint64_t *to, enum xrd_key key, int64_t v)
{
	if (v > 0)
		to[key] = plus(to[key], (uint64_t)v);
}

/* What was moved since it was told last; it is told before it is noted. */
static void add_moved(uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_file *f = e->file;
	const struct xrd_record *r = e->record;
	bool moved = f && f->moved;
	const struct {
		enum xrd_key key;
		int64_t now, before;
	} bytes[] = {
		{ READ_BYTES,  r->read,  moved ? f->read : 0 },
		{ READV_BYTES, r->readv, moved ? f->readv : 0 },
		{ WRITE_BYTES, r->write, moved ? f->write : 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		if (bytes[i].before < 0)
			add(to, bytes[i].key, bytes[i].now);
		else if (bytes[i].now > bytes[i].before)
			add(to, bytes[i].key, bytes[i].now - bytes[i].before);
}

/* Its close was counted. */
static bool is_over(const struct xrd_file *f)
{
	return f && (f->closed || f->entry.gone);
}

static void add_close(struct host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	add_moved(to, e);
	to[CLOSES]++;
	to[CLOSES_FORCED] += (r->flags & XRD_FORCED) != 0;
	if (!(r->flags & XRD_HAS_OPS))
		return;
	h->sends[TYPE_OPS] = true;
	add(to, READS, r->ops.read);
	add(to, READVS, r->ops.readv);
	add(to, READV_SEGMENTS, r->ops.segments);
	add(to, WRITES, r->ops.write);
}

static void add_f(struct host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	h->sends[TYPE_OPENS] = true;
	h->sends[TYPE_FILES] |= r->kind == XRD_CLOSE || r->kind == XRD_XFR;
	switch (r->kind) {
	case XRD_OPEN:
		to[OPENS]++;
		to[OPENS_RW] += (r->flags & XRD_HAS_RW) != 0;
		break;
	case XRD_CLOSE:
		if (!is_over(e->file))
			add_close(h, to, e);
		break;
	case XRD_XFR:
		if (!is_over(e->file))
			add_moved(to, e);
		break;
	case XRD_DISC:
		to[DISCONNECTS]++;
		break;
	default:
		break;
	}
}

static void add_io(struct host *h, uint64_t *to, const struct xrd_record *r)
{
	int64_t n = r->length;
	h->sends[TYPE_IO] = true;
	if (r->kind == XRD_READV) {
		to[IO_READVS]++;
		add(to, IO_READ_BYTES, r->unpacked ? 0 : n);
		return;
	}
	to[n < 0 ? IO_WRITES : IO_READS]++;
	add(to, n < 0 ? IO_WRITE_BYTES : IO_READ_BYTES, n < 0 ? -n : n);
}

static void add_t(struct host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	if (e->repeated)
		return;
	if (r->kind == XRD_IO || r->kind == XRD_READV) {
		add_io(h, to, r);
		return;
	}
	h->sends[TYPE_T] |= r->kind == XRD_OPEN || r->kind == XRD_CLOSE;
	to[T_OPENS] += r->kind == XRD_OPEN;
	if (r->kind != XRD_CLOSE)
		return;
	to[T_CLOSES]++;
	add(to, T_READ_BYTES, r->read);
	add(to, T_WRITE_BYTES, r->write);
}

void xrd_sums_event(struct xrd_sums *s, const struct xrd_event *e)
{
	char code = e->packet->code;
	struct host *h = host_of(s, e->server, code == '=');
	uint64_t *to = at_minute(s, h, e->times->at / XRD_MINUTE);
	note_start(to, e->server);
	if (code == 'f') {
		add_f(h, to, e);
	} else if (code == 't') {
		add_t(h, to, e);
	} else if (e->record->kind == XRD_REDIRECT) {
		h->sends[TYPE_REDIRECT] = true;
		to[REDIRECTS]++;
	} else if (code == 'u') {
		h->sends[TYPE_USER] = true;
		to[LOGINS]++;
	}
}

void xrd_sums_transfer(struct xrd_sums *s, const struct xrd_transfer *t)
{
	if (!t->server || !s->started)
		return;
	uint64_t *to = at_minute(s, host_of(s, t->server, false), s->newest);
	to[TRANSFERS]++;
	to[INCOMPLETE] += xrd_missing(t) != 0;
}

void xrd_sums_put_schema(struct buf *b)
{
	const uint64_t all = UINT64_MAX;
	for (size_t i = 0; i < XRD_TYPES; i++) {
		const struct xrd_type *t = &xrd_types[i];
		raw_put_schema(b, t->name, &xrd_keys[t->first], (size_t)(t->last - t->first) + 1,
			       &all);
	}
}

void xrd_sums_put_restart(struct buf *b)
{
	for (size_t i = 0; i < XRD_TYPES; i++) {
		struct buf mark CLEANUP(buf_free) = { 0 };
		buf_addf(&mark, RAW_MARK_RESTART " %s", xrd_types[i].name);
		raw_put_mark(b, buf_str(&mark));
	}
}

/* What it opens is told once more by "xrootd" as soon as it tells a close. */
static bool has_row(const struct host *h, size_t type)
{
	return h->sends[type] && !(type == TYPE_OPENS && h->sends[TYPE_FILES]);
}

size_t xrd_sums_put_rows(struct buf *b, const struct xrd_sums *s)
{
	size_t rows = 0;
	for (size_t i = 0; i < XRD_TYPES; i++) {
		const struct xrd_type *t = &xrd_types[i];
		for (const struct host *h = s->first; h; h = h->next) {
			if (!h->told || !has_row(h, i))
				continue;
			buf_add(b, str_of(t->name));
			buf_add_char(b, ' ');
			buf_add_word(b, str_of(h->name), false);
			for (size_t k = t->first; k <= t->last; k++) {
				buf_add_char(b, ' ');
				buf_add_u64(b, h->sum[k]);
			}
			buf_add_char(b, '\n');
			rows++;
		}
	}
	return rows;
}

struct xrd_sums *xrd_sums_new(const struct xrd_sums_listener *to, struct xrd_servers *all)
{
	struct xrd_sums *s = xrealloc(NULL, sizeof(*s));
	*s = (struct xrd_sums){ .to = *to, .all = all };
	s->end = &s->first;
	all->on_forgotten = on_forgotten;
	all->arg = s;
	return s;
}

void xrd_sums_free(struct xrd_sums *s)
{
	for (struct host *h = s->first, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	free(s);
}
