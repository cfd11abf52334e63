/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.c - types that are the statistics files of a Lustre client */
#include "collectors/lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define DEVICE_MAX 256
#define INSTANCE_MIN 8	/* digits of an address: 16 on any machine that is left */

/* A directory with a statistics file, and the row that it belongs to. */
struct client {
	char device[DEVICE_MAX];
	size_t at;		/* for source_device_name() */
};

struct lustre {
	size_t dir;		/* of the type's: where statistics were found */
	size_t n, cap;
	struct client *client;	/* in the order of their devices */
	uint64_t counted;	/* keys that this version counts, as far as is known */
	struct lustre_lines lines;
};

static bool is_varying(const struct lustre_type *type, const char *key)
{
	for (const char *const *v = type->varying; *v; v++)
		if (strcmp(*v, key) == 0)
			return true;
	return false;
}

static void end(void *state)
{
	free(((struct lustre *)state)->client);
}

static struct lustre *get_state(struct source *s)
{
	struct lustre *l = source_state(s, sizeof(*l));
	s->end_state = end;
	for (size_t i = 0; !l->cap && i < s->rows.n_metrics; i++)
		if (!is_varying(s->data, s->rows.metrics[i].name))
			l->counted |= (uint64_t)1 << i;
	return l;
}

/* Takes what follows the last '-' off the end; something must be left before it. */
static bool cut_tail(struct str *s, struct str *tail)
{
	for (size_t n = s->n; n > 1; n--) {
		if (s->p[n - 1] != '-')
			continue;
		*tail = str_skip(*s, n);
		s->n = n - 1;
		return tail->n > 0;
	}
	return false;
}

/* Addresses need not begin with ffff: since Linux 4.15 %p prints hashed ones. */
static bool is_instance(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_has(STR("0123456789abcdef"), s.p[i]))
			return false;
	return s.n >= INSTANCE_MIN;
}

/*
 * "work-ffff8104435c8c00", "work-OST0000-osc-ffff8104435c8c00". On a server, the osc directory
 * also has the metadata server's own devices ("work-OST0000-osc-MDT0000"): they are no clients.
 */
static bool take_name(const struct lustre_type *type, struct str name, char device[DEVICE_MAX])
{
	struct str instance, server, target;
	if (!cut_tail(&name, &instance) || !is_instance(instance))
		return false;
	if (type->server && (!cut_tail(&name, &server) || !cut_tail(&name, &target) ||
			     !str_eq(server, str_of(type->server))))
		return false;
	snprintf(device, DEVICE_MAX, STR_FMT "-" STR_FMT, STR_ARG(name), STR_ARG(instance));
	return true;
}

static int by_device(const void *a, const void *b)
{
	const struct client *p = a, *q = b;
	int r = strverscmp(p->device, q->device);
	return r ? r : (p->at > q->at) - (p->at < q->at);
}

static void add_client(struct lustre *l, const struct client *c)
{
	l->client = vec_reserve(l->client, &l->cap, l->n + 1, sizeof(*l->client));
	l->client[l->n++] = *c;
}

/* 0 if at least one client's statistics could be read. */
static int list_clients(struct source *s, size_t dir)
{
	struct lustre *l = s->state;
	const struct lustre_type *type = s->data;
	int n = source_devices(s, type->dir[dir], ""), why = -ENOENT;
	bool readable = false;

	l->n = 0;
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		struct client c = { .at = (size_t)i };
		struct str text;
		if (!take_name(type, str_of(name), c.device))
			continue;	/* num_refs, or a server's */
		int r = source_read_in(s, type->dir[dir], name, "stats", &text);
		if (r == -ENOENT || r == -ENOTDIR)
			continue;	/* the other directory has its statistics */
		if (r < 0)
			why = r;
		readable |= r == 0;
		add_client(l, &c);	/* unreadable: the mount's sum will lack it, so no row */
	}
	if (l->n)
		qsort(l->client, l->n, sizeof(*l->client), by_device);
	return n < 0 ? n : readable ? 0 : why;
}

