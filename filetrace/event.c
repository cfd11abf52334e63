/* SPDX-License-Identifier: BSD-3-Clause */
/* event.c - write events as lines of CSV and JSON, with the columns and keys of cluefs */
#include "filetrace/event.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/utf8.h"

enum kind { NONE, TEXT, NUMBER, OCTAL, OPEN_FLAGS, ACCESS_MODE };

struct event_value {
	const char *key;
	enum kind kind;
	size_t at;		/* for TEXT and NUMBER: offset in struct event */
};

#define VALUES_MAX 4
#define TEXT_OF(key)        { key, TEXT, offsetof(struct event, text) }
#define NUMBER_OF(key, of)  { key, NUMBER, offsetof(struct event, of) }

/*
 * Values of each operation beyond the common columns: columns 13 and up of CSV, members of "op" in
 * JSON.
 */
static const struct {
	const char *name;
	struct event_value value[VALUES_MAX];
} operations[EVENT_KINDS] = {
	[OP_ACCESS]      = { "access",      { { "mode", ACCESS_MODE } } },
	[OP_CLOSE]       = { "close" },
	[OP_CREAT]       = { "creat",       { { "flags", OPEN_FLAGS }, { "perm", OCTAL } } },
	[OP_FLUSH]       = { "flush" },
	[OP_GETXATTR]    = { "getxattr",    { TEXT_OF("name") } },
	[OP_LISTXATTR]   = { "listxattr",   { NUMBER_OF("size", size) } },
	[OP_MKDIR]       = { "mkdir",       { { "mode", OCTAL } } },
	[OP_OPEN]        = { "open",        { { "flags", OPEN_FLAGS }, { "perm", OCTAL } } },
	[OP_READ]        = { "read",        { NUMBER_OF("filesize", size),
					      NUMBER_OF("position", position),
					      NUMBER_OF("bytesreq", requested),
					      NUMBER_OF("bytesread", done) } },
	[OP_READDIR]     = { "readdir" },
	[OP_READLINK]    = { "readlink" },
	[OP_REMOVEXATTR] = { "removexattr", { TEXT_OF("name") } },
	[OP_RENAME]      = { "rename",      { TEXT_OF("new") } },
	[OP_SETATTR]     = { "setattr" },
	[OP_SETXATTR]    = { "setxattr",    { TEXT_OF("name") } },
	[OP_STAT]        = { "stat" },
	[OP_STATFS]      = { "statfs" },
	[OP_SYMLINK]     = { "symlink",     { TEXT_OF("target") } },
	[OP_UNLINK]      = { "unlink" },
	[OP_WRITE]       = { "write",       { NUMBER_OF("position", position),
					      NUMBER_OF("bytesreq", requested),
					      NUMBER_OF("byteswritten", done) } },
	[OP_FSYNC]       = { "fsync" },
	[OP_LINK]        = { "link",        { TEXT_OF("new") } },
	[OP_MKNOD]       = { "mknod",       { { "mode", OCTAL } } },
	[OP_FALLOCATE]   = { "fallocate",   { NUMBER_OF("position", position),
					      NUMBER_OF("bytesreq", requested) } },
	[OP_LSEEK]       = { "lseek",       { NUMBER_OF("position", position) } },
	[OP_COPY]        = { "copy_file_range", { TEXT_OF("new"), NUMBER_OF("position", position),
						  NUMBER_OF("bytesreq", requested),
						  NUMBER_OF("byteswritten", done) } },
	[OP_LOST]        = { "lost",        { NUMBER_OF("records", lost),
					      NUMBER_OF("calls32", calls32) } },
};

struct flag {
	uint32_t bit;
	const char *name;
};

/* Flags of open(2), in the order in which they are written. */
static const struct flag open_flags[] = {
	{ O_CREAT, "O_CREAT" }, { O_EXCL, "O_EXCL" }, { O_TRUNC, "O_TRUNC" },
	{ O_APPEND, "O_APPEND" }, { O_SYNC, "O_SYNC" },
};
static const struct flag access_modes[] = {
	{ X_OK, "X_OK" }, { W_OK, "W_OK" }, { R_OK, "R_OK" },
};

