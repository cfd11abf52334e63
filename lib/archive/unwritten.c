/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.c - record groups on their way to the writer */
#include "archive/unwritten.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "archive/tail.h"
#include "base/files.h"

#define MAGIC  "groups1"
#define SECOND (UINT32_C(1) << 31)

struct unwritten_memory {
	char magic[8];
	_Atomic uint32_t used;	/* bytes of text; SECOND: in the second half */
	uint32_t unused;
	char half[2][UNWRITTEN_BYTES_MAX];
};

static int half_of(const struct unwritten *p)
{
	return p->text.p == p->memory->half[1];
}

/* The one step by which the file changes, after the text of that half. */
static void set_text(struct unwritten *p, int half, size_t n)
{
	p->text = (struct buf){ p->memory->half[half], n, UNWRITTEN_BYTES_MAX };
	atomic_store(&p->memory->used, (uint32_t)n | (half ? SECOND : 0));
}

/* Without room in the file a store to its memory would end this process. */
static bool reserve(struct unwritten *p, int half)
{
	off_t at = half ? offsetof(struct unwritten_memory, half[1]) : 0;
	off_t size = half ? UNWRITTEN_BYTES_MAX : offsetof(struct unwritten_memory, half[1]);
	p->reserved[half] |= !p->kept || posix_fallocate(p->fd, at, size) == 0;
	return p->reserved[half];
}

static int map(struct unwritten *p)
{
	int flags = p->kept ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	void *m = mmap(NULL, sizeof(*p->memory), PROT_READ | PROT_WRITE, flags,
		       p->kept ? p->fd : -1, 0);
	if (m == MAP_FAILED)
		return -errno;
	p->memory = m;
	return 0;
}

int unwritten_read(int fd, struct buf *to)
{
	struct {
		char magic[8];
		uint32_t used;
	} head;
	to->n = 0;
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.magic, MAGIC, sizeof(MAGIC)) != 0)
		return 0;
	uint32_t n = head.used & ~SECOND;
	int half = head.used != n;
	if (n > UNWRITTEN_BYTES_MAX)
		return 0;
	buf_reserve(to, n + 1);
	size_t at = offsetof(struct unwritten_memory, half) + half * UNWRITTEN_BYTES_MAX;
	if (pread(fd, to->p, n, (off_t)at) == (ssize_t)n)
		to->n = n;
	if (!str_starts(buf_str(to), STR("\n$hpcperfstats ")) || !tail_ends_whole(buf_str(to)))
		to->n = 0;
	return half;
}

/* Groups of an earlier run count as one with marks. */
static void take_over(struct unwritten *p)
{
	struct unwritten_group g = { .group = p->text.n, .marked = true };
	struct str rest = buf_str(&p->text);
	const char *blank;
	int64_t usec;
	while ((blank = memmem(rest.p, rest.n, "\n\n", 2))) {
		rest = str_skip(rest, (size_t)(blank + 2 - rest.p));
		g.header = g.header ? g.header : (size_t)(blank + 1 - p->text.p);
		p->mixed |= str_peek(rest) == '$';
		if (!str_take_time(&rest, &usec))
			continue;
		g.usec = g.usec ? g.usec : usec;
		p->last_us = usec;
	}
	if (!g.usec) {
		set_text(p, half_of(p), 0);
		return;
	}
	g.group -= g.header;
	p->part[p->n++] = g;
	p->wants_header = true;
}

