/* SPDX-License-Identifier: BSD-3-Clause */
/* accesses.c - files that are opened, read, written and closed, as XRootD's servers say so */
#include "tracers/files/accesses.h"

#include <fcntl.h>
#include <stdlib.h>
#include "formats/xrootd/xrdstream.h"

/* A process: its id, who it acts for, and what it executes. */
struct access_user {
	struct access_user *next;
	uint32_t id, pid;
	size_t open;		/* files of it */
	struct buf text;	/* of its record u: no two have the same */
};

void accesses_init(struct accesses *a, const char *host, uint32_t pid, uint32_t start)
{
	*a = (struct accesses){ .pid = pid, .start = start, .sid = (uint64_t)pid << 16 };
	(void)str_copy(a->host, sizeof(a->host), str_of(host));
}

static void send_map(struct accesses *a, char code, uint32_t id, struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct xrd_packet p = { .code = code, .seq = a->map_seq, .start = a->start };
	xrd_begin(&b, &p);
	xrd_put(&b, &p, &(struct xrd_record){ .kind = XRD_MAP, .id = id, .text = text });
	if (xrd_end(&b, &p) < 0)
		return;		/* no path is that long */
	a->map_seq++;
	a->send(a->arg, buf_str(&b));
}

void accesses_identify(struct accesses *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_addf(&b, "=/nodometer.%u:%llu@%s\n&site=&port=0&inst=trace&pgm=nodometer-trace&ver=v%s",
		 a->pid, (unsigned long long)a->sid, a->host, PACKAGE_VERSION);
	send_map(a, '=', 0, buf_str(&b));
}

/* The datagram, with those records that wait. */
void accesses_flush(struct accesses *a, uint32_t now)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct xrd_packet p = {
		.code = 'f', .seq = a->f_seq, .start = a->start, .has_sid = true, .sid = a->sid,
		.begin = a->begin, .end = now,
		.n_xfr = (uint16_t)a->n_xfr, .n_all = (uint16_t)a->n,
	};
	if (a->n == 0)
		return;
	xrd_begin(&b, &p);
	buf_add(&b, buf_str(&a->records));
	if (xrd_end(&b, &p) == 0) {
		a->f_seq++;
		a->send(a->arg, buf_str(&b));
	}
	a->records.n = 0;
	a->n = a->n_xfr = 0;
}

static void add(struct accesses *a, const struct xrd_record *r, uint32_t now)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	xrd_put(&b, &(struct xrd_packet){ .code = 'f' }, r);
	if (a->records.n + b.n > ACCESS_DATAGRAM)
		accesses_flush(a, now);
	if (a->n == 0)
		a->begin = now;
	buf_add(&a->records, buf_str(&b));
	a->n++;
	a->n_xfr += r->kind == XRD_XFR;
}

/* Values have no escapes: what would end one, or the line, is "_". */
static void add_value(struct buf *b, const char *key, struct str value)
{
	buf_addf(b, "&%s=", key);
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];
		buf_add_char(b, c == '&' || c < ' ' ? '_' : (char)c);
	}
}

/* Puts the map record u of a process; other records name it by the first line. */
static void put_user(struct buf *b, const struct accesses *a, const struct event *e)
{
	buf_add(b, STR("file/"));
	if (e->user.n)
		buf_add(b, e->user);
	else
		buf_add_u64(b, e->uid);
	buf_addf(b, ".%u:%llu@%s\n", e->pid, (unsigned long long)a->sid, a->host);
	add_value(b, "p", STR("unix"));
	add_value(b, "n", e->user);
	add_value(b, "h", str_of(a->host));
	add_value(b, "o", STR(""));
	add_value(b, "r", STR(""));
	add_value(b, "g", e->group);
	add_value(b, "m", STR(""));
	add_value(b, "x", e->process);
	add_value(b, "y", STR(""));
}

static struct map_slot *user_slot(const struct accesses *a, struct str text)
{
	uint64_t hash = map_hash(text);
	for (struct map_slot *at = NULL; (at = map_next(&a->by_text, hash, at));)
		if (str_eq(buf_str(&((struct access_user *)at->value.p)->text), text))
			return at;
	return NULL;
}

