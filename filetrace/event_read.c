/* SPDX-License-Identifier: BSD-3-Clause */
/* event_read.c - parse lines of CSV or JSON into events */
#include "filetrace/event_read.h"

#include <errno.h>
#include <time.h>
#include "formats/json_read.h"

#define COLUMNS     12	/* number of columns common to all records */
#define COLUMNS_MAX 20
#define ERRNO_MAX   4095	/* MAX_ERRNO of Linux */

void event_line_free(struct event_line *l)
{
	buf_free(&l->text);
}

/* Return the length of the record at the front, including its newline, or 0 if it is incomplete. */
static size_t event_record_length(struct str in)
{
	bool quoted = false, json = str_peek(in) == '{';
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] == '"' && !json)
			quoted = !quoted;
		if (in.p[i] == '\n' && !quoted)
			return i + 1;
	}
	return 0;
}

struct csv_columns {
	size_t n;
	struct str value[COLUMNS_MAX];
};

/*
 * Remove one CSV field (RFC 4180) from the front of *in and append it to `to` without its quotes.
 * *more is set if a comma follows. Returns false if the field is malformed.
 */
static bool event_take_csv_field(struct str *in, struct buf *to, bool *more)
{
	if (str_peek(*in) != '"') {
		struct str field;
		*more = str_take_until(in, ',', &field);
		if (!*more) {
			field = *in;
			*in = str_skip(*in, in->n);
		}
		buf_add(to, field);
		return !str_has(field, '"');
	}
	*in = str_skip(*in, 1);
	for (;;) {
		struct str part;
		if (!str_take_until(in, '"', &part))
			return false;
		buf_add(to, part);
		if (str_peek(*in) != '"')
			break;
		buf_add_char(to, '"');
		*in = str_skip(*in, 1);
	}
	*more = str_peek(*in) == ',';
	if (*more)
		*in = str_skip(*in, 1);
	return *more || in->n == 0;
}

/*
 * Split a line into columns that point into text. Reserve memory for the whole line first, because
 * columns must not move when text grows.
 */
static bool event_split_csv(struct str line, struct buf *text, struct csv_columns *c)
{
	bool more = true;
	text->n = c->n = 0;
	buf_reserve(text, line.n + 1);	/* an empty line must reserve at least one byte */
	while (more) {
		size_t from = text->n;
		if (c->n == COLUMNS_MAX || !event_take_csv_field(&line, text, &more))
			return false;
		c->value[c->n++] = (struct str){ text->p + from, text->n - from };
	}
	return true;
}

static bool event_parse_u64(struct str s, uint64_t *v)
{
	return str_is_u64(s) && str_take_u64(&s, v);
}