const char *operation_name(enum operation op)
{
	return operations[op].name;
}

int operations_parse(struct str list, uint32_t *set, struct str *bad)
{
	struct str name;
	uint32_t found = 0;
	while (list.n) {
		if (!str_take_until(&list, ',', &name)) {
			name = list;
			list.n = 0;
		}
		name = str_trim(name);
		size_t i = 0;
		while (i < OPERATIONS && !str_eq(name, str_of(operations[i].name)))
			i++;
		if (str_eq(name, STR("all"))) {
			found = OPERATION(OPERATIONS) - 1;
		} else if (i < OPERATIONS) {
			found |= OPERATION(i);
		} else {
			*bad = name;
			return -EINVAL;
		}
	}
	*set = found;
	return 0;
}

/*
 * Append the names of the flags that are set. A flag is set if all its bits are: O_SYNC includes
 * the bits of O_DSYNC.
 */
static void event_put_flags(struct buf *b, uint32_t set, const struct flag *flags, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((set & flags[i].bit) == flags[i].bit) {
			if (b->n)
				buf_add_char(b, '|');
			buf_add(b, str_of(flags[i].name));
		}
}

static void event_put_open_flags(struct buf *b, uint32_t flags)
{
	static const char *const modes[] = {
		[O_RDONLY] = "O_RDONLY", [O_WRONLY] = "O_WRONLY", [O_RDWR] = "O_RDWR",
		[O_ACCMODE] = "O_ACCMODE",
	};
	buf_add(b, str_of(modes[flags & O_ACCMODE]));
	event_put_flags(b, flags, open_flags, ARRAY_SIZE(open_flags));
}

static uint64_t event_number_at(const struct event *e, size_t at)
{
	return *(const uint64_t *)(const void *)((const char *)e + at);
}

/*
 * Return the value that v describes as text; a NUMBER in decimal. The result may point into the
 * buffer `to`, which is overwritten.
 */
static struct str event_value_text(struct buf *to, const struct event *e,
				   const struct event_value *v)
{
	to->n = 0;
	switch (v->kind) {
	case TEXT:
		return *(const struct str *)(const void *)((const char *)e + v->at);
	case NUMBER:
		buf_add_u64(to, event_number_at(e, v->at));
		break;
	case OCTAL:
		buf_addf(to, "%04o", e->mode & 07777);
		break;
	case OPEN_FLAGS:
		event_put_open_flags(to, e->flags);
		break;
	case ACCESS_MODE:
		event_put_flags(to, e->flags, access_modes, ARRAY_SIZE(access_modes));
		if (e->flags == F_OK)
			buf_add(to, STR("F_OK"));
		break;
	case NONE:
		break;
	}
	return buf_str(to);
}

size_t event_values(enum operation op)
{
	size_t n = 0;
	while (n < VALUES_MAX && operations[op].value[n].key)
		n++;
	return n;
}

const char *event_value_key(enum operation op, size_t i)
{
	return operations[op].value[i].key;
}

bool event_set_value(struct event *e, size_t i, struct str text)
{
	const struct event_value *v = &operations[e->op].value[i];
	uint64_t number;
	if (v->kind == TEXT) {
		e->text = text;
	} else if (v->kind == NUMBER) {
		if (!str_is_u64(text) || !str_take_u64(&text, &number))
			return false;
		*(uint64_t *)(void *)((char *)e + v->at) = number;
	}
	return true;
}

/*
 * Append a time in UTC, as "2015-03-23T10:05:48". Each thread caches its last text, since
 * successive events are mostly in the same second.
 */
