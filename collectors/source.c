/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - read the files and devices of a collector, and lines "key value" */
#include "collectors/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "collectors/key_lines.h"
#include "base/vec.h"

struct kept_dir {
	char *dir;
	struct names names;
};

/*
 * The lines of a "key value" file that hold metrics. .keys has the keys, such as "MemFree:", one
 * after the other, to touch little memory: most of a sample's cost is reading memory that is not in
 * the CPU's cache.
 */
struct key_plan {
	size_t n, cap;
	struct wanted {
		uint16_t bytes;	/* position where the key was found last, see key_lines_find() */
		uint16_t metric;
		uint16_t key_size;	/* size of the key in .keys, with its terminator */
	} *wanted;
	struct buf keys;
	uint64_t present[];	/* .present of a row with all keys of the plan */
};
#define PLAN_LINES_MAX 4096

static void forget_plan(struct key_plan *p)
{
	if (!p)
		return;
	free(p->wanted);
	buf_free(&p->keys);
	free(p);
}

void source_init(struct source *s, const struct files *root, const struct metric *m, size_t n)
{
	*s = (struct source){ .bytes = 0 };
	rows_init(&s->rows, m, n);
	s->files = (struct files){ .rootfd = root->rootfd, .in_root = root->in_root,
				   .wait = root->wait };
}

static void forget_devices(struct source *s)
{
	if (!s->devices)
		return;
	free(s->devices->dir);
	names_free(&s->devices->names);
	free(s->devices);
	s->devices = NULL;
}

bool source_enter(struct source *s, struct str part)
{
	struct worker_parts *p = s->parts;
	if (!p)
		return true;
	for (size_t i = 0; i < p->n_hung && i < PARTS_HUNG_MAX; i++)
		if (str_eq(str_of(p->hung[i]), part))
			return false;
	str_copy(p->reading, sizeof(p->reading), part);
	return true;
}

void source_leave(struct source *s)
{
	if (s->parts)
		s->parts->reading[0] = '\0';
}

void source_end_state(struct source *s)
{
	if (s->end_state)
		s->end_state(s->state);
	free(s->state);
	s->state = NULL;
	s->end_state = NULL;
}

void source_free(struct source *s)
{
	s->files.rootfd = -1;
	files_free(&s->files);
	forget_devices(s);
	forget_plan(s->plan);
	source_end_state(s);
	rows_free(&s->rows);
	buf_free(&s->text);
	*s = (struct source){ .bytes = 0 };
}

void source_clear(struct source *s)
{
	rows_clear(&s->rows);
	s->bytes = 0;
	s->why[0] = '\0';
	s->files.again = s->rescan;
	if (s->rescan)
		files_sweep(&s->files);
}

void *source_state(struct source *s, size_t size)
{
	if (!s->state) {
		s->state = xrealloc(NULL, size);
		memset(s->state, 0, size);
	}
	return s->state;
}

void shared_free(struct shared *s)
{
	s->files.rootfd = -1;
	files_free(&s->files);
	buf_free(&s->text);
	buf_free(&s->lent);
	topology_free(&s->topology);
	if (s->ended > 0)
		close_fd(&s->ended);
}

int source_absent(struct source *s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	return -ENOENT;
}

/*
 * Set s->why. printf(3) would be too slow, because some files are missing in every sample, such as
 * pressure/irq before Linux 6.1.
 */
static void note_failure(struct source *s, const char *path, int r)
{
	const char *what = r == -ENOENT ? "No such file or directory" : strerror(-r);
	struct str parts[] = { STR("/"), str_of(path), STR(": "), str_of(what) };
	char *p = s->why, *end = p + sizeof(s->why) - 1;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t room = (size_t)(end - p);
		p = mempcpy(p, parts[i].p, parts[i].n < room ? parts[i].n : room);
	}
	*p = '\0';
}

