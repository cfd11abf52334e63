/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.c - read a recording of TCP connections (.pm file) into memory */
#include "tcp/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"

#define READ_BYTES (1u << 20)

/* Read from fd until b holds `want` bytes or the file ends. Returns 0 or -errno. */
static int capture_fill(int fd, struct buf *b, size_t want)
{
	while (b->n < want) {
		buf_reserve(b, want - b->n);
		ssize_t n = read(fd, b->p + b->n, want - b->n);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		b->n += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int capture_read_header(struct capture *c, int fd, struct buf *b, struct pm_fault *fault)
{
	int r = capture_fill(fd, b, PM_HEADER_MAX + 4);
	if (r == 0)
		r = pm_read_header(buf_str(b), &c->h, fault);
	return r == -EAGAIN ? -EBADMSG : r;
}

/*
 * Return v - before for a counter of `bytes` bytes. If the counter wrapped, return the difference
 * that is nearest to 0.
 */
static int64_t capture_wrapped_difference(uint64_t v, uint64_t before, size_t bytes)
{
	unsigned unused = 64 - 8 * (unsigned)bytes;
	return (int64_t)((v - before) << unused) >> unused;
}

static void capture_add_moment(struct capture *c, const struct pm_column *seq,
			       const unsigned char *entry)
{
	struct capture_moment m = { .seq = (int64_t)c->n_moments };
	const struct capture_moment *last = c->n_moments ? &c->moment[c->n_moments - 1] : NULL;
	uint64_t v;

	if (seq && pm_take(&c->h, seq, entry, &v)) {
		size_t bytes = seq->length < 4 ? seq->length : 4;
		m.shown = (uint32_t)v;
		m.seq = last ? last->seq + capture_wrapped_difference(v, last->shown, bytes) :
			       m.shown;
	}
	if (c->time)
		pm_take_time(&c->h, c->time, entry, &m.sec, &m.usec);
	c->unsorted |= last && m.seq < last->seq;
	c->moment = vec_reserve(c->moment, &c->cap_moments, c->n_moments + 1, sizeof(m));
	c->moment[c->n_moments++] = m;
}

/* columns with the sequence number, the system's TCP memory, and the identity of a connection */
struct entry_columns {
	const struct pm_column *seq, *clusters;
	const struct pm_column *part[5];	/* columns lport, rport, laddr, raddr, cookie */
};

static struct entry_columns capture_find_columns(const struct pm_header *h)
{
	return (struct entry_columns){
		.seq = pm_column(h, "seq_no"), .clusters = pm_column(h, "m_clused"),
		.part = { pm_column(h, "lport"), pm_column(h, "rport"), pm_column(h, "laddr"),
			  pm_column(h, "raddr"), pm_column(h, "cookie") },
	};
}

static uint16_t capture_port_of(const struct pm_header *h, const struct pm_column *c,
				const unsigned char *entry)
{
	uint64_t v = 0;
	return c && pm_take(h, c, entry, &v) ? (uint16_t)v : 0;
}

static void capture_name_connection(struct tcp_connection *n, const struct entry_columns *id,
				    const unsigned char *entry)
{
	const struct pm_column *from = id->part[2], *to = id->part[3];
	char left[PM_ADDRESS], right[PM_ADDRESS];

	if (!from || !to || from->length != 16 || to->length != 16) {
		snprintf(n->name, sizeof(n->name), "%u.%u", n->ports.local, n->ports.remote);
		return;
	}
	snprintf(n->name, sizeof(n->name), "%s:%u %s:%u",
		 pm_address(entry + from->offset, left), n->ports.local,
		 pm_address(entry + to->offset, right), n->ports.remote);
}

/* Count a connection with these ports. Returns the number of earlier ones with the same ports. */
static unsigned capture_count_ports(struct capture *c, struct port_pair p)
{
	uint32_t both = (uint32_t)p.local << 16 | p.remote;
	uint64_t hash = map_hash((struct str){ (const char *)&both, sizeof(both) });

	for (struct map_slot *at = NULL; (at = map_next(&c->by_ports, hash, at)); )
		if (at->value.n >> 32 == both)
			return (unsigned)at->value.n++;
	map_add(&c->by_ports, hash, (union map_value){ .n = (uint64_t)both << 32 | 1 });
	return 0;
}

static size_t capture_add_connection(struct capture *c, const struct entry_columns *id,
				     struct port_pair p, struct str key, const unsigned char *entry)
{
	struct tcp_connection n = { .ports = p, .key = c->keys.n, .key_n = key.n };

	n.same = capture_count_ports(c, p);
	capture_name_connection(&n, id, entry);
	buf_add(&c->keys, key);
	c->connection = vec_reserve(c->connection, &c->cap_connections, c->n_connections + 1,
				    sizeof(n));
	c->connection[c->n_connections] = n;
	map_add(&c->by_key, map_hash(key), (union map_value){ .n = c->n_connections });
	return c->n_connections++;
}

static size_t capture_get_connection(struct capture *c, const struct entry_columns *id,
				     struct port_pair p, const unsigned char *entry)
{
	unsigned char bytes[5 * UINT8_MAX];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(id->part); i++)
		if (id->part[i]) {
			memcpy(bytes + n, entry + id->part[i]->offset, id->part[i]->length);
			n += id->part[i]->length;
		}
	struct str key = { (const char *)bytes, n };
	for (struct map_slot *at = NULL; (at = map_next(&c->by_key, map_hash(key), at)); ) {
		const struct tcp_connection *o = &c->connection[at->value.n];
		struct str known = str_skip(buf_str(&c->keys), o->key);
		known.n = o->key_n;
		if (str_eq(key, known))
			return at->value.n;
	}
	return capture_add_connection(c, id, p, key, entry);
}

static int capture_add_entry(struct capture *c, const struct entry_columns *id,
			     const unsigned char *entry)
{
	struct port_pair p = { capture_port_of(&c->h, id->part[0], entry),
			  capture_port_of(&c->h, id->part[1], entry) };
	uint64_t clusters;

	capture_add_moment(c, id->seq, entry);
	if (id->clusters && pm_take(&c->h, id->clusters, entry, &clusters) &&
	    clusters > c->clusters_most)
		c->clusters_most = clusters;
	if (c->n_moments * sizeof(*c->moment) + c->entries.n > CAPTURE_BYTES_MAX)
		return -EFBIG;
	if (!ports_wanted(&c->only, p))
		return 0;

	size_t connection = capture_get_connection(c, id, p, entry);
	c->connection[connection].n++;
	c->snapshot = vec_reserve(c->snapshot, &c->cap, c->n + 1, sizeof(*c->snapshot));
	c->snapshot[c->n++] = (struct snapshot){ c->moment[c->n_moments - 1].seq, c->entries.n,
						 (uint32_t)connection };
	buf_add(&c->entries, (struct str){ (const char *)entry, c->h.entry_size });
	return 0;
}

/* Move all complete entries from b to the capture. Returns 0 or -errno. */
static int capture_add_entries(struct capture *c, const struct entry_columns *id, struct buf *b)
{
	size_t at = 0;
	for (; b->n - at >= c->h.entry_size; at += c->h.entry_size) {
		int r = capture_add_entry(c, id, (const unsigned char *)b->p + at);
		if (r < 0)
			return r;
	}
	b->n -= at;
	memmove(b->p, b->p + at, b->n);
	return 0;
}

static int capture_compare_snapshots(const void *a, const void *b)
{
	const struct snapshot *x = a, *y = b;
	return x->seq != y->seq ? (x->seq > y->seq) - (x->seq < y->seq) :
				  (x->at > y->at) - (x->at < y->at);
}

static int capture_compare_moments(const void *a, const void *b)
{
	const struct capture_moment *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void capture_sort(struct capture *c)
{
	size_t at = 0;

	if (c->unsorted) {
		qsort(c->snapshot, c->n, sizeof(*c->snapshot), capture_compare_snapshots);
		qsort(c->moment, c->n_moments, sizeof(*c->moment), capture_compare_moments);
	}
	for (size_t i = 0; i < c->n_connections; at += c->connection[i++].n)
		c->connection[i].first = at;
	c->of_connection = xrealloc(NULL, c->n * sizeof(*c->of_connection));
	for (size_t i = 0; i < c->n_connections; i++)
		c->connection[i].n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct tcp_connection *n = &c->connection[c->snapshot[i].connection];
		c->of_connection[n->first + n->n++] = (uint32_t)i;
	}
}

int capture_read(struct capture *c, int fd, struct pm_fault *fault)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t before;
	int r = capture_read_header(c, fd, &b, fault);
	if (r < 0)
		return r;

	struct entry_columns id = capture_find_columns(&c->h);
	c->time = pm_column(&c->h, "time");
	c->valid = pm_column(&c->h, "valid");
	b.n -= c->h.bytes;
	memmove(b.p, b.p + c->h.bytes, b.n);
	do {
		r = capture_add_entries(c, &id, &b);
		before = b.n;
		if (r == 0)
			r = capture_fill(fd, &b, b.n + READ_BYTES);
	} while (r == 0 && b.n > before);
	c->cut = b.n;
	if (r == 0)
		capture_sort(c);
	return r;
}

