/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.c - store rows of runs in an archive, so that the records are read only once */
#include "report/jobs/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "archive/tidy.h"
#include "base/files.h"
#include "base/vec.h"

#define MAGIC      STR("nodorun1")
#define BYTES_MAX  (INT64_C(1) << 31)	/* a larger file was not written by this program */

struct head {
	uint64_t sum, size, stamp, variant;
	int64_t first, last;
};

static uint64_t put_in(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *byte = p;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ byte[i]) * 1099511628211u;
	return hash;
}

/* Compute a checksum from words of 8 bytes: 50 MB take some milliseconds. */
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

static void kept_add_row(struct kept *k, const struct head *h, struct str bytes)
{
	k->row = vec_reserve(k->row, &k->cap, k->n + 1, sizeof(*k->row));
	k->row[k->n] = (struct kept_row){ h->stamp, h->variant, h->first, h->last, bytes, false };
	map_add(&k->by_stamp, h->stamp, (union map_value){ .n = k->n++ });
}

void kept_take(struct kept *k, struct str text)
{
	struct head h;
	uint64_t formula;

	if (!str_take_prefix(&text, MAGIC) || text.n < sizeof(formula))
		return;
	memcpy(&formula, text.p, sizeof(formula));
	text = str_skip(text, sizeof(formula));
	while (formula == k->formula && text.n >= sizeof(h)) {
		memcpy(&h, text.p, sizeof(h));
		if (h.size > text.n - sizeof(h) || padded(h.size) > text.n - sizeof(h))
			return;
		struct str all = { text.p, sizeof(h) + padded(h.size) };
		if (h.sum == checksum(str_skip(all, sizeof(h.sum))))
			kept_add_row(k, &h, (struct str){ text.p + sizeof(h), h.size });
		text = str_skip(text, all.n);
	}
}

/* Check that only trusted users could write the file. Others could forge rows. */
static bool is_trusted(const struct stat *file, const struct stat *dir)
{
	return S_ISREG(file->st_mode) && !(file->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (file->st_uid == dir->st_uid || file->st_uid == 0 || file->st_uid == geteuid()) &&
	       file->st_size > 0 && file->st_size < BYTES_MAX;
}

static void kept_read_file(struct kept *k, const struct stat *dir)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(k->path.p, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0 || !is_trusted(&st, dir))
		return;
	buf_reserve(&k->text, (size_t)st.st_size);
	for (ssize_t n = 1; n > 0 && k->text.n < (size_t)st.st_size; k->text.n += (size_t)n) {
		n = read(fd, k->text.p + k->text.n, (size_t)st.st_size - k->text.n);
		n = n < 0 ? 0 : n;
	}
	kept_take(k, buf_str(&k->text));
}

void kept_read(struct kept *k, const char *dir, uint64_t formula, size_t files)
{
	struct stat st;

	k->formula = formula;
	k->file = memset(xrealloc(NULL, files * sizeof(*k->file)), 0, files * sizeof(*k->file));
	buf_addf(&k->path, "%s/" KEPT_NAME "%c", dir, '\0');
	if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		kept_read_file(k, &st);
}

/*
 * Compute a stamp of a file. It includes the time of the last status change, since users cannot set
 * this time when they replace the contents.
 */
static uint64_t file_stamp(const struct archive_file *f)
{
	struct stat st;
	if (stat(f->path, &st) < 0)
		return 0;
	const int64_t is[] = { st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			       st.st_ctim.tv_sec, st.st_ctim.tv_nsec, f->epoch };
	uint64_t hash = put_in(str_hash(str_of(f->host)), is, sizeof(is));
	return hash ? hash : 1;
}

uint64_t kept_stamp(struct kept *k, const struct archive_file *file, const struct listed_job *j)
{
	const int64_t is[] = { j->first, j->last, (int64_t)j->nodes, (int64_t)j->begun,
			       (int64_t)j->ended, (int64_t)j->samples };
	uint64_t hash = put_in(str_hash(str_of(j->id)), is, sizeof(is));

	for (size_t i = 0; i < j->n_files; i++) {
		size_t at = j->file[i].file;
		if (!k->file[at])
			k->file[at] = file_stamp(&file[at]);
		if (!k->file[at])
			return 0;
		hash = put_in(hash, &k->file[at], sizeof(k->file[at]));
	}
	return hash ? hash : 1;
}

bool kept_find(struct kept *k, uint64_t stamp, uint64_t variant, struct str *bytes)
{
	const struct kept_row *found = NULL;

	for (struct map_slot *at = NULL; (at = map_next(&k->by_stamp, stamp, at)); ) {
		struct kept_row *row = &k->row[at->value.n];
		if (row->stamp != stamp)
			continue;
		row->wanted = row->variant == 0 || row->variant == variant;
		if (row->variant == variant)
			found = row;
	}
	if (found)
		*bytes = found->bytes;
	return found;
}

static void kept_put_row(struct buf *b, const struct kept_row *row)
{
	static const char zeros[8];
	struct head h = { .size = row->bytes.n, .stamp = row->stamp, .variant = row->variant,
			  .first = row->first, .last = row->last };
	size_t at = b->n;

	buf_add(b, (struct str){ (const char *)&h, sizeof(h) });
	buf_add(b, row->bytes);
	buf_add(b, (struct str){ zeros, padded(row->bytes.n) - row->bytes.n });
	h.sum = checksum(str_skip((struct str){ b->p + at, b->n - at }, sizeof(h.sum)));
	memcpy(b->p + at, &h, sizeof(h));
}

/* Check whether a row's run is within the listed time but was not found. */
static bool is_gone(const struct kept_row *row, int64_t since, int64_t until)
{
	return !row->wanted && row->first >= since && row->last <= until;
}

static int write_text(const char *path, int dirfd, const struct stat *dir, struct str text)
{
	mode_t readers = dir->st_mode & 0444, mask = umask(0777 & ~(readers | 0600));
	int r = files_publish(path, text);

	umask(mask);
	if (r < 0)
		return r;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : files_own(dirfd, fd);
}

/*
 * Open an archive's folder for writing. Returns a descriptor, or -errno if this user may not write
 * or space is low.
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

int kept_write_index(const char *dir, struct str text)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct stat st;
	int fd CLEANUP(close_fd) = open_dir(dir, &st);

	buf_addf(&path, "%s/" INDEX_OF_FILES "%c", dir, '\0');
	return fd < 0 ? fd : write_text(path.p, fd, &st, text);
}

int kept_write(struct kept *k, const char *dir, const struct kept_row *new, size_t n,
	       int64_t since, int64_t until)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct stat st;
	int fd CLEANUP(close_fd) = open_dir(dir, &st);

	if (fd < 0)
		return fd;
	buf_add(&text, MAGIC);
	buf_add(&text, (struct str){ (const char *)&k->formula, sizeof(k->formula) });
	for (size_t i = 0; i < k->n; i++)
		if (!is_gone(&k->row[i], since, until))
			kept_put_row(&text, &k->row[i]);
	for (size_t i = 0; i < n; i++)
		kept_put_row(&text, &new[i]);
	return write_text(k->path.p, fd, &st, buf_str(&text));
}

void kept_free(struct kept *k)
{
	buf_free(&k->path);
	buf_free(&k->text);
	map_free(&k->by_stamp);
	free(k->row);
	free(k->file);
}