static bool event_parse_u32(struct str s, uint32_t *v)
{
	uint64_t wide;
	if (!event_parse_u64(s, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

static bool event_parse_errno(struct str s, uint64_t *v)
{
	return event_parse_u64(s, v) && *v <= ERRNO_MAX;
}

/* Parse "2015-03-23T10:05:48.615390733Z" as nanoseconds since the epoch. */
static bool event_parse_time(struct str s, int64_t *ns)
{
	char text[40];
	struct tm tm = { 0 };
	int64_t fraction = 0, unit = 100000000;
	if (!str_copy(text, sizeof(text), s))
		return false;
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return false;
	if (*rest == '.')
		for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
			fraction += (*rest - '0') * unit;
	int64_t seconds = (int64_t)timegm(&tm);
	if (seconds < 0 || seconds >= INT64_MAX / 1000000000 || strcmp(rest, "Z") != 0)
		return false;
	*ns = seconds * 1000000000 + fraction;
	return true;
}

/* Set the duration. Returns false if start plus duration would overflow an int64_t. */
static bool event_set_duration(struct event *e, uint64_t ns)
{
	if (ns > (uint64_t)(INT64_MAX - e->start))
		return false;
	e->ns = (int64_t)ns;
	return true;
}

static bool event_parse_operation(struct str name, enum operation *op)
{
	for (size_t i = 0; i < EVENT_KINDS; i++)
		if (str_eq(name, str_of(operation_name(i)))) {
			*op = i;
			return true;
		}
	return false;
}

static bool event_parse_file_kind(struct str kind, bool *is_dir)
{
	*is_dir = str_eq(kind, STR("dir"));
	return *is_dir || str_eq(kind, STR("file"));
}

/* Parse the columns that all records have. */
static bool event_parse_common_columns(const struct str *c, struct event *e)
{
	uint64_t ns;
	if (!event_parse_time(c[0], &e->start) || !event_parse_u64(c[2], &ns) ||
	    !event_set_duration(e, ns))
		return false;
	e->user = c[3];
	e->group = c[5];
	e->process = c[7];
	e->path = c[9];
	return event_parse_u32(c[4], &e->uid) && event_parse_u32(c[6], &e->gid) &&
	       event_parse_u32(c[8], &e->pid) &&
	       event_parse_file_kind(c[10], &e->is_dir) && event_parse_operation(c[11], &e->op);
}

static int event_parse_csv(struct str line, struct event_line *l)
{
	struct csv_columns c;
	struct event *e = &l->e;
	uint64_t result;
	if (!event_split_csv(line, &l->text, &c) || c.n < COLUMNS ||
	    !event_parse_common_columns(c.value, e))
		return -EBADMSG;
	size_t values = event_values(e->op);
	if (c.n < COLUMNS + values)
		return -EBADMSG;
	for (size_t i = 0; i < values; i++)
		if (!event_set_value(e, i, c.value[COLUMNS + i]))
			return -EBADMSG;
	l->has_result = c.n == COLUMNS + values + 1 &&
			event_parse_errno(c.value[COLUMNS + values], &result);
	e->result = l->has_result ? (int)result : 0;
	return 0;
}

/*
 * Append the unescaped value of the string member `name` to text, and set *ret to it. The caller
 * has reserved enough memory in text, so that earlier results do not move.
 */
static bool event_json_text(struct str members, const char *name, struct buf *text, struct str *ret)
{
	size_t from = text->n;
	if (!json_add_text(text, json_find(members, str_of(name))))
		return false;
	*ret = (struct str){ text->p + from, text->n - from };
	return true;
}

static bool event_json_u32(struct str members, const char *name, uint32_t *ret)
{
	return event_parse_u32(json_find(members, str_of(name)), ret);
}

static bool event_parse_json_header(struct str hdr, struct event_line *l)
{
	struct event *e = &l->e;
	struct str start;
	uint64_t ns;
	if (!event_json_text(hdr, "start", &l->text, &start) ||
	    !event_parse_time(start, &e->start) ||
	    !event_parse_u64(json_find(hdr, STR("nselaps")), &ns) || !event_set_duration(e, ns))
		return false;
	return event_json_u32(hdr, "uid", &e->uid) && event_json_u32(hdr, "gid", &e->gid) &&
	       event_json_u32(hdr, "pid", &e->pid) &&
	       event_json_text(hdr, "usr", &l->text, &e->user) &&
	       event_json_text(hdr, "grp", &l->text, &e->group) &&
	       event_json_text(hdr, "proc", &l->text, &e->process);
}

static int event_parse_json(struct str line, struct event_line *l)
{
	struct str members, hdr, op, type, value;
	struct event *e = &l->e;
	uint64_t result;
	l->text.n = 0;
	buf_reserve(&l->text, 4 * line.n);
	if (!json_take_object(line, &members) ||
	    !json_take_object(json_find(members, STR("hdr")), &hdr) ||
	    !json_take_object(json_find(members, STR("op")), &op) ||
	    !event_parse_json_header(hdr, l) ||
	    !event_json_text(op, "type", &l->text, &type) || !event_parse_operation(type, &e->op) ||
	    !event_json_text(op, e->op == OP_RENAME ? "old" : "path", &l->text, &e->path))
		return -EBADMSG;
	e->is_dir = str_eq(json_find(op, STR("isdir")), STR("true"));
	for (size_t i = 0; i < event_values(e->op); i++) {
		value = json_find(op, str_of(event_value_key(e->op, i)));
		if (value.n == 0)
			return -EBADMSG;	/* the member is missing */
		if (str_peek(value) == '"' &&
		    !event_json_text(op, event_value_key(e->op, i), &l->text, &value))
			return -EBADMSG;
		if (!event_set_value(e, i, value))
			return -EBADMSG;
	}
	l->has_result = event_parse_errno(json_find(op, STR("result")), &result);
	e->result = l->has_result ? (int)result : 0;
	return 0;
}

int event_parse(struct str *in, bool last, struct event_line *l)
{
	size_t n = event_record_length(*in);
	if (n == 0 && !last)
		return in->n > EVENT_BYTES_MAX ? -EMSGSIZE : -EAGAIN;
	if (n == 0)
		n = in->n;
	struct str line = { in->p, n };
	*in = str_skip(*in, n);
	if (n > EVENT_BYTES_MAX)
		return -EBADMSG;
	if (str_ends(line, STR("\n")))
		line.n--;
	else
		return -EBADMSG;	/* a line without a newline was only partly written */
	l->e = (struct event){ 0 };
	int r = str_peek(line) == '{' ? event_parse_json(line, l) : event_parse_csv(line, l);
	if (r == 0 && str_has(buf_str(&l->text), '\0'))
		return -EBADMSG;	/* no name contains a NUL */
	return r;
}
