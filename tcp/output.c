/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - where snapshots go: a file, or a ring of the last ones that is dumped into it */
#include "tracers/tcp/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/files.h"

int output_open(struct output *o, const struct snapshots *s, const char *path, size_t ring)
{
	*o = (struct output){ .ring_n = ring };
	o->fd = open(path, O_WRONLY | O_CREAT | (ring ? 0 : O_TRUNC) | O_CLOEXEC, 0644);
	if (o->fd < 0)
		return -errno;
	if (ring) {
		o->ring = xrealloc(NULL, ring * PM_ENTRY_SIZE);
		return 0;
	}
	pm_put_header(&o->wait, &s->h);
	return output_write(o, s);
}

void output_put(struct output *o, const struct known *k)
{
	if (o->ring)
		memcpy(o->ring + o->put % o->ring_n * PM_ENTRY_SIZE, k->entry, PM_ENTRY_SIZE);
	else
		buf_add(&o->wait, (struct str){ (const char *)k->entry, PM_ENTRY_SIZE });
	o->put++;
}

static int write_header_again(const struct output *o, const struct snapshots *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	pm_put_header(&b, &s->h);
	return pwrite(o->fd, b.p, b.n, 0) < 0 && errno != ESPIPE ? -errno : 0;
}

int output_write(struct output *o, const struct snapshots *s)
{
	uint64_t lost = s->h.missed_moments + s->h.lost_snapshots;
	int r = files_write(o->fd, buf_str(&o->wait));

	o->wait.n = 0;
	if (r < 0 || o->ring || lost == o->stated)
		return r;
	o->stated = lost;
	return write_header_again(o, s);
}

/* The oldest first. */
static void put_ring(struct buf *b, const struct output *o)
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

	pm_put_header(&b, &s->h);
	put_ring(&b, o);
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