static int note_read(struct source *s, const char *path, int r, const struct str *text)
{
	if (r == 0)
		s->bytes += text->n;
	else
		note_failure(s, path, r);
	return r;
}

int source_read_as(struct source *s, const char *path, enum file_read how, struct str *ret)
{
	struct buf *text = s->shared ? &s->shared->text : &s->text;
	return note_read(s, path, files_read(&s->files, path, how, text, ret), ret);
}

int source_read_shared(struct source *s, const char *path, struct str *ret)
{
	struct shared *f = s->shared;
	if (!f)
		return source_read(s, path, ret);
	if (f->path && strcmp(f->path, path) == 0) {
		*ret = buf_str(&f->lent);
		return 0;
	}
	f->path = NULL;
	f->files.again = s->rescan;
	int r = note_read(s, path, files_read(&f->files, path, FILE_RECORDS, &f->lent, ret), ret);
	if (r == 0)
		f->path = path;
	return r;
}

int source_read(struct source *s, const char *path, struct str *ret)
{
	return source_read_as(s, path, FILE_RECORDS, ret);
}

int source_read_fd(struct source *s, int fd, struct str *ret)
{
	struct buf *text = s->shared ? &s->shared->text : &s->text;
	int r = files_read_fd(fd, FILE_RECORDS, text, ret);
	s->bytes += r == 0 ? ret->n : 0;
	return r;
}

/* Join the path without printf(3), which would cost as much as parsing the file. */
int source_read_in(struct source *s, const char *dir, const char *name, const char *leaf,
		   struct str *ret)
{
	size_t n_dir = strlen(dir), n_name = strlen(name), n_leaf = strlen(leaf);
	char path[512], *p = path;
	if (n_dir + n_name + n_leaf + 3 > sizeof(path))
		return -ENAMETOOLONG;
	p = mempcpy(p, dir, n_dir);
	*p++ = '/';
	p = mempcpy(p, name, n_name);
	*p++ = '/';
	memcpy(p, leaf, n_leaf + 1);
	return source_read(s, path, ret);
}

int source_topology(struct source *s, const struct topology **ret)
{
	struct topology *t = &s->shared->topology;
	if (topology_look(t, &s->files) < 0)
		return source_absent(s, "topology: %s", t->why);
	*ret = t;
	return 0;
}

static void source_keep_wanted(struct names *names, bool (*is_wanted)(const char *name))
{
	size_t kept = 0;
	for (size_t i = 0; i < names->n; i++)
		if (is_wanted(names->name[i]))
			memmove(names->name[kept++], names->name[i], sizeof(*names->name));
	names->n = kept;
}

int source_devices(struct source *s, const char *dir, const char *prefix)
{
	return source_devices_if(s, dir, prefix, NULL);
}

int source_devices_if(struct source *s, const char *dir, const char *prefix,
		      bool (*is_wanted)(const char *name))
{
	if (s->devices && strcmp(s->devices->dir, dir) != 0)
		forget_devices(s);
	else if (s->devices && !s->rescan)
		return (int)s->devices->names.n;
	if (!s->devices) {
		s->devices = xrealloc(NULL, sizeof(*s->devices));
		*s->devices = (struct kept_dir){ .dir = xstrdup(str_of(dir)) };
	}
	/* open the directory again: if a driver was loaded again, the old directory has gone */
	int r = names_list(&s->devices->names, &s->files, dir, prefix);
	if (r < 0) {
		forget_devices(s);
		snprintf(s->why, sizeof(s->why), "/%s: %s", dir, strerror(-r));
		return r;
	}
	if (is_wanted)
		source_keep_wanted(&s->devices->names, is_wanted);
	return (int)s->devices->names.n;
}

const char *source_device_name(const struct source *s, size_t i)
{
	return s->devices->names.name[i];
}

static const char *source_metric_key(const struct metric *m)
{
	return m->key ? m->key : m->name;
}

