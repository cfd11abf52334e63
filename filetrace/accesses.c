/* SPDX-License-Identifier: BSD-3-Clause */
/* accesses.c - report opened, read, written and closed files as XRootD monitoring datagrams */
#include "filetrace/accesses.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/xrdstream.h"

/*
 * A process with one user and one executable. If the process changes either, it gets a new entry.
 */
struct access_user {
	struct access_user *next;
	uint32_t id, pid;
	size_t open;		/* number of files that this process has open */
	/* text of the map record "u" for this process; no other entry has the same text */
	struct buf text;
};

void accesses_init(struct accesses *a, const char *host, uint32_t pid, uint32_t start)
{
	*a = (struct accesses){ .pid = pid, .start = start, .sid = (uint64_t)pid << 16 };
	(void)str_copy(a->host, sizeof(a->host), str_of(host));
}

static void accesses_send_map(struct accesses *a, char code, uint32_t id, struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct xrd_packet p = { .code = code, .seq = a->map_seq, .start = a->start };
	xrd_begin(&b, &p);
	xrd_put(&b, &p, &(struct xrd_record){ .kind = XRD_MAP, .id = id, .text = text });
	if (xrd_end(&b, &p) < 0)
		return;		/* cannot happen: every path fits in a datagram */
	a->map_seq++;
	a->send(a->arg, buf_str(&b));
}

void accesses_identify(struct accesses *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_addf(&b, "=/nodometer.%u:%llu@%s\n&site=&port=0&inst=trace&pgm=nodometer-trace&ver=v%s",
		 a->pid, (unsigned long long)a->sid, a->host, PACKAGE_VERSION);
	accesses_send_map(a, '=', 0, buf_str(&b));
}

/* Send a datagram with the collected records. */
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

static void accesses_add_record(struct accesses *a, const struct xrd_record *r, uint32_t now)
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

/*
 * Append "&key=value". The format has no escapes: a character that would end the value or the line
 * becomes "_".
 */
static void accesses_put_value(struct buf *b, const char *key, struct str value)
{
	buf_addf(b, "&%s=", key);
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];
		buf_add_char(b, c == '&' || c < ' ' ? '_' : (char)c);
	}
}

/*
 * Return the name of an executable without its path, as XRootD servers report a client's program.
 */
static struct str accesses_program_of(struct str path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
	return slash ? str_skip(path, (size_t)(slash - path.p) + 1) : path;
}

/*
 * Append the text of the map record "u" for a process. Other records identify the process by the
 * first line of this text.
 */
static void accesses_put_user(struct buf *b, const struct accesses *a, const struct event *e)
{
	buf_add(b, STR("file/"));
	if (e->user.n)
		buf_add(b, e->user);
	else
		buf_add_u64(b, e->uid);
	buf_addf(b, ".%u:%llu@%s\n", e->pid, (unsigned long long)a->sid, a->host);
	accesses_put_value(b, "p", STR("unix"));
	accesses_put_value(b, "n", e->user);
	accesses_put_value(b, "h", str_of(a->host));
	accesses_put_value(b, "o", STR(""));
	accesses_put_value(b, "r", STR(""));
	accesses_put_value(b, "g", e->group);
	accesses_put_value(b, "m", STR(""));
	accesses_put_value(b, "x", accesses_program_of(e->process));
	accesses_put_value(b, "y", STR(""));
}

static struct map_slot *accesses_find_user_slot(const struct accesses *a, struct str text)
{
	uint64_t hash = map_hash(text);
	for (struct map_slot *at = NULL; (at = map_next(&a->by_text, hash, at));)
		if (str_eq(buf_str(&((struct access_user *)at->value.p)->text), text))
			return at;
	return NULL;
}

/*
 * Return the entry for a process with one user and one executable, creating and announcing a new
 * entry if needed.
 */
