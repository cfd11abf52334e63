/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.c - collect the statistics files of a Lustre client */
#include "collectors/lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "collectors/part_sums.h"

#define DEVICE_MAX 256
/* smallest number of digits of a superblock's address; current machines use 16 */
#define INSTANCE_MIN 8

/* A directory with statistics of a mount, or of a server of a mount. */
struct client {
	char device[DEVICE_MAX];
	size_t at;		/* index of the client's directory for source_device_name() */
	uint64_t id;		/* hash of the directory's name */
	size_t server, mount;	/* indices in .servers and .mounts of struct lustre */
};

struct lustre {
	size_t dir;	/* index in .dir[] of struct lustre_type: the directory that exists */
	size_t n, cap;
	struct client *client;	/* sorted by device */
	uint64_t counted;	/* mask of the keys that this version of Lustre counts */
	struct lustre_lines lines;
	struct part_table servers;	/* last reading of each server of a mount */
	struct part_table mounts;	/* sums over the servers of each mount */
	uint64_t *reading;		/* scratch memory for the values of one server */
};

static bool is_varying(const struct lustre_type *type, const char *key)
{
	for (const char *const *v = type->varying; *v; v++)
		if (strcmp(*v, key) == 0)
			return true;
	return false;
}

static void lustre_free_state(void *state)
{
	struct lustre *l = state;
	free(l->client);
	free(l->reading);
	part_table_free(&l->servers);
	part_table_free(&l->mounts);
}

static struct lustre *lustre_get_state(struct source *s)
{
	struct lustre *l = source_state(s, sizeof(*l));
	if (!s->end_state) {
		s->end_state = lustre_free_state;
		l->servers.width = l->mounts.width = s->rows.n_metrics;
		l->reading = xrealloc(NULL, s->rows.n_metrics * sizeof(*l->reading));
		for (size_t i = 0; i < s->rows.n_metrics; i++)
			if (!is_varying(s->data, s->rows.metrics[i].name))
				l->counted |= (uint64_t)1 << i;
	}
	return l;
}

/* Split s at the last '-'. Returns false if s has no '-', or if either part is empty. */
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

/*
 * Returns true if the text is a hexadecimal address. It need not start with ffff: %p prints hashed
 * addresses since Linux 4.15.
 */
static bool is_instance(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_has(STR("0123456789abcdef"), s.p[i]))
			return false;
	return s.n >= INSTANCE_MIN;
}

/*
 * Parse "work-ffff8104435c8c00" or "work-OST0000-osc-ffff8104435c8c00". Returns false for other
 * names, such as "work-OST0000-osc-MDT0000": a device of the metadata server, in the osc directory
 * of a server.
 */
static bool lustre_parse_name(const struct lustre_type *type, struct str name,
			      char device[DEVICE_MAX])
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

static int lustre_by_device(const void *a, const void *b)
{
	const struct client *p = a, *q = b;
	int r = strverscmp(p->device, q->device);
	return r ? r : (p->at > q->at) - (p->at < q->at);
}

static void lustre_list_client(struct lustre *l, const struct client *c)
{
	l->client = vec_reserve(l->client, &l->cap, l->n + 1, sizeof(*l->client));
	l->client[l->n++] = *c;
}

/* List the clients. Returns 0 if at least one has readable statistics. */
static int list_clients(struct source *s, size_t dir)
{
	struct lustre *l = s->state;
	const struct lustre_type *type = s->data;
	int n = source_devices(s, type->dir[dir], ""), why = -ENOENT;
	bool readable = false;

	l->n = 0;
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		struct client c = { .at = (size_t)i, .id = str_hash(str_of(name)) };
		struct str text;
		if (!lustre_parse_name(type, str_of(name), c.device))
			/* the file num_refs, or a device of a Lustre server */
			continue;
		int r = source_read_in(s, type->dir[dir], name, "stats", &text);
		if (r == -ENOENT || r == -ENOTDIR)
			continue;	/* the client's statistics are in the other directory */
		if (r < 0)
			why = r;
		readable |= r == 0;
		/*
		 * keep a client that is unreadable now: without it, the sums of its mount would be
		 * too small
		 */
		lustre_list_client(l, &c);
	}
	if (l->n)
		qsort(l->client, l->n, sizeof(*l->client), lustre_by_device);
	return n < 0 ? n : readable ? 0 : why;
}

