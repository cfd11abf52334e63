/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.c - status: show which records nodometer-send has delivered to each destination */
#include "cli/status_sinks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/host.h"
#include "archive/tail.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/vec.h"

#define HEADER_BYTES (1u << 20)	/* longest header that may stand before a record, in bytes */

/* end of the archive: if all records were sent, the cursor of a sink is there */
struct archive_end {
	int64_t epoch, last_us;
	uint64_t whole;
};

static bool take_section(void *arg, struct str name, struct buf *why)
{
	struct status_sinks *s = arg;
	(void)why;
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(name, str_of(s->one[i].name)))
			return true;
	s->one = vec_reserve(s->one, &s->cap, s->n + 1, sizeof(*s->one));
	s->one[s->n] = (struct status_sink){ .name = xstrdup(name), .lag_us = -1 };
	s->n++;
	return true;
}

/* Accept all keys; nodometer-send reports errors in them. */
static bool status_sinks_take_key(void *arg, struct str name, const char *key, const char *value,
				  struct buf *why)
{
	(void)arg;
	(void)name;
	(void)key;
	(void)value;
	(void)why;
	return true;
}

struct config_sinks status_take_sinks(struct status_sinks *s)
{
	return (struct config_sinks){ take_section, status_sinks_take_key, s };
}

void status_free_sinks(struct status_sinks *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->one[i].name);
	free(s->one);
}

/*
 * Find the file DIR/EPOCH with this inode, which "current" has as a hard link. Returns its epoch,
 * or 0 if there is no such file.
 */
static int64_t epoch_of(const char *dir, ino_t inode)
{
	uint64_t epoch = 0;
	DIR *d = opendir(dir);
	struct dirent *e;
	while (d && !epoch && (e = readdir(d))) {
		struct str name = str_of(e->d_name);
		if (e->d_ino == inode && (!str_take_u64(&name, &epoch) || name.n))
			epoch = 0;
	}
	if (d)
		closedir(d);
	return (int64_t)epoch;
}

/* Return the epoch of the first file that is newer than this epoch, or 0 if there is none. */
static int64_t status_sinks_next_epoch(const char *dir, int64_t after)
{
	uint64_t epoch, next = 0;
	DIR *d = opendir(dir);
	struct dirent *e;
	while (d && (e = readdir(d))) {
		struct str name = str_of(e->d_name);
		if (!str_take_u64(&name, &epoch) || epoch <= (uint64_t)after ||
		    (name.n && !str_eq(name, STR(".zst")) && !str_eq(name, STR(".gz"))))
			continue;
		if (!next || epoch < next)
			next = epoch;
	}
	if (d)
		closedir(d);
	return (int64_t)next;
}

/* Return the time of the first record in the text in microseconds, or -1 if there is none. */
static int64_t status_sinks_first_time(struct str text)
{
	struct str line;
	int64_t usec;
	while (str_take_line(&text, &line))
		if (str_take_time(&line, &usec) && str_peek(line) == ' ')
			return usec;
	return -1;
}

/*
 * Return the time of the oldest record that was not sent, in microseconds; 0 if all were sent; or
 * -1 if the cursor's file cannot be read as records, because it was compressed or removed, or
 * contains other lines.
 */
static int64_t status_sinks_oldest_unsent(const struct cursor *c, const char *dir)
{
	struct buf path CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	struct stat st;
	buf_addf(&path, "%s/%lld%c", dir, (long long)c->epoch, '\0');
	int fd CLEANUP(close_fd) = open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (!c->epoch || fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	if (c->offset >= (uint64_t)st.st_size)
		return status_sinks_next_epoch(dir, c->epoch) * 1000000;
	buf_reserve(&text, HEADER_BYTES);
	ssize_t n = pread(fd, text.p, HEADER_BYTES, (off_t)c->offset);
	return n < 0 ? -1 : status_sinks_first_time((struct str){ text.p, (size_t)n });
}

/* Find the end of the archive. Returns true if the archive could be read. */
static bool status_sinks_find_end(struct archive_end *end, const char *dir, const char *host)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct stat st;
	off_t whole;
	buf_addf(&path, "%s/%s/current%c", dir, host, '\0');
	int fd CLEANUP(close_fd) = open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    tail_find_whole(fd, st.st_size, &whole, &end->last_us) < 0)
		return false;
	end->whole = (uint64_t)whole;
	path.n = 0;
	buf_addf(&path, "%s/%s%c", dir, host, '\0');
	end->epoch = epoch_of(path.p, st.st_ino);
	return true;
}

/*
 * Return the lag of a cursor in microseconds: the age of the oldest record that was not sent, or -1
 * if unknown. A cursor at the end of the archive has no lag, even if the sink left out the last
 * records.
 */
static int64_t lag(const struct cursor *c, const struct archive_end *end, const char *dir)
{
	if (end->epoch && c->epoch == end->epoch && c->offset >= end->whole)
		return 0;
	int64_t unsent = status_sinks_oldest_unsent(c, dir), now = realtime_us();
	if (unsent >= 0)
		return unsent && now > unsent ? now - unsent : 0;
	int64_t from = c->usec ? c->usec : c->epoch * 1000000;
	if (!from || !end->last_us)
		return -1;
	return end->last_us > from ? end->last_us - from : 0;
}