static struct access_user *accesses_get_user(struct accesses *a, const struct event *e)
{
	struct buf text = { 0 };
	accesses_put_user(&text, a, e);
	struct map_slot *known = accesses_find_user_slot(a, buf_str(&text));
	if (known) {
		buf_free(&text);
		return known->value.p;
	}
	struct access_user *u = xrealloc(NULL, sizeof(*u));
	*u = (struct access_user){ a->users, ++a->ids, e->pid, 0, text };
	a->users = u;
	map_add(&a->by_text, map_hash(buf_str(&text)), (union map_value){ .p = u });
	accesses_send_map(a, 'u', u->id, buf_str(&text));
	return u;
}

static void accesses_send_path(struct accesses *a, uint32_t id, const struct access_user *u,
			       struct str path)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = buf_str(&u->text), userid;
	(void)str_take_line(&all, &userid);
	buf_add(&text, userid);
	buf_add_char(&text, '\n');
	buf_add(&text, path);
	accesses_send_map(a, 'd', id, buf_str(&text));
}

struct access *access_open(struct accesses *a, const struct event *e, int64_t size, uint32_t now)
{
	struct access *f = xrealloc(NULL, sizeof(*f));
	*f = (struct access){ .by = accesses_get_user(a, e), .after = a->open };
	if (f->after)
		f->after->before = f;
	a->open = f;
	f->by->open++;
	f->sums = (struct xrd_record){
		.kind = XRD_CLOSE, .flags = XRD_HAS_OPS | XRD_HAS_SSQ, .id = ++a->ids,
		.ops = { .segments_min = INT16_MAX, .read_min = INT32_MAX,
			 .readv_min = INT32_MAX, .write_min = INT32_MAX },
	};
	accesses_send_path(a, f->sums.id, f->by, e->path);
	accesses_add_record(a, &(struct xrd_record){
		.kind = XRD_OPEN, .id = f->sums.id, .user = f->by->id, .size = size,
		.text = e->path,
		.flags = XRD_HAS_LFN | ((e->flags & O_ACCMODE) == O_RDONLY ? 0 : XRD_HAS_RW),
	}, now);
	return f;
}

static void accesses_count_request(int64_t *bytes, int32_t *n, int32_t *min, int32_t *max,
				   double *squares, uint64_t done)
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
	accesses_count_request(&r->read, &r->ops.read, &r->ops.read_min, &r->ops.read_max,
			       &r->ssq.read, bytes);
	f->moved = true;
}

void access_written(struct access *f, uint64_t bytes)
{
	struct xrd_record *r = &f->sums;
	accesses_count_request(&r->write, &r->ops.write, &r->ops.write_min, &r->ops.write_max,
			       &r->ssq.write, bytes);
	f->moved = true;
}

static void accesses_free_file(struct accesses *a, struct access *f)
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
	accesses_add_record(a, &f->sums, now);
	accesses_free_file(a, f);
}

void accesses_report(struct accesses *a, uint32_t now)
{
	for (struct access *f = a->open; f; f = f->after) {
		if (f->moved)
			accesses_add_record(a, &(struct xrd_record){
				.kind = XRD_XFR, .id = f->sums.id, .read = f->sums.read,
				.write = f->sums.write,
			}, now);
		f->moved = false;
	}
}

static void accesses_free_user(struct accesses *a, struct access_user *u)
{
	map_remove(&a->by_text, accesses_find_user_slot(a, buf_str(&u->text)));
	buf_free(&u->text);
	free(u);
}

void accesses_forget_ended(struct accesses *a, bool (*lives)(uint32_t pid), uint32_t now)
{
	for (struct access_user **at = &a->users, *u; (u = *at);) {
		if (u->open || lives(u->pid)) {
			at = &u->next;
			continue;
		}
		accesses_add_record(a, &(struct xrd_record){ .kind = XRD_DISC, .id = u->id }, now);
		*at = u->next;
		accesses_free_user(a, u);
	}
}

void accesses_free(struct accesses *a)
{
	while (a->open)
		accesses_free_file(a, a->open);
	for (struct access_user *u = a->users, *next; u; u = next) {
		next = u->next;
		accesses_free_user(a, u);
	}
	a->users = NULL;
	map_free(&a->by_text);
	buf_free(&a->records);
}