static int find_clients(struct source *s, struct lustre *l)
{
	const struct lustre_type *type = s->data;
	int r = lustre_look(s, &l->dir, list_clients);
	if (r == 0)
		return 0;
	l->n = 0;
	return lustre_absent(s, type->dir[0], type->dir[1], r);
}

static bool add_client_stats(struct source *s, struct lustre *l, struct row row, size_t at)
{
	const char *dir = ((const struct lustre_type *)s->data)->dir[l->dir];
	struct str text;
	return source_read_in(s, dir, source_device_name(s, at), "stats", &text) == 0 &&
	       lustre_add_stats(s, &l->lines, row, text);
}

/* Returns the first client of the next mount. */
static size_t collect_mount(struct source *s, struct lustre *l, size_t i)
{
	const char *device = l->client[i].device;
	struct row row = rows_add(&s->rows, str_of(device));
	bool whole = true;

	for (; i < l->n && strcmp(l->client[i].device, device) == 0; i++)
		whole = whole && add_client_stats(s, l, row, l->client[i].at);
	if (!whole)
		rows_drop(&s->rows);
	return i;
}

/*
 * Lustre prints a key only when it has samples (obdclass/lprocfs_counters.c), and each row that is
 * left was read whole: keys that this version counts and did not print happened 0 times. This is
 * known of keys that every version counts, and of those that a mount of this node has or had; the
 * others stay missing.
 */
static void add_known_zeros(struct source *s, struct lustre *l)
{
	size_t words = rows_words(&s->rows);
	for (size_t r = 0; r < s->rows.n; r++)
		l->counted |= s->rows.present[r * words];
	for (size_t r = 0; r < s->rows.n; r++) {
		struct row row = { s->rows.value + r * s->rows.n_metrics,
				   s->rows.present + r * words };
		for (size_t i = 0; i < s->rows.n_metrics; i++)
			if ((l->counted & ~row.present[0]) >> i & 1)
				row_set(row, i, 0);
	}
}

int lustre_look(struct source *s, size_t *place, int (*look)(struct source *s, size_t place))
{
	size_t first = *place;
	int why = -ENOENT;
	for (size_t i = 0; i < LUSTRE_PLACES; i++) {
		*place = (first + i) % LUSTRE_PLACES;
		int r = look(s, *place);
		if (r == 0)
			return 0;
		if (r != -ENOENT)
			why = r;
	}
	*place = first;
	return why;
}

static bool has_dir(const struct source *s, const char *path)
{
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY | O_DIRECTORY);
	return fd >= 0;
}

int lustre_absent(struct source *s, const char *proc, const char *debug, int e)
{
	if (!has_dir(s, LUSTRE_PROC) && !has_dir(s, "sys/fs/lustre") &&
	    !has_dir(s, "sys/module/lnet"))
		return source_absent(s, "no Lustre client: no /" LUSTRE_PROC ", /sys/fs/lustre or "
				     "/sys/module/lnet");
	if (e == -EACCES || e == -EPERM)
		return source_absent(s, "/%s: %s; needs CAP_DAC_READ_SEARCH or root", debug,
				     strerror(-e));
	return source_absent(s, "no statistics in /%s or /%s", proc, debug);
}

int lustre_collect(struct source *s)
{
	struct lustre *l = get_state(s);
	if (s->rescan || !l->n) {
		int r = find_clients(s, l);
		if (r < 0)
			return r;
	}
	s->why[0] = '\0';	/* forget what find_clients() could not read */
	for (size_t i = 0; i < l->n; )
		i = collect_mount(s, l, i);
	add_known_zeros(s, l);
	if (s->rows.n || s->why[0])
		return s->rows.n ? 0 : -ENOENT;
	return source_absent(s, "no mount whose statistics can be read whole");
}
