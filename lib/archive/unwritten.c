/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.c - keep record groups until they are written, in memory that outlives a kill */
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
	/* size of the text; with the bit SECOND, the text is in the second half of the memory */
	_Atomic uint32_t used;
	uint32_t unused;
	char half[2][UNWRITTEN_BYTES_MAX];
};

static int unwritten_half_of(const struct unwritten *p)
{
	return p->text.p == p->memory->half[1];
}

/*
 * Store the length of the text, and the half of the memory that holds it, with a single store: a
 * kill cannot leave half of the change.
 */
static void unwritten_set_text(struct unwritten *p, int half, size_t n)
{
	p->text = (struct buf){ p->memory->half[half], n, UNWRITTEN_BYTES_MAX };
	atomic_store(&p->memory->used, (uint32_t)n | (half ? SECOND : 0));
}

/*
 * Allocate disk blocks for one half of the file. Without them, a store to the mapping would raise
 * SIGBUS if the disk is full.
 */
static bool unwritten_reserve(struct unwritten *p, int half)
{
	off_t at = half ? offsetof(struct unwritten_memory, half[1]) : 0;
	off_t size = half ? UNWRITTEN_BYTES_MAX : offsetof(struct unwritten_memory, half[1]);
	p->reserved[half] |= !p->is_mapped || posix_fallocate(p->fd, at, size) == 0;
	return p->reserved[half];
}

