/* SPDX-License-Identifier: BSD-3-Clause */
/* written.c - drop accesses from a loaded state if a killed receiver has written their lines */
#include "xrootd/state/written.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "formats/json_read.h"
#include "xrootd/join/xrd_state.h"

#define READ_BYTES (1u << 20)
#define LINE_BYTES (4u << 20)	/* largest line that this program writes, in bytes */

/* Split "START#IP#PORT" into its parts. */
static bool written_take_server(struct str quoted, struct str *ip, uint64_t *start, uint64_t *port)
{
	struct str s = quoted;
	return str_take_prefix(&s, STR("\"")) && str_take_u64(&s, start) &&
	       str_take_prefix(&s, STR("#")) && str_take_until(&s, '#', ip) &&
	       str_take_u64(&s, port);
}

static bool written_is_window(struct str list, const uint32_t window[2])
{
	uint64_t from, to;
	return str_take_prefix(&list, STR("[")) && str_take_u64(&list, &from) &&
	       str_take_prefix(&list, STR(",")) && str_take_u64(&list, &to) &&
	       from == window[0] && to == window[1];
}

static struct xrd_server *written_find_server(struct xrd_join *j, struct str id)
{
	const struct xrd_servers *all = &j->servers;
	uint64_t start, port;
	struct str ip;
	if (!written_take_server(id, &ip, &start, &port))
		return NULL;
	for (size_t i = 0; i < all->n; i++) {
		struct xrd_server *s = all->server[i];
		if (s->start == start && s->source.port == port && str_eq(str_of(s->ip), ip))
			return s;
	}
	return NULL;
}

/* Ignore lines without "ended_by": they report that a file is still open (--open). */
bool written_remove_one(struct xrd_join *j, struct str line, enum written_which which)
{
	struct str all;
	uint64_t id;
	if (!json_take_object(line, &all) || str_peek(json_find(all, STR("ended_by"))) != '"' ||
	    !json_as_u64(json_find(all, STR("file_id")), &id))
		return false;
	const struct xrd_server *s = written_find_server(j, json_find(all, STR("serverID")));
	struct xrd_entry *e = s ? xrd_table_find(&j->table, s->number, FILE_ENTRY, id) : NULL;
	struct xrd_file *f = (struct xrd_file *)e;
	if (!f || (f->opened && !written_is_window(json_find(all, STR("open_window")),
						   f->open_window)) ||
	    (which == WRITTEN_CLOSED && !f->closed))
		return false;
	join_remove_file(j, f);
	return true;
}

static void written_remove_lines(struct xrd_join *j, struct buf *b, enum written_which which,
				 uint64_t *n)
{
	const char *end = b->n ? memrchr(b->p, '\n', b->n) : NULL;
	size_t whole = end ? (size_t)(end - b->p) + 1 : 0;
	struct str text = { b->p, whole }, line;
	while (str_take_line(&text, &line))
		*n += written_remove_one(j, line, which);
	if (whole)
		memmove(b->p, b->p + whole, b->n - whole);
	b->n -= whole;
}

int written_remove(int fd, uint64_t from, struct xrd_join *j, enum written_which which,
		   uint64_t *n)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	ssize_t r;
	*n = 0;
	do {
		buf_reserve(&b, READ_BYTES);
		r = pread(fd, b.p + b.n, READ_BYTES, (off_t)from);
		if (r <= 0)
			continue;
		from += (uint64_t)r;
		b.n += (size_t)r;
		written_remove_lines(j, &b, which, n);
	} while ((r > 0 && b.n < LINE_BYTES) || (r < 0 && errno == EINTR));
	return r < 0 ? -errno : r > 0 ? -EFBIG : 0;
}
