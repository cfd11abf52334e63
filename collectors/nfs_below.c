/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_below.c - find NFS mounts that share a superblock and its counters, in mountinfo */
#include "collectors/nfs_below.h"

#include <stdlib.h>
#include "base/vec.h"

struct nfs_mount {
	struct str superblock;	/* device number of the superblock, such as "0:45" */
	struct str dir;
	size_t place;		/* index of the mount in mountinfo, the list of mounts */
	bool is_nfs;
};

struct mount_list {
	size_t n, cap;
	struct nfs_mount *mount;
};

/* Parse "36 35 0:45 / /home/a rw shared:1 - nfs srv:/vol rw": proc(5), fs/proc_namespace.c. */
static bool take_mount(struct str line, struct nfs_mount *ret)
{
	struct nfs_mount m;
	struct str word, type;
	if (!str_take_word(&line, &word) || !str_take_word(&line, &word) ||
	    !str_take_word(&line, &m.superblock) || !str_take_word(&line, &word) ||
	    !str_take_word(&line, &m.dir))
		return false;
	do {
		if (!str_take_word(&line, &word))
			return false;
	} while (!str_eq(word, STR("-")));
	if (!str_take_word(&line, &type))
		return false;
	m.is_nfs = str_eq(type, STR("nfs")) || str_eq(type, STR("nfs4"));
	m.place = 0;
	*ret = m;
	return true;
}

static void add_mount(struct mount_list *l, struct nfs_mount m)
{
	l->mount = vec_reserve(l->mount, &l->cap, l->n + 1, sizeof(*l->mount));
	m.place = l->n;
	l->mount[l->n++] = m;
}

static int by_dir(const void *a, const void *b)
{
	const struct nfs_mount *m = a, *n = b;
	int c = str_cmp(m->dir, n->dir);
	return c ? c : m->place < n->place ? -1 : m->place > n->place;
}

static int by_superblock(const void *a, const void *b)
{
	const struct nfs_mount *m = a, *n = b;
	int c = str_cmp(m->superblock, n->superblock);
	return c ? c : m->place < n->place ? -1 : m->place > n->place;
}

/* Drop each mount that a later mount on the same directory hides. */
static void drop_hidden(struct mount_list *l)
{
	size_t n = 0;
	if (l->n)
		qsort(l->mount, l->n, sizeof(*l->mount), by_dir);
	for (size_t i = 0; i < l->n; i++)
		if (i + 1 == l->n || !str_eq(l->mount[i].dir, l->mount[i + 1].dir))
			l->mount[n++] = l->mount[i];
	l->n = n;
}

void nfs_below(struct source *s, struct str mountinfo)
{
	struct mount_list l = { 0 };
	struct nfs_mount m;
	struct str line;

	rows_below(&s->rows);
	while (str_take_line(&mountinfo, &line))
		if (take_mount(line, &m) && m.is_nfs)
			add_mount(&l, m);
	drop_hidden(&l);
	if (l.n)
		qsort(l.mount, l.n, sizeof(*l.mount), by_superblock);
	for (size_t i = 1, first = 0; i < l.n; i++) {
		if (str_eq(l.mount[i].superblock, l.mount[first].superblock))
			rows_stands_on(&s->rows, l.mount[i].dir, l.mount[first].dir, true);
		else
			first = i;
	}
	if (l.n == 0)
		/* mountinfo cannot be used: it has no NFS mount, but mountstats has */
		rows_below_unknown(&s->rows);
	free(l.mount);
}
