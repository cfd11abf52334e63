/* SPDX-License-Identifier: BSD-3-Clause */
/* run_store.c - store rows of runs in an archive, so that the records are read only once */
#include "report/jobs/run_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "archive/tidy.h"
#include "base/files.h"
#include "base/vec.h"

#define MAGIC      STR("nodorun1")
#define BYTES_MAX  (INT64_C(1) << 31)	/* reject files from this size on, in bytes */
#define CHUNK      (256u << 10)		/* bytes to read or write at once */

struct head {
	uint64_t sum, size, hash, accounting_hash;
	int64_t first, last;
};

static uint64_t put_in(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *byte = p;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ byte[i]) * 1099511628211u;
	return hash;
}

/* Compute a checksum, 8 bytes at a time, so that 50 MB take only a few milliseconds. */
static uint64_t checksum(struct str bytes)
{
	uint64_t hash = 14695981039346656037u, word;
	for (size_t i = 0; i + sizeof(word) <= bytes.n; i += sizeof(word)) {
		memcpy(&word, bytes.p + i, sizeof(word));
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 32;
	}
	return hash;
}

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* Add a row to the list. Returns false if the row is invalid. */
static bool run_store_add_row(struct run_store *k, const struct head *h, struct str bytes,
			      const struct run_store_row *row)
{
	double rank = 0;

	if (k->rank && !k->rank(k->arg, bytes, &rank))
		return false;
	k->row = vec_reserve(k->row, &k->cap, k->n + 1, sizeof(*k->row));
	k->row[k->n] = *row;
	k->row[k->n].hash = h->hash;
	k->row[k->n].accounting_hash = h->accounting_hash;
	k->row[k->n].rank = rank;
	k->row[k->n++].size = (uint32_t)h->size;
	return true;
}

/* A part of a file, held in memory. */
struct window {
	int fd;
	int64_t at;		/* offset of the part in the file */
	struct buf part;
};

/* Get the n bytes at an offset of the file. Returns false if the file is shorter. */
static bool window_get(struct window *w, int64_t at, size_t n, struct str *ret)
{
	if (at < w->at || at + (int64_t)n > w->at + (int64_t)w->part.n) {
		w->part.n = 0;
		w->at = at;
		buf_reserve(&w->part, n < CHUNK ? CHUNK : n);
		ssize_t got = pread(w->fd, w->part.p, w->part.cap, at);
		w->part.n = got > 0 ? (size_t)got : 0;
	}
	*ret = (struct str){ w->part.p + (at - w->at), n };
	return at + (int64_t)n <= w->at + (int64_t)w->part.n;
}

static bool is_whole(const struct head *h, struct str row)
{
	return h->sum == checksum(str_skip(row, sizeof(h->sum)));
}

static void take_rows(struct run_store *k, int64_t at, int64_t end)
{
	struct window w = { .fd = k->stored };
	struct str row;
	struct head h;

	for (size_t n; window_get(&w, at, sizeof(h), &row); at += (int64_t)n) {
		memcpy(&h, row.p, sizeof(h));
		n = sizeof(h) + padded(h.size);
		if (h.size > BYTES_MAX || (int64_t)n > end - at || !window_get(&w, at, n, &row))
			break;
		if (is_whole(&h, row) &&
		    run_store_add_row(k, &h, (struct str){ row.p + sizeof(h), h.size },
				      &(struct run_store_row){ .at = at }))
			map_add(&k->by_hash, h.hash, (union map_value){ .n = k->n - 1 });
	}
	buf_free(&w.part);
}

void run_store_take(struct run_store *k, int fd)
{
	struct { char magic[8]; uint64_t formula; } begin;
	struct stat st;

	k->stored = fd;
	if (pread(fd, &begin, sizeof(begin), 0) == sizeof(begin) && fstat(fd, &st) == 0 &&
	    str_eq((struct str){ begin.magic, sizeof(begin.magic) }, MAGIC) &&
	    begin.formula == k->formula)
		take_rows(k, sizeof(begin), st.st_size);
}

/*
 * Read a row and the struct head before it into .one. The row's checksum was verified when
 * DIR/.runs was loaded.
 */
static bool run_store_load(struct run_store *k, const struct run_store_row *row, struct head *h)
{
	size_t n = sizeof(*h) + padded(row->size);

	k->one.n = 0;
	buf_reserve(&k->one, n);
	if (row->fresh && row->at >= k->tail_at)
		memcpy(k->one.p, k->tail.p + (row->at - k->tail_at), n);
	else if (pread(row->fresh ? k->fresh : k->stored, k->one.p, n, row->at) != (ssize_t)n)
		return false;
	k->one.n = n;
	memcpy(h, k->one.p, sizeof(*h));
	return h->size == row->size && h->hash == row->hash;
}