static int unwritten_map(struct unwritten *p)
{
	int flags = p->is_mapped ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	void *m = mmap(NULL, sizeof(*p->memory), PROT_READ | PROT_WRITE, flags,
		       p->is_mapped ? p->fd : -1, 0);
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

/*
 * Add a block, and the `header` bytes of headers before it, to the newest record. The block is the
 * text of that record; a block without a TIME, or after too many records, is further text of it.
 */
static void unwritten_add_block(struct unwritten *p, struct str block, size_t header)
{
	struct unwritten_group *newest = &p->part[p->n - 1];
	newest->group += header + block.n;
	newest->marked |= memmem(block.p, block.n, "\n%", 2) != NULL;
}

/* Take over the text that an earlier process has left, and find the records in it. */
static void unwritten_take_over(struct unwritten *p)
{
	struct str rest = buf_str(&p->text);
	size_t header = 0;
	int64_t usec;
	while (rest.n) {
		struct str block = tail_take_block(&rest), text = str_skip(block, 1);
		bool is_group = str_take_time(&text, &usec);
		if (is_group && p->n < UNWRITTEN_GROUPS_MAX) {
			p->part[p->n++] = (struct unwritten_group){
				.header = header, .usec = usec,
			};
			header = 0;
		} else if (p->n == 0 || str_peek(text) == '$') {
			p->mixed |= p->n > 0;
			header += block.n;
			continue;
		}
		unwritten_add_block(p, block, header);
		header = 0;
		p->last_us = is_group ? usec : p->last_us;
	}
	if (p->n == 0)
		unwritten_set_text(p, unwritten_half_of(p), 0);
	else
		p->part[p->n - 1].group += header;
	p->wants_header = p->n > 0;
}

/*
 * Lock and map the file. Use a lock of F_SETLK: child processes, which may outlive this process, do
 * not inherit it.
 */
static int unwritten_open_file(struct unwritten *p)
{
	struct buf left CLEANUP(buf_free) = { 0 };
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	if (fcntl(p->fd, F_SETLK, &all) < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	int half = unwritten_read(p->fd, &left);
	if (ftruncate(p->fd, sizeof(*p->memory)) < 0)
		return -errno;
	int r = unwritten_reserve(p, half) ? unwritten_map(p) : -ENOSPC;
	if (r < 0)
		return r;
	unwritten_set_text(p, half, left.n);
	memcpy(p->memory->magic, MAGIC, sizeof(MAGIC));
	unwritten_take_over(p);
	return 0;
}

int unwritten_open(struct unwritten *p, int fd)
{
	p->fd = fd;
	p->is_mapped = true;
	int r = unwritten_open_file(p);
	if (r < 0) {
		close(fd);
		p->is_mapped = false;
	}
	return r;
}

/*
 * Replace n bytes of the text by a text that is not longer. The new text is made in the unused half
 * of the memory or, if the disk has no room for that half, in place.
 */
static void unwritten_replace(struct unwritten *p, size_t at, size_t n, struct str by)
{
	int half = unwritten_half_of(p), to = unwritten_reserve(p, !half) ? !half : half;
	char *moved = p->memory->half[to];
	memmove(moved, p->text.p, at);
	if (by.n)
		memcpy(moved + at, by.p, by.n);
	memmove(moved + at + by.n, p->text.p + at + n, p->text.n - at - n);
	unwritten_set_text(p, to, p->text.n - n + by.n);
}

static void unwritten_cut(struct unwritten *p, size_t at, size_t n)
{
	if (n)
		unwritten_replace(p, at, n, STR(""));
}

static size_t unwritten_offset(const struct unwritten *p, size_t i)
{
	size_t at = 0;
	for (size_t k = 0; k < i; k++)
		at += p->part[k].header + p->part[k].group;
	return at;
}

/* Remove a record. If the next record has no header, it gets the header of this one. */
static void unwritten_remove_group(struct unwritten *p, size_t i)
{
	struct unwritten_group *g = &p->part[i];
	size_t at = unwritten_offset(p, i), header = g->header;
	p->lost++;
	unwritten_cut(p, at + header, g->group);
	p->n--;
	memmove(g, g + 1, (p->n - i) * sizeof(*g));
	if (i < p->n && !g->header) {
		g->header = header;
		return;
	}
	unwritten_cut(p, at, header);
	p->wants_header |= i == p->n && header;
}

/* Remove the samples of a record, and keep its marks. */
static void unwritten_reduce(struct unwritten *p, size_t i)
{
	struct buf marks CLEANUP(buf_free) = { 0 };
	struct unwritten_group *g = &p->part[i];
	size_t at = unwritten_offset(p, i) + g->header;
	g->reduced = true;
	p->put_marks(&marks, (struct str){ p->text.p + at, g->group });
	if (marks.n >= g->group)
		return;
	p->lost++;
	unwritten_replace(p, at, g->group, buf_str(&marks));
	g->group = marks.n;
}

/*
 * Make room: remove the oldest record without marks. If there is none and the new record has marks,
 * remove the oldest samples. Returns false if there is nothing to remove.
 */
static bool unwritten_free_some(struct unwritten *p, bool marked)
{
	size_t i = p->in_flight;
	while (i < p->n && p->part[i].marked)
		i++;
	if (i < p->n) {
		unwritten_remove_group(p, i);
		return true;
	}
	for (i = p->in_flight; marked && p->put_marks && i < p->n; i++)
		if (!p->part[i].reduced && p->n < UNWRITTEN_GROUPS_MAX) {
			unwritten_reduce(p, i);
			return true;
		}
	return false;
}

static bool unwritten_fits(const struct unwritten *p, size_t need)
{
	return p->n < UNWRITTEN_GROUPS_MAX && p->text.n + need <= UNWRITTEN_BYTES_MAX;
}

static bool unwritten_make_room(struct unwritten *p, size_t need, bool marked)
{
	if (need > UNWRITTEN_BYTES_MAX || (!p->memory && unwritten_map(p) < 0))
		return false;
	if (!p->text.p)
		unwritten_set_text(p, 0, 0);
	while (!unwritten_fits(p, need))
		if (!unwritten_free_some(p, marked))
			return false;
	return true;
}

static void unwritten_append(struct unwritten *p, struct str s)
{
	if (s.n)
		memcpy(p->text.p + p->text.n, s.p, s.n);
	p->text.n += s.n;
}

int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked)
{
	struct buf marks CLEANUP(buf_free) = { 0 };
	bool whole = unwritten_make_room(p, header.n + group.n, marked), kept = whole;
	if (!whole && marked && p->put_marks) {
		p->put_marks(&marks, group);
		group = buf_str(&marks);
		kept = unwritten_make_room(p, header.n + group.n, marked);
	}
	if (kept && p->wants_header && !header.n)
		return -EAGAIN;
	p->lost += !whole;
	if (!kept) {
		p->wants_header |= header.n > 0;
		return -ENOSPC;
	}
	unwritten_append(p, header);
	unwritten_append(p, group);
	unwritten_set_text(p, unwritten_half_of(p), p->text.n);
	p->mixed |= p->n && header.n;
	p->part[p->n++] = (struct unwritten_group){
		.header = header.n, .group = group.n, .usec = usec, .marked = marked,
		.reduced = !whole,
	};
	p->last_us = usec;
	p->wants_header = false;
	return 0;
}

void unwritten_done(struct unwritten *p, size_t n)
{
	size_t at = 0, header_at = 0, header = 0;
	p->in_flight = 0;
	if (n >= p->n) {
		p->n = 0;
		p->mixed = p->wants_header = false;
		if (p->memory)
			unwritten_set_text(p, unwritten_half_of(p), 0);
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
	unwritten_cut(p, header_at + header, at - header_at - header);
	unwritten_cut(p, 0, header_at);
	p->part[0].header += header;
}

void unwritten_clear(struct unwritten *p)
{
	unwritten_done(p, p->is_mapped ? 0 : p->n);
	if (p->is_mapped && p->n == 0)
		/* if this fails, the next process takes over no record, and overwrites the text */
		(void)!ftruncate(p->fd, 0);
	if (p->memory)
		munmap(p->memory, sizeof(*p->memory));
	if (p->is_mapped)
		close_fd(&p->fd);
	p->memory = NULL;
	p->text = (struct buf){ 0 };
	p->n = 0;
	p->is_mapped = p->mixed = p->wants_header = p->reserved[0] = p->reserved[1] = false;
}