/* Children that outlive a kill do not hold such a lock. */
static int open_file(struct unwritten *p)
{
	struct buf left CLEANUP(buf_free) = { 0 };
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	if (fcntl(p->fd, F_SETLK, &all) < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	int half = unwritten_read(p->fd, &left);
	if (ftruncate(p->fd, sizeof(*p->memory)) < 0)
		return -errno;
	int r = reserve(p, half) ? map(p) : -ENOSPC;
	if (r < 0)
		return r;
	set_text(p, half, left.n);
	memcpy(p->memory->magic, MAGIC, sizeof(MAGIC));
	take_over(p);
	return 0;
}

int unwritten_open(struct unwritten *p, int fd)
{
	p->fd = fd;
	p->kept = true;
	int r = open_file(p);
	if (r < 0) {
		close(fd);
		p->kept = false;
	}
	return r;
}

/* Where the file gets no room for the other half, the text moves within this one. */
static void cut(struct unwritten *p, size_t at, size_t n)
{
	if (n == 0)
		return;
	int half = half_of(p), to = reserve(p, !half) ? !half : half;
	char *moved = p->memory->half[to];
	memmove(moved, p->text.p, at);
	memmove(moved + at, p->text.p + at + n, p->text.n - at - n);
	set_text(p, to, p->text.n - n);
}

/* The header of the group goes to the next one, if that has none of its own. */
static void take_out(struct unwritten *p, size_t i)
{
	struct unwritten_group *g = &p->part[i];
	size_t at = 0, header = g->header;
	for (size_t k = 0; k < i; k++)
		at += p->part[k].header + p->part[k].group;
	cut(p, at + header, g->group);
	p->n--;
	memmove(g, g + 1, (p->n - i) * sizeof(*g));
	if (i < p->n && !g->header) {
		g->header = header;
		return;
	}
	cut(p, at, header);
	p->wants_header |= i == p->n && header;
}

/* The oldest that may go: SIZE_MAX where there is none. */
static size_t find_least(const struct unwritten *p, bool marked)
{
	for (size_t i = p->held; i < p->n; i++)
		if (!p->part[i].marked)
			return i;
	return marked && p->held < p->n ? p->held : SIZE_MAX;
}

static bool fits(const struct unwritten *p, size_t need)
{
	return p->n < UNWRITTEN_GROUPS_MAX && p->text.n + need <= UNWRITTEN_BYTES_MAX;
}

static bool make_room(struct unwritten *p, size_t need, bool marked)
{
	if (need > UNWRITTEN_BYTES_MAX || (!p->memory && map(p) < 0))
		return false;
	if (!p->text.p)
		set_text(p, 0, 0);
	while (!fits(p, need)) {
		size_t i = find_least(p, marked);
		if (i == SIZE_MAX)
			return false;
		take_out(p, i);
		p->lost++;
	}
	return true;
}

static void append(struct unwritten *p, struct str s)
{
	if (s.n)
		memcpy(p->text.p + p->text.n, s.p, s.n);
	p->text.n += s.n;
}

int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked)
{
	if (!make_room(p, header.n + group.n, marked)) {
		p->lost++;
		p->wants_header |= header.n > 0;
		return -ENOSPC;
	}
	if (p->wants_header && !header.n)
		return -EAGAIN;
	append(p, header);
	append(p, group);
	set_text(p, half_of(p), p->text.n);
	p->mixed |= p->n && header.n;
	p->part[p->n++] = (struct unwritten_group){
		.header = header.n, .group = group.n, .usec = usec, .marked = marked,
	};
	p->last_us = usec;
	p->wants_header = false;
	return 0;
}

void unwritten_done(struct unwritten *p, size_t n)
{
	size_t at = 0, header_at = 0, header = 0;
	p->held = 0;
	if (n >= p->n) {
		p->n = 0;
		p->mixed = p->wants_header = false;
		if (p->memory)
			set_text(p, half_of(p), 0);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (p->part[i].header) {
			header_at = at;
			header = p->part[i].header;
		}
		at += p->part[i].header + p->part[i].group;
	}
	p->n -= n;
	memmove(p->part, p->part + n, p->n * sizeof(p->part[0]));
	if (p->part[0].header)
		header = 0;
	cut(p, header_at + header, at - header_at - header);
	cut(p, 0, header_at);
	p->part[0].header += header;
}

void unwritten_clear(struct unwritten *p)
{
	unwritten_done(p, p->kept ? 0 : p->n);
	if (p->kept && p->n == 0 && ftruncate(p->fd, 0) < 0)
		p->kept = true;		/* the file keeps its room for the next run */
	if (p->memory)
		munmap(p->memory, sizeof(*p->memory));
	if (p->kept)
		close_fd(&p->fd);
	p->memory = NULL;
	p->text = (struct buf){ 0 };
	p->n = 0;
	p->kept = p->mixed = p->wants_header = p->reserved[0] = p->reserved[1] = false;
}