static size_t find_metric(const struct source *s, const struct key_lines *l)
{
	const struct metric *m = s->rows.metrics;
	size_t i = 0;
	while (i < s->rows.n_metrics && !key_lines_hold(l, l->at, str_of(source_metric_key(&m[i]))))
		i++;
	return i;
}

static void plan_key(struct key_plan *p, size_t metric, struct str key)
{
	p->wanted = vec_reserve(p->wanted, &p->cap, p->n + 1, sizeof(*p->wanted));
	p->wanted[p->n++] = (struct wanted){
		.metric = (uint16_t)metric, .key_size = (uint16_t)key.n,
	};
	buf_add(&p->keys, key);
	p->present[metric / 64] |= (uint64_t)1 << metric % 64;
}

COLD static size_t make_plan(struct source *s, struct row r, struct key_lines l)
{
	struct key_plan *p = s->plan;
	size_t found = 0;

	p->n = p->keys.n = 0;
	memset(p->present, 0, rows_words(&s->rows) * sizeof(*p->present));
	const char *line = l.at, *end = l.end;
	for (size_t i = 0; i < PLAN_LINES_MAX && line < end; i++, line = key_lines_next(&l, line)) {
		l.at = line;
		size_t metric = find_metric(s, &l);
		if (metric == s->rows.n_metrics)
			continue;
		struct str key = str_of(source_metric_key(&s->rows.metrics[metric]));
		l.at += l.skip + key.n + 1;
		if (!key_lines_take(&l, r, metric))
			continue;
		plan_key(p, metric, (struct str){ line + l.skip, key.n + 1 });
		found++;
	}
	return found;
}

static bool begins_line(const struct key_lines *l, uint16_t bytes)
{
	return bytes ? l->at[bytes - 1] == '\n' : l->at == l->begin;
}

/*
 * Get the text after a key, if the key is where it was in the previous sample. Returns NULL if it
 * is not.
 */
static const char *after_key(const struct key_lines *l, const struct wanted *w, const char *key)
{
	size_t at = w->bytes + l->skip, end = at + w->key_size;
	return end < (size_t)(l->end - l->at) && begins_line(l, w->bytes) &&
	       str_same(l->at + at, key, w->key_size) ? l->at + end : NULL;
}

/* Fill a row by following the plan. Returns false if a key has no line or no number. */
static bool follow_plan(const struct key_plan *p, struct row r, struct key_lines l, size_t words)
{
	const char *key = p->keys.p;
	if (p->n == 0)
		return false;
	for (struct wanted *w = p->wanted, *end = w + p->n; w < end; key += w++->key_size) {
		const char *after = after_key(&l, w, key);
		if (!after)
			after = key_lines_search(l, (struct str){ key, w->key_size - 1u },
						 &w->bytes);
		if (!after)
			return false;
		l.at = str_u64_at(after, l.end, &r.value[w->metric]);
		if (!l.at)
			return false;
	}
	for (size_t i = 0; i < words; i++)
		r.present[i] |= p->present[i];
	return true;
}

size_t row_key_values(struct source *s, struct row r, size_t skip, struct str text)
{
	struct key_lines l = key_lines_of(text);
	size_t words = rows_words(&s->rows);
	l.skip = skip;
	if (!s->plan) {
		s->plan = xrealloc(NULL, sizeof(*s->plan) + words * sizeof(*s->plan->present));
		*s->plan = (struct key_plan){ .n = 0 };
	}
	return !s->rescan && follow_plan(s->plan, r, l, words) ? s->plan->n : make_plan(s, r, l);
}

int source_key_values(struct source *s, const char *path)
{
	struct str text;
	int r = source_read_as(s, path, FILE_LINES, &text);
	if (r < 0)
		return r;

	if (row_key_values(s, rows_add(&s->rows, STR("-")), 0, text) == 0) {
		rows_drop(&s->rows);
		return source_absent(s, "/%s: no line with a known key", path);
	}
	return 0;
}
