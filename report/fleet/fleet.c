/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet.c - check the nodes of a central archive by their newest records */
#include "report/fleet/fleet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "archive/ends.h"
#include "archive/input.h"
#include "base/files.h"
#include "base/names.h"
#include "report/fleet/ask.h"

#define TAIL_FIRST (128u << 10)
#define TAIL_MAX   (64u << 20)	/* bytes; a record group is never larger */

/* Return the short hostname, "n1" for "n1.example.org", or a whole IP address. */
static struct str label_of(struct str name)
{
	struct str rest = name, label;
	return str_take_until(&rest, '.', &label) && !str_is_u64(label) ? label : name;
}

static struct fleet_node *find_node(const struct fleet *f, struct str name)
{
	uint64_t hash = map_hash(label_of(name));
	for (struct map_slot *at = NULL; (at = map_next(&f->by_label, hash, at));)
		if (archive_is_same_host(str_of(f->node[at->value.n].name), name))
			return &f->node[at->value.n];
	return NULL;
}

static struct fleet_node *fleet_add_node(struct fleet *f, struct str name)
{
	struct fleet_node *known = find_node(f, name);
	if (known)
		return known;
	f->node = vec_reserve(f->node, &f->cap, f->n + 1, sizeof(*f->node));
	f->node[f->n] = (struct fleet_node){ .name = xstrdup(name) };
	map_add(&f->by_label, map_hash(label_of(name)), (union map_value){ .n = f->n });
	return &f->node[f->n++];
}

void fleet_expect(struct fleet *f, struct str names)
{
	struct str line, name;
	while (str_take_line(&names, &line))
		if (str_take_item(&line, &name) && str_peek(name) != '#')
			fleet_add_node(f, name);
}

/*
 * Read the records at the end of a file: its last TAIL_FIRST bytes, then 8 times as many and so on,
 * until these bytes have at least one record.
 */
static int look_at(const char *path, struct look *l)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	int r = 0;
	for (size_t tail = TAIL_FIRST; r == 0 && tail <= TAIL_MAX && !l->last_us; tail *= 8) {
		look_free(l);
		r = ends_read(path, tail, &text);
		if (r == 0)
			look_take(l, buf_str(&text));
	}
	return r;
}

static void unreadable(struct fleet_node *n, const char *path, int error)
{
	struct buf *b = &n->fault[FLEET_UNREADABLE];
	b->n = 0;
	buf_addf(b, "cannot be read: %s: ", path);
	if (error == -EBADMSG)
		buf_add(b, STR("not a raw file"));
	else
		input_explain(b, path, error);
}

/*
 * Examine the newest file of a folder. If a node was renamed and therefore has two folders, keep
 * the result for the folder with the newer records.
 */
static void look_at_file(struct fleet_node *n, const char *path)
{
	struct look l = { 0 };
	struct stat st;
	int r = look_at(path, &l);
	if (r < 0)
		unreadable(n, path, r);
	if (l.last_us <= n->look.last_us) {
		look_free(&l);
		return;
	}
	look_free(&n->look);
	n->look = l;
	n->written_us = stat(path, &st) == 0 ? (int64_t)st.st_mtime * 1000000 : 0;
}

/* Examine the newest records of all hosts of a database. */
static int look_at_database(struct fleet *f, const struct listener *listener)
{
	const struct answer_request newest = { .rows = true, .since = INT64_MIN,
					       .until = INT64_MAX, .what = ANSWER_NEWEST };
	struct buf left_out CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	struct archive_file *file = NULL;
	bool expected = f->n > 0;
	size_t n_files = 0;
	int r = archive_from(&f->from, NULL, &newest, NULL, &file, &n_files, &left_out, &why);
	if (r < 0)
		say_error(listener, STR_FMT, STR_ARG(buf_str(&why)));
	else if (left_out.n)
		say_warning(listener, "%s: " STR_FMT, f->from.url, STR_ARG(buf_str(&left_out)));
	for (size_t i = 0; i < n_files; i++) {
		struct str name = str_of(file[i].host);
		struct fleet_node *n = expected ? find_node(f, name) : fleet_add_node(f, name);
		if (!n)
			continue;
		n->there = true;
		look_at_file(n, file[i].path);
		n->written_us = n->look.last_us;
	}
	archive_list_free(file, n_files);
	return r;
}

static void look_at_folder(struct fleet_node *n, const char *path)
{
	struct archive_file *file = NULL;
	size_t files = 0;
	int r = archive_list(path, &file, &files, NULL);
	n->there = true;
	if (r < 0)
		unreadable(n, path, r);
	else if (files)
		look_at_file(n, file[files - 1].path);
	archive_list_free(file, files);
}

static bool is_folder(int dirfd, const char *name)
{
	struct stat st;
	return strcmp(name, "lost+found") != 0 && fstatat(dirfd, name, &st, 0) == 0 &&
	       S_ISDIR(st.st_mode);
}

static void look_at_folders(struct fleet *f, int dirfd, const struct names *names)
{
	bool expected = f->n > 0;
	for (size_t i = 0; i < names->n; i++) {
		struct buf path CLEANUP(buf_free) = { 0 };
		struct str name = str_of(names->name[i]);
		if (!is_folder(dirfd, names->name[i]))
			continue;
		struct fleet_node *n = expected ? find_node(f, name) : fleet_add_node(f, name);
		buf_addf(&path, "%s/%s%c", f->dir, names->name[i], '\0');
		if (n)
			look_at_folder(n, path.p);
	}
}

/* Examine the newest files of an archive. */
static int look_at_archive(struct fleet *f, const struct listener *listener)
{
	struct names names CLEANUP(names_free) = { 0 };
	int fd CLEANUP(close_fd) = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -errno : names_read(&names, fd, "", NAMES_OF_DIRECTORIES);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		archive_explain(&why, f->dir, r);
		say_error(listener, STR_FMT, STR_ARG(buf_str(&why)));
		return r;
	}
	if (names.n == NAMES_MAX)
		say_warning(listener, "%s: more than %d hosts: some are left out", f->dir,
			    NAMES_MAX - 1);
	look_at_folders(f, fd, &names);
	return 0;
}

int fleet_look(struct fleet *f, const struct listener *listener)
{
	int r = (f->from.url ? look_at_database : look_at_archive)(f, listener);
	if (r < 0)
		return r;
	if (f->ask)
		ask_nodes(f);
	fleet_judge(f);
	return 0;
}

void fleet_free(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->node[i].name);
		look_free(&f->node[i].look);
		for (size_t k = 0; k < FLEET_FAULTS; k++)
			buf_free(&f->node[i].fault[k]);
	}
	free(f->node);
	free(f->program);
	map_free(&f->by_label);
}
