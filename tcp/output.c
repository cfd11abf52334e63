/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - write snapshots to a file, or keep the latest in a ring buffer */
#include "tcp/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/files.h"

int output_open(struct output *o, const char *path, size_t ring)
{
	*o = (struct output){ .ring_n = ring };
	o->fd = open(path, O_WRONLY | O_CREAT | (ring ? 0 : O_TRUNC) | O_CLOEXEC, 0644);
	if (o->fd < 0)
		return -errno;
	if (ring)
		o->ring = xrealloc(NULL, ring * PM_ENTRY_SIZE);
	return 0;
}

void output_put(struct output *o, const struct known_connection *k)
{
	if (o->ring)
		memcpy(o->ring + o->put % o->ring_n * PM_ENTRY_SIZE, k->entry, PM_ENTRY_SIZE);
	else
		buf_add(&o->wait, (struct str){ (const char *)k->entry, PM_ENTRY_SIZE });
	o->put++;
}

static int output_write_header(struct output *o, const struct snapshots *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int r = 0;

	pm_put_header(&b, &s->h);
	if (!o->has_header)
		r = files_write(o->fd, buf_str(&b));
	else if (pwrite(o->fd, b.p, b.n, 0) < 0 && errno != ESPIPE)
		r = -errno;
	o->has_header = true;
	o->stated = s->h.missed_moments + s->h.lost_snapshots;
	o->stated_start = s->h.start;
	return r;
}

int output_write(struct output *o, const struct snapshots *s)
{
	int r = 0;

	if (o->ring)
		return 0;
	if (!o->has_header || s->h.missed_moments + s->h.lost_snapshots != o->stated ||
	    s->h.start != o->stated_start)
		r = output_write_header(o, s);
	if (r == 0)
		r = files_write(o->fd, buf_str(&o->wait));
	o->wait.n = 0;
	return r;
}

/* Append the entries of the ring, oldest first. */
static void output_put_ring(struct buf *b, const struct output *o)
{
	const char *ring = (const char *)o->ring;
	size_t n = o->put < o->ring_n ? (size_t)o->put : o->ring_n;
	size_t next = o->put % o->ring_n * PM_ENTRY_SIZE;

	if (n == o->ring_n)
		buf_add(b, (struct str){ ring + next, n * PM_ENTRY_SIZE - next });
	buf_add(b, (struct str){ ring, next });
}

int output_dump(const struct output *o, const struct snapshots *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_header h = s->h;

	if (o->put > o->ring_n)
		h.start = 0;
	pm_put_header(&b, &h);
	output_put_ring(&b, o);
	if (lseek(o->fd, 0, SEEK_SET) < 0)
		return -errno;
	int r = files_write(o->fd, buf_str(&b));
	return r == 0 && ftruncate(o->fd, (off_t)b.n) < 0 ? -errno : r;
}

void output_free(struct output *o)
{
	close_fd(&o->fd);
	buf_free(&o->wait);
	free(o->ring);
}