static void event_put_second(struct buf *b, time_t second)
{
	static __thread time_t last = -1;
	static __thread char text[40];
	if (second != last) {
		struct tm tm;
		gmtime_r(&second, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		last = second;
	}
	buf_add(b, str_of(text));
}

/* Append an RFC 3339 time in UTC. The fraction has no trailing zeros and is omitted if it is 0. */
static void event_put_time(struct buf *b, int64_t ns)
{
	char digits[9];
	uint32_t fraction = (uint32_t)(ns % 1000000000);
	size_t n = sizeof(digits);
	event_put_second(b, (time_t)(ns / 1000000000));
	for (size_t i = n; i-- > 0; fraction /= 10)
		digits[i] = (char)('0' + fraction % 10);
	while (n && digits[n - 1] == '0')
		n--;
	if (n)
		buf_add_char(b, '.');
	buf_add(b, (struct str){ digits, n });
	buf_add_char(b, 'Z');
}

static void event_put_csv_time(struct buf *b, int64_t ns)
{
	event_put_time(b, ns);
	buf_add_char(b, ',');
}

void event_put_csv(struct buf *b, const struct event *e, bool with_result)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	event_put_csv_time(b, e->start);
	event_put_csv_time(b, e->start + e->ns);
	csv_int(b, e->ns);
	csv_exact(b, e->user);
	csv_int(b, e->uid);
	csv_exact(b, e->group);
	csv_int(b, e->gid);
	csv_exact(b, e->process);
	csv_int(b, e->pid);
	csv_exact(b, e->path);
	csv_raw(b, e->is_dir ? STR("dir") : STR("file"));
	csv_raw(b, str_of(operations[e->op].name));
	for (size_t i = 0; i < event_values(e->op); i++)
		csv_exact(b, event_value_text(&text, e, &operations[e->op].value[i]));
	if (with_result)
		csv_int(b, e->result);
	csv_end(b);
}

/*
 * Append a name as JSON, which must be UTF-8. If the name is not UTF-8, a second member KEY_hex
 * holds its bytes.
 */
static void event_put_json_name(struct buf *b, const char *key, struct str name)
{
	json_str(b, key, name);
	if (utf8_is_all(name))
		return;
	buf_addf(b, ",\"%s_hex\":\"", key);
	for (size_t i = 0; i < name.n; i++)
		buf_addf(b, "%02x", (unsigned char)name.p[i]);
	buf_add_char(b, '"');
}

static void event_put_json_header(struct buf *b, const struct event *e)
{
	struct buf at CLEANUP(buf_free) = { 0 };
	json_open(b, "hdr", '{');
	event_put_time(&at, e->start);
	json_str(b, "start", buf_str(&at));
	at.n = 0;
	event_put_time(&at, e->start + e->ns);
	json_str(b, "end", buf_str(&at));
	json_int(b, "nselaps", e->ns);
	json_u64(b, "uid", e->uid);
	event_put_json_name(b, "usr", e->user);
	json_u64(b, "gid", e->gid);
	event_put_json_name(b, "grp", e->group);
	json_u64(b, "pid", e->pid);
	event_put_json_name(b, "proc", e->process);
	json_close(b, '}');
}

void event_put_json(struct buf *b, const struct event *e, bool with_result)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	json_open(b, NULL, '{');
	event_put_json_header(b, e);
	json_open(b, "op", '{');
	json_str(b, "type", str_of(operations[e->op].name));
	event_put_json_name(b, e->op == OP_RENAME ? "old" : "path", e->path);
	json_bool(b, "isdir", e->is_dir);
	for (size_t i = 0; i < event_values(e->op); i++) {
		const struct event_value *v = &operations[e->op].value[i];
		if (v->kind == NUMBER)
			json_u64(b, v->key, event_number_at(e, v->at));
		else
			event_put_json_name(b, v->key, event_value_text(&text, e, v));
	}
	if (with_result)
		json_int(b, "result", e->result);
	json_close(b, '}');
	json_close(b, '}');
	buf_add_char(b, '\n');
}