/* Find or add the sums of each client, and drop the sums of clients that have gone. */
static void lustre_find_sums(struct lustre *l)
{
	for (size_t i = 0; i < l->n; i++) {
		part_table_see(&l->servers, l->client[i].id, i);
		part_table_see(&l->mounts, str_hash(str_of(l->client[i].device)), 0);
	}
	part_table_forget_unseen(&l->servers);
	part_table_forget_unseen(&l->mounts);
	for (size_t i = 0; i < l->n; i++) {
		struct client *c = &l->client[i];
		c->server = part_table_find(&l->servers, c->id, i);
		c->mount = part_table_find(&l->mounts, str_hash(str_of(c->device)), 0);
	}
}

static int find_clients(struct source *s, struct lustre *l)
{
	const struct lustre_type *type = s->data;
	int r = lustre_look(s, &l->dir, list_clients);
	if (r == 0) {
		lustre_find_sums(l);
		return 0;
	}
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

/*
 * Add the growth of a server's counters since the last reading to the sums of its mount, and the
 * server's keys to *present. The counts of removed servers stay in the sums. If a value is
 * negative, only the sum of its key stays unchanged. Returns false if the file is unreadable or
 * malformed.
 */
static bool lustre_add_client(struct source *s, struct lustre *l, const struct client *c,
			      uint64_t *present)
{
	uint64_t *sum = l->mounts.value + c->mount * l->mounts.width;
	uint64_t *last = l->servers.value + c->server * l->servers.width;
	uint64_t *now = l->reading, keys = 0;
	if (!add_client_stats(s, l, (struct row){ now, &keys }, c->at))
		return false;
	*present |= keys;
	for (uint64_t left = keys; left; left &= left - 1) {
		int k = __builtin_ctzll(left);
		sum[k] += part_growth(&last[k], now[k]);
	}
	return true;
}

/* Add the row of a mount. Returns the index of the next mount's first client. */
static size_t collect_mount(struct source *s, struct lustre *l, size_t i)
{
	const size_t mount = l->client[i].mount;
	const uint64_t *sum = l->mounts.value + mount * l->mounts.width;
	struct row row = rows_add(&s->rows, str_of(l->client[i].device));
	uint64_t present = 0;
	bool whole = true;

	for (; i < l->n && l->client[i].mount == mount; i++)
		whole = whole && lustre_add_client(s, l, &l->client[i], &present);
	for (size_t k = 0; k < s->rows.n_metrics; k++)
		if ((present >> k & 1) || sum[k])
			row_set(row, k, sum[k]);
	if (!whole)
		rows_drop(&s->rows);
	return i;
}

/*
 * Set missing keys to 0. Lustre prints a key only if the key has samples
 * (obdclass/lprocfs_counters.c), and only mounts that were read completely have a row. A missing
 * key is 0 if every version of Lustre counts it, or if a row of this node has or had it; any other
 * key stays missing.
 */
static void lustre_add_zeros(struct source *s, struct lustre *l)
{
	size_t words = rows_words(&s->rows);
	for (size_t r = 0; r < s->rows.n; r++)
		l->counted |= s->rows.present[r * words];
	for (size_t r = 0; r < s->rows.n; r++) {
		struct row row = { s->rows.value + r * s->rows.n_metrics,
				   s->rows.present + r * words };
		for (size_t i = 0; i < s->rows.n_metrics; i++)
			if ((l->counted & ~l->lines.below_0 & ~row.present[0]) >> i & 1)
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
	struct lustre *l = lustre_get_state(s);
	if (s->rescan || !l->n) {
		int r = find_clients(s, l);
		if (r < 0)
			return r;
	}
	l->lines.below_0 = 0;
	s->why[0] = '\0';	/* discard the errors of find_clients() */
	for (size_t i = 0; i < l->n; )
		i = collect_mount(s, l, i);
	lustre_add_zeros(s, l);
	if (s->rows.n || s->why[0])
		return s->rows.n ? 0 : -ENOENT;
	return source_absent(s, "no mount with complete statistics");
}