/* The id of a process that acts for one user and executes one file. */
static struct access_user *user_of(struct accesses *a, const struct event *e)
{
	struct buf text = { 0 };
	put_user(&text, a, e);
	struct map_slot *known = user_slot(a, buf_str(&text));
	if (known) {
		buf_free(&text);
		return known->value.p;
	}
	struct access_user *u = xrealloc(NULL, sizeof(*u));
	*u = (struct access_user){ a->users, ++a->ids, e->pid, 0, text };
	a->users = u;
	map_add(&a->by_text, map_hash(buf_str(&text)), (union map_value){ .p = u });
	send_map(a, 'u', u->id, buf_str(&text));
	return u;
}

static void send_path(struct accesses *a, uint32_t id, const struct access_user *u,
		      struct str path)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = buf_str(&u->text), userid;
	(void)str_take_line(&all, &userid);
	buf_add(&text, userid);
	buf_add_char(&text, '\n');
	buf_add(&text, path);
	send_map(a, 'd', id, buf_str(&text));
}

struct access *access_open(struct accesses *a, const struct event *e, int64_t size, uint32_t now)
{
	struct access *f = xrealloc(NULL, sizeof(*f));
	*f = (struct access){ .by = user_of(a, e), .after = a->open };
	if (f->after)
		f->after->before = f;
	a->open = f;
	f->by->open++;
	f->sums = (struct xrd_record){
		.kind = XRD_CLOSE, .flags = XRD_HAS_OPS | XRD_HAS_SSQ, .id = ++a->ids,
		.ops = { .segments_min = INT16_MAX, .read_min = INT32_MAX,
			 .readv_min = INT32_MAX, .write_min = INT32_MAX },
	};
	send_path(a, f->sums.id, f->by, e->path);
	add(a, &(struct xrd_record){
		.kind = XRD_OPEN, .id = f->sums.id, .user = f->by->id, .size = size,
		.text = e->path,
		.flags = XRD_HAS_LFN | ((e->flags & O_ACCMODE) == O_RDONLY ? 0 : XRD_HAS_RW),
	}, now);
	return f;
}

static void count(int64_t *bytes, int32_t *n, int32_t *min, int32_t *max, double *squares,
		  uint64_t done)
{
	int32_t size = done < INT32_MAX ? (int32_t)done : INT32_MAX;
	*bytes += (int64_t)done;
	*n += *n < INT32_MAX;
	*min = size < *min ? size : *min;
	*max = size > *max ? size : *max;
	*squares += (double)done * (double)done;
}

void access_read(struct access *f, uint64_t bytes)
{
	struct xrd_record *r = &f->sums;
	count(&r->read, &r->ops.read, &r->ops.read_min, &r->ops.read_max, &r->ssq.read, bytes);
	f->moved = true;
}

void access_written(struct access *f, uint64_t bytes)
{
	struct xrd_record *r = &f->sums;
	count(&r->write, &r->ops.write, &r->ops.write_min, &r->ops.write_max, &r->ssq.write, bytes);
	f->moved = true;
}

static void access_free(struct accesses *a, struct access *f)
{
	if (f->before)
		f->before->after = f->after;
	else
		a->open = f->after;
	if (f->after)
		f->after->before = f->before;
	f->by->open--;
	free(f);
}

void access_close(struct accesses *a, struct access *f, uint32_t now)
{
	add(a, &f->sums, now);
	access_free(a, f);
}

void accesses_report(struct accesses *a, uint32_t now)
{
	for (struct access *f = a->open; f; f = f->after) {
		if (f->moved)
			add(a, &(struct xrd_record){
				.kind = XRD_XFR, .id = f->sums.id, .read = f->sums.read,
				.write = f->sums.write,
			}, now);
		f->moved = false;
	}
}

static void user_free(struct accesses *a, struct access_user *u)
{
	map_remove(&a->by_text, user_slot(a, buf_str(&u->text)));
	buf_free(&u->text);
	free(u);
}

void accesses_part(struct accesses *a, bool (*lives)(uint32_t pid), uint32_t now)
{
	for (struct access_user **at = &a->users, *u; (u = *at);) {
		if (u->open || lives(u->pid)) {
			at = &u->next;
			continue;
		}
		add(a, &(struct xrd_record){ .kind = XRD_DISC, .id = u->id }, now);
		*at = u->next;
		user_free(a, u);
	}
}

void accesses_free(struct accesses *a)
{
	while (a->open)
		access_free(a, a->open);
	for (struct access_user *u = a->users, *next; u; u = next) {
		next = u->next;
		user_free(a, u);
	}
	a->users = NULL;
	map_free(&a->by_text);
	buf_free(&a->records);
}
