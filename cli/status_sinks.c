/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.c - status: how far nodometer-send has delivered to each sink */
#include "cli/status_sinks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "archive/cursor.h"
#include "archive/host.h"
#include "base/json.h"
#include "base/utf8.h"
#include "formats/raw_write.h"

struct sinks {
	struct buf dir;		/* STATE-DIR/HOST, with the NUL at its end */
	struct dirent **entry;
	int n;
};

/* A cursor that is being put in place has another name. */
static int is_cursor(const struct dirent *e)
{
	return e->d_name[0] != '.' && !str_ends(str_of(e->d_name), STR(".new"));
}

static void sinks_list(struct sinks *s, const struct config *c)
{
	struct files root;
	struct host host;
	*s = (struct sinks){ .n = 0 };
	if (files_open_root(&root, c->root) < 0)
		return;
	host_identify(&host, &root, c->hostname);
	files_free(&root);
	buf_addf(&s->dir, "%s/%s%c", c->state_dir, host.name, '\0');
	s->n = scandir(s->dir.p, &s->entry, is_cursor, alphasort);
	if (s->n < 0)
		s->n = 0;
}

static void sinks_free(struct sinks *s)
{
	for (int i = 0; i < s->n; i++)
		free(s->entry[i]);
	free(s->entry);
	buf_free(&s->dir);
}

static bool load(const struct sinks *s, int i, struct cursor *c)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	buf_addf(&path, "%s/%s%c", s->dir.p, s->entry[i]->d_name, '\0');
	return cursor_load(c, path.p) == 0;
}

static void put_moment(struct buf *b, const char *before, int64_t usec)
{
	char text[64];
	struct tm tm;
	time_t t = (time_t)(usec / 1000000);
	if (usec && localtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_addf(b, "%s%s", before, text);
}

/* "xrootd: sent up to 2026-11-21 00:15:06, last success 2026-11-21 00:15:06" */
static void put_line(struct buf *b, const char *name, const struct cursor *c)
{
	size_t from = b->n;
	buf_addf(b, "%-25s %s: ", "sink", name);
	if (c->usec)
		put_moment(b, "sent up to ", c->usec);
	else
		buf_addf(b, "nothing sent yet");
	put_moment(b, ", last success ", c->success_us);
	if (c->bytes)
		buf_addf(b, ", %llu bytes", (unsigned long long)c->bytes);
	if (c->refused)
		buf_addf(b, ", %llu records refused", (unsigned long long)c->refused);
	if (c->errors)
		buf_addf(b, ", %llu errors", (unsigned long long)c->errors);
	if (c->lost_files)
		buf_addf(b, ", %llu files removed before they were sent",
			 (unsigned long long)c->lost_files);
	if (c->why[0])
		buf_addf(b, ", fails: %s", c->why);
	utf8_make_printable(b->p + from, b->n - from);
	buf_add_char(b, '\n');
}

void status_put_sinks(struct buf *b, const struct config *config)
{
	struct sinks s CLEANUP(sinks_free);
	struct cursor c;
	sinks_list(&s, config);
	for (int i = 0; i < s.n; i++)
		if (load(&s, i, &c))
			put_line(b, s.entry[i]->d_name, &c);
}

static void put_time_value(struct buf *b, const char *name, int64_t usec)
{
	if (!usec)
		return;
	json_raw(b, name, STR(""));
	raw_put_time(b, usec);
}

static void put_object(struct buf *b, const char *name, const struct cursor *c)
{
	json_open(b, NULL, '{');
	json_str(b, "name", str_of(name));
	put_time_value(b, "last", c->usec);
	put_time_value(b, "success", c->success_us);
	json_u64(b, "records", c->groups);
	json_u64(b, "bytes", c->bytes);
	json_u64(b, "refused", c->refused);
	json_u64(b, "errors", c->errors);
	json_u64(b, "lost_files", c->lost_files);
	if (c->why[0])
		json_str(b, "why", str_of(c->why));
	json_close(b, '}');
}

void status_put_sinks_json(struct buf *b, const struct config *config)
{
	struct sinks s CLEANUP(sinks_free);
	struct cursor c;
	sinks_list(&s, config);
	json_open(b, "sinks", '[');
	for (int i = 0; i < s.n; i++)
		if (load(&s, i, &c))
			put_object(b, s.entry[i]->d_name, &c);
	json_close(b, ']');
}