bool run_store_bytes(struct run_store *k, size_t row, struct str *bytes)
{
	struct head h;
	if (!run_store_load(k, &k->row[row], &h))
		return false;
	*bytes = (struct str){ k->one.p + sizeof(h), h.size };
	return true;
}

bool run_store_times(struct run_store *k, size_t row, int64_t *first, int64_t *last)
{
	struct head h;
	if (!run_store_load(k, &k->row[row], &h))
		return false;
	*first = h.first;
	*last = h.last;
	return true;
}

/*
 * Return whether a regular file of acceptable size is writable only by the folder's owner, root or
 * this user; other users could forge rows.
 */
static bool is_trusted(const struct stat *file, const struct stat *dir)
{
	return S_ISREG(file->st_mode) && !(file->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (file->st_uid == dir->st_uid || file->st_uid == 0 || file->st_uid == geteuid()) &&
	       file->st_size > 0 && file->st_size < BYTES_MAX;
}

static void run_store_read_file(struct run_store *k, const struct stat *dir)
{
	struct stat st;
	int fd = open(k->path.p, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &st) == 0 && is_trusted(&st, dir))
		run_store_take(k, fd);
	else
		close_fd(&fd);
}

void run_store_read(struct run_store *k, const char *dir, uint64_t formula, size_t files)
{
	struct stat st;

	k->formula = formula;
	k->file = memset(xrealloc(NULL, files * sizeof(*k->file)), 0, files * sizeof(*k->file));
	buf_addf(&k->path, "%s/" RUN_STORE_NAME "%c", dir, '\0');
	if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		run_store_read_file(k, &st);
}

/*
 * Compute a hash of a file's host, epoch, size and times. Include the ctime, which users cannot
 * set.
 */
static uint64_t run_store_hash_file(const struct archive_file *f)
{
	struct stat st;
	if (stat(f->path, &st) < 0)
		return 0;
	const int64_t is[] = { st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			       st.st_ctim.tv_sec, st.st_ctim.tv_nsec, f->epoch };
	uint64_t hash = put_in(str_hash(str_of(f->host)), is, sizeof(is));
	return hash ? hash : 1;
}

uint64_t run_store_hash(struct run_store *k, const struct archive_file *file,
			 const struct listed_job *j)
{
	const int64_t is[] = { j->first, j->last, (int64_t)j->nodes, (int64_t)j->begun,
			       (int64_t)j->ended, (int64_t)j->samples };
	uint64_t hash = put_in(str_hash(str_of(j->id)), is, sizeof(is));

	for (size_t i = 0; i < j->n_files; i++) {
		size_t at = j->file[i].file;
		if (!k->file[at])
			k->file[at] = run_store_hash_file(&file[at]);
		if (!k->file[at])
			return 0;
		hash = put_in(hash, &k->file[at], sizeof(k->file[at]));
	}
	return hash ? hash : 1;
}

size_t run_store_find(struct run_store *k, uint64_t hash, uint64_t accounting_hash)
{
	size_t found = ROW_NONE;

	for (struct map_slot *at = NULL; (at = map_next(&k->by_hash, hash, at)); ) {
		struct run_store_row *row = &k->row[at->value.n];
		if (row->hash != hash)
			continue;
		row->is_current = row->accounting_hash == 0 ||
				  row->accounting_hash == accounting_hash;
		if (row->accounting_hash == accounting_hash)
			found = at->value.n;
	}
	return found;
}