static void capture_warn(const struct capture *c, const char *file)
{
	if (c->h.n_twice)
		log_warning("%s: %zu columns defined twice, %s first; the first definition counts",
			    file, c->h.n_twice, c->h.twice);
	if (c->cut)
		log_warning("%s: the last entry is cut off after %zu of %u bytes", file, c->cut,
			    c->h.entry_size);
}

int capture_open(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int capture_load(struct capture *c, const char *file, int fd)
{
	struct pm_fault fault;
	int r = fd < 0 ? fd : capture_read(c, fd, &fault);

	if (r == -EBADMSG)
		log_error("%s: at byte %zu: %s; is it a .pm file?", file, fault.at, fault.why);
	else if (r == -EFBIG)
		log_error("%s: more than %llu MB of snapshots; select connections with -p", file,
			  CAPTURE_BYTES_MAX >> 20);
	else if (r < 0)
		log_error("%s: %s", file, strerror(-r));
	else
		capture_warn(c, file);
	return r;
}

void capture_free(struct capture *c)
{
	pm_header_free(&c->h);
	buf_free(&c->entries);
	buf_free(&c->keys);
	free(c->snapshot);
	free(c->of_connection);
	free(c->connection);
	map_free(&c->by_key);
	map_free(&c->by_ports);
	free(c->moment);
}

bool capture_value(const struct capture *c, size_t snapshot, const struct pm_column *column,
		   uint64_t *ret)
{
	const unsigned char *entry = capture_entry(c, snapshot);
	return pm_is_valid(&c->h, c->valid, column, entry) && pm_take(&c->h, column, entry, ret) &&
	       pm_is_known(column, *ret);
}

bool capture_time(const struct capture *c, size_t snapshot, int64_t *usec)
{
	uint64_t sec, usec_part;
	if (!c->time ||
	    !pm_take_time(&c->h, c->time, capture_entry(c, snapshot), &sec, &usec_part) ||
	    sec > INT64_MAX / 2000000 || usec_part > INT64_MAX / 2)
		return false;
	*usec = (int64_t)(sec * 1000000 + usec_part);
	return true;
}