static void status_sinks_load(struct status_sink *one, const struct config *c, const char *host)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct str rest = str_of(one->name), word;
	buf_addf(&path, "%s/%s/", c->state_dir, host);
	for (bool first = true; str_take_word(&rest, &word); first = false)
		buf_addf(&path, "%s" STR_FMT, first ? "" : ".", STR_ARG(word));
	buf_add_char(&path, '\0');
	if (cursor_load(&one->cursor, path.p) < 0)
		one->cursor = (struct cursor){ .epoch = 0 };
}

void status_load_sinks(struct status_sinks *s, const struct config *c, int64_t last_us)
{
	struct buf dir CLEANUP(buf_free) = { 0 };
	struct archive_end end = { .last_us = 0 };
	struct files root;
	struct host host;
	if (!s->n || files_open_root(&root, c->root) < 0)
		return;
	host_identify(&host, &root, c->hostname);
	files_free(&root);
	s->runs = cursor_is_locked(c->state_dir, host.name);
	if (!status_sinks_find_end(&end, c->dir, host.name))
		end = (struct archive_end){ .last_us = last_us };
	buf_addf(&dir, "%s/%s%c", c->dir, host.name, '\0');
	for (size_t i = 0; i < s->n; i++) {
		status_sinks_load(&s->one[i], c, host.name);
		s->one[i].lag_us = lag(&s->one[i].cursor, &end, dir.p);
	}
}

/*
 * Append a line such as "xrootd: sent up to 2026-11-21 00:15:06, last success 2026-11-21 00:15:06,
 * lag 0 s".
 */
static void status_sinks_put_line(struct buf *b, const struct status_sink *one)
{
	const struct cursor *c = &one->cursor;
	size_t from = b->n;
	buf_addf(b, "%-25s %s: ", "sink", one->name);
	if (c->usec)
		buf_addf(b, "sent up to %s", cli_moment(c->usec).s);
	else
		buf_addf(b, "nothing sent yet");
	if (c->success_us)
		buf_addf(b, ", last success %s", cli_moment(c->success_us).s);
	if (one->lag_us >= 0)
		buf_addf(b, ", lag %.0f s", (double)one->lag_us / 1e6);
	if (c->waiting)
		buf_addf(b, ", %llu bytes of lines wait", (unsigned long long)c->waiting);
	if (c->bytes)
		buf_addf(b, ", %llu bytes", (unsigned long long)c->bytes);
	if (c->refused)
		buf_addf(b, ", %llu records refused", (unsigned long long)c->refused);
	if (c->too_old)
		buf_addf(b, ", %llu records too old", (unsigned long long)c->too_old);
	if (c->errors)
		buf_addf(b, ", %llu errors", (unsigned long long)c->errors);
	if (c->receiver)
		buf_addf(b, ", uses URL %llu, %llu failovers", (unsigned long long)c->receiver,
			 (unsigned long long)c->failovers);
	if (c->lost_files)
		buf_addf(b, ", %llu files removed or truncated before they were sent",
			 (unsigned long long)c->lost_files);
	if (c->why[0])
		buf_addf(b, ", %s: %s", c->refused_share ? "refuses" : "fails", c->why);
	utf8_make_printable(b->p + from, b->n - from);
	buf_add_char(b, '\n');
}

void status_put_sinks(struct buf *b, const struct status_sinks *s)
{
	if (s->n)
		buf_addf(b, "%-25s %s\n", "nodometer-send",
			 s->runs ? "runs" : "does not run");
	for (size_t i = 0; i < s->n; i++)
		status_sinks_put_line(b, &s->one[i]);
}

static void put_time_value(struct buf *b, const char *name, int64_t usec)
{
	json_raw(b, name, STR(""));
	buf_add_time(b, usec);
}

static void put_object(struct buf *b, const struct status_sink *one)
{
	const struct cursor *c = &one->cursor;
	json_open(b, NULL, '{');
	json_str(b, "name", str_of(one->name));
	if (c->usec)
		put_time_value(b, "last", c->usec);
	if (c->success_us)
		put_time_value(b, "success", c->success_us);
	if (one->lag_us >= 0)
		put_time_value(b, "lag", one->lag_us);
	json_u64(b, "records", c->groups);
	json_u64(b, "bytes", c->bytes);
	json_u64(b, "refused", c->refused);
	json_u64(b, "too_old", c->too_old);
	json_u64(b, "errors", c->errors);
	json_u64(b, "lost_files", c->lost_files);
	if (c->receiver) {
		json_u64(b, "receiver", c->receiver);
		json_u64(b, "failovers", c->failovers);
	}
	if (c->waiting)
		json_u64(b, "waiting", c->waiting);
	if (c->why[0])
		json_str(b, "why", str_of(c->why));
	json_close(b, '}');
}

void status_put_sinks_json(struct buf *b, const struct status_sinks *s)
{
	if (s->n)
		json_bool(b, "sender", s->runs);
	json_open(b, "sinks", '[');
	for (size_t i = 0; i < s->n; i++)
		put_object(b, &s->one[i]);
	json_close(b, ']');
}