/* Create an unnamed file in $TMPDIR (default /var/tmp), or in memory if that fails. */
static int run_store_open_unnamed(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir ? dir : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("nodometer-rows", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void run_store_put_row(struct buf *b, const struct run_store_new *new)
{
	static const char zeros[8];
	struct head h = { .size = new->bytes.n, .hash = new->hash,
			  .accounting_hash = new->accounting_hash, .first = new->first,
			  .last = new->last };

	size_t at = b->n;

	buf_add(b, (struct str){ (const char *)&h, sizeof(h) });
	buf_add(b, new->bytes);
	buf_add(b, (struct str){ zeros, padded(h.size) - h.size });
	h.sum = checksum(str_skip(buf_str(b), at + sizeof(h.sum)));
	memcpy(b->p + at, &h, sizeof(h));
}

/* Write the new rows to the unnamed file. */
static int run_store_flush(struct run_store *k)
{
	if (k->fresh < 0)
		k->fresh = run_store_open_unnamed();
	int r = k->fresh < 0 ? k->fresh : files_write(k->fresh, buf_str(&k->tail));
	if (r < 0)
		return r;
	k->tail_at += (int64_t)k->tail.n;
	k->tail.n = 0;
	return 0;
}

/* Set the hash of a run's old row to 0, so that only its new row is written to the archive. */
static void run_store_replace(struct run_store *k, const struct run_store_new *new)
{
	for (struct map_slot *at = NULL; (at = map_next(&k->by_hash, new->hash, at)); ) {
		struct run_store_row *row = &k->row[at->value.n];
		if (row->hash == new->hash && row->accounting_hash == new->accounting_hash)
			row->hash = 0;
	}
}

int run_store_add(struct run_store *k, const struct run_store_new *new, size_t *row)
{
	const struct head h = { .size = new->bytes.n, .hash = new->hash,
				.accounting_hash = new->accounting_hash };
	int r = k->tail.n < CHUNK ? 0 : run_store_flush(k);
	if (r < 0)
		return r;
	const struct run_store_row at = { .at = k->tail_at + (int64_t)k->tail.n, .fresh = true };
	run_store_replace(k, new);
	run_store_put_row(&k->tail, new);
	if (!run_store_add_row(k, &h, new->bytes, &at))
		abort();	/* unreachable: this process has just written the row */
	*row = k->n - 1;
	return 0;
}

/*
 * Return whether a row is obsolete: its run is in the listed time, but run_store_find() did not set
 * .wanted.
 */
static bool is_gone(const struct run_store_row *row, const struct head *h, int64_t since,
		    int64_t until)
{
	return !row->fresh && !row->is_current && h->first >= since && h->last <= until;
}

/* A file to write below an archive, and the function that writes its contents. */
struct publication {
	const char *path;
	int dirfd;
	const struct stat *dir;
	int (*write)(void *arg, int fd);
	void *arg;
};

static int publish(const struct publication *p)
{
	mode_t readers = p->dir->st_mode & 0444, mask = umask(0777 & ~(readers | 0600));
	int r = files_publish_by(p->path, p->write, p->arg);

	umask(mask);
	if (r < 0)
		return r;
	int fd CLEANUP(close_fd) = open(p->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : files_give_to_owner(p->dirfd, fd);
}

/*
 * Open an archive's folder for writing. Returns a descriptor, or -errno if this user may not write
 * there or free space is low.
 */
static int open_dir(const char *dir, struct stat *st)
{
	struct statvfs room;
	int r = 0, fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st) < 0 || fstatvfs(fd, &room) < 0)
		r = -errno;
	else if (geteuid() != 0 && geteuid() != st->st_uid)
		r = -EACCES;
	else if (tidy_below(&room, TIDY_FLOOR))
		r = -ENOSPC;
	if (r < 0)
		close_fd(&fd);
	return r < 0 ? r : fd;
}

static int write_text(void *text, int fd)
{
	return files_write(fd, *(const struct str *)text);
}

int run_store_write_index(const char *dir, struct str text)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct stat st;
	int fd CLEANUP(close_fd) = open_dir(dir, &st);

	buf_addf(&path, "%s/" INDEX_OF_FILES "%c", dir, '\0');
	const struct publication p = { path.p, fd, &st, write_text, &text };
	return fd < 0 ? fd : publish(&p);
}

/* The rows to store, and the time range of the listing. */
struct storing {
	struct run_store *store;
	int64_t since, until;
};

static int write_rows(void *storing, int fd)
{
	const struct storing *s = storing;
	struct run_store *k = s->store;
	struct buf text CLEANUP(buf_free) = { 0 };
	struct head h;
	int r = 0;

	buf_add(&text, MAGIC);
	buf_add(&text, (struct str){ (const char *)&k->formula, sizeof(k->formula) });
	for (size_t i = 0; i < k->n && r == 0; i++) {
		if (!k->row[i].hash || !run_store_load(k, &k->row[i], &h) ||
		    is_gone(&k->row[i], &h, s->since, s->until))
			continue;
		buf_add(&text, buf_str(&k->one));
		if (text.n < CHUNK)
			continue;
		r = files_write(fd, buf_str(&text));
		text.n = 0;
	}
	return r < 0 ? r : files_write(fd, buf_str(&text));
}

int run_store_write(struct run_store *k, const char *dir, int64_t since, int64_t until)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open_dir(dir, &st);
	struct storing rows = { k, since, until };
	const struct publication p = { k->path.p, fd, &st, write_rows, &rows };

	return fd < 0 ? fd : publish(&p);
}

void run_store_free(struct run_store *k)
{
	buf_free(&k->path);
	buf_free(&k->one);
	buf_free(&k->tail);
	close_fd(&k->stored);
	close_fd(&k->fresh);
	map_free(&k->by_hash);
	free(k->row);
	free(k->file);
}
