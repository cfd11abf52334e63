/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp.c - frames of STOMP 1.2 (stomp.github.io/stomp-specification-1.2.html) */
#include "formats/stomp.h"

#include <errno.h>

/* Take a line, which ends in LF or CR LF. */
static bool stomp_take_line(struct str *in, struct str *line)
{
	if (!str_take_until(in, '\n', line))
		return false;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static void skip_beats(struct str *in)
{
	while (in->n && (*in->p == '\n' || *in->p == '\r'))
		*in = str_skip(*in, 1);
}

static bool stomp_find_header(struct str headers, struct str name, struct str *value)
{
	struct str line, key;
	while (stomp_take_line(&headers, &line))
		if (str_take_until(&line, ':', &key) && str_eq(key, name)) {
			*value = line;
			return true;
		}
	return false;
}

/*
 * Take the body of a frame: as many bytes as the header content-length says or, without this
 * header, all bytes before the first NUL. Returns 1; 0 if the body is incomplete; or -EBADMSG.
 */
static int stomp_take_body(struct str *in, struct stomp_frame *f)
{
	struct str length;
	uint64_t n;
	if (!stomp_find_header(f->headers, STR("content-length"), &length))
		return str_take_until(in, '\0', &f->body);
	if (!str_is_u64(length) || !str_take_u64(&length, &n) || n > STOMP_FRAME_MAX)
		return -EBADMSG;
	if (in->n <= n)
		return 0;
	if (in->p[n] != '\0')
		return -EBADMSG;
	f->body = (struct str){ in->p, (size_t)n };
	*in = str_skip(*in, (size_t)n + 1);
	return 1;
}

static int stomp_take_frame(struct str *in, struct stomp_frame *f)
{
	struct str line;
	if (!stomp_take_line(in, &f->command))
		return 0;
	f->headers = (struct str){ in->p, 0 };
	do {
		f->headers.n = (size_t)(in->p - f->headers.p);
		if (!stomp_take_line(in, &line))
			return 0;
		if (line.n && !str_has(line, ':'))
			return -EBADMSG;
	} while (line.n);
	return stomp_take_body(in, f);
}

int stomp_take(struct str *in, struct stomp_frame *f)
{
	skip_beats(in);
	struct str rest = *in;
	int r = in->n ? stomp_take_frame(&rest, f) : 0;
	if (r == 0 && in->n > STOMP_FRAME_MAX)
		return -EBADMSG;
	if (r > 0)
		*in = rest;
	return r;
}

bool stomp_add_header(struct buf *b, const struct stomp_frame *f, struct str name)
{
	struct str v;
	if (!stomp_find_header(f->headers, name, &v))
		return false;
	for (; v.n; v = str_skip(v, 1)) {
		char c = *v.p;
		if (c == '\\' && v.n > 1) {
			v = str_skip(v, 1);
			c = *v.p == 'n' ? '\n' : *v.p == 'r' ? '\r' : *v.p == 'c' ? ':' : *v.p;
		}
		buf_add_char(b, c);
	}
	return true;
}

void stomp_begin(struct buf *b, const char *command)
{
	buf_add(b, str_of(command));
	buf_add_char(b, '\n');
}

static void stomp_put_escaped(struct buf *b, char c)
{
	const char *from = "\n\r:\\", *at = c ? strchr(from, c) : NULL;
	if (at)
		buf_add_char(b, '\\');
	buf_add_char(b, at ? "nrc\\"[at - from] : c);
}

void stomp_put_header(struct buf *b, const char *name, struct str value, bool of_connect)
{
	buf_add(b, str_of(name));
	buf_add_char(b, ':');
	for (size_t i = 0; i < value.n; i++) {
		if (of_connect)
			buf_add_char(b, value.p[i]);
		else
			stomp_put_escaped(b, value.p[i]);
	}
	buf_add_char(b, '\n');
}

void stomp_end(struct buf *b, struct str body)
{
	buf_add_char(b, '\n');
	buf_add(b, body);
	buf_add_char(b, '\0');
}
