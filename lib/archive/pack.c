/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - compress a closed raw file */
#include "archive/pack.h"

#include <errno.h>

#ifdef HAVE_ZSTD
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "archive/index.h"
#include "base/buf.h"
#include "base/files.h"

/* zstd level 1 is faster than level 3 and makes raw files smaller */
#define LEVEL 1

/* Compress a piece of input, or finish the frame, and write the output. */
static int pack_pump(ZSTD_CStream *z, ZSTD_inBuffer *in, ZSTD_EndDirective end, struct buf *room,
		     int to)
{
	for (;;) {
		ZSTD_outBuffer out = { room->p, room->cap, 0 };
		size_t left = ZSTD_compressStream2(z, &out, in, end);
		if (ZSTD_isError(left))
			return -EIO;
		int r = files_write(to, (struct str){ room->p, out.pos });
		if (r < 0)
			return r;
		if (end == ZSTD_e_end ? left == 0 : in->pos == in->size)
			return 0;
	}
}

/*
 * Compress a file. If the file is longer than INDEX_LAST, its last INDEX_LAST bytes become a frame
 * of their own, and *last gets the offset of this frame.
 */
static int pack_text(ZSTD_CStream *z, int from, int to, uint64_t *last)
{
	struct buf in CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct stat st;

	if (fstat(from, &st) < 0)
		return -errno;
	size_t before = st.st_size > INDEX_LAST ? (size_t)st.st_size - INDEX_LAST : 0;
	buf_reserve(&in, ZSTD_CStreamInSize());
	buf_reserve(&out, ZSTD_CStreamOutSize());
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	for (size_t at = 0; ; ) {
		size_t most = at < before && before - at < in.cap ? before - at : in.cap;
		ssize_t n = read(from, in.p, most);
		if (n < 0)
			return -errno;
		ZSTD_inBuffer piece = { in.p, (size_t)n, 0 };
		at += (size_t)n;
		bool ends = n == 0 || at == before;
		int r = pack_pump(z, &piece, ends ? ZSTD_e_end : ZSTD_e_continue, &out, to);
		if (r < 0 || n == 0)
			return r;
		if (ends)
			*last = (uint64_t)lseek(to, 0, SEEK_CUR);
	}
}

struct pack_source {
	int fd;
	off_t at;
};

static ssize_t pack_read_source(void *arg, char *to, size_t n)
{
	struct pack_source *f = arg;
	ssize_t got = pread(f->fd, to, n, f->at);
	f->at += got > 0 ? got : 0;
	return got < 0 ? -errno : got;
}

static int pack_add_index(int from, int to, uint64_t last)
{
	struct pack_source start = { from, 0 };
	const struct byte_source bytes = { pack_read_source, &start };
	uint64_t n;
	return index_append(to, &bytes, last, &n);
}

static int pack_keep_attributes(int from, int to)
{
	struct stat st;
	if (fstat(from, &st) < 0)
		return -errno;
	struct timespec times[2] = { st.st_atim, st.st_mtim };
	if (geteuid() == 0 && fchown(to, st.st_uid, st.st_gid) < 0)
		return -errno;
	return fchmod(to, st.st_mode & 07777) < 0 || futimens(to, times) < 0 ? -errno : 0;
}

static int pack_to(int dirfd, const char *name, const char *temporary)
{
	int from CLEANUP(close_fd) = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (from < 0)
		return -errno;
	/* remove an old temporary file; this also removes a FIFO, on which open() would block */
	unlinkat(dirfd, temporary, 0);
	int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	int to CLEANUP(close_fd) = openat(dirfd, temporary, flags, 0640);
	if (to < 0)
		return -errno;
	ZSTD_CStream *z = ZSTD_createCStream();
	if (!z)
		abort();
	uint64_t last = 0;
	int r = pack_text(z, from, to, &last);
	ZSTD_freeCStream(z);
	if (r == 0)
		r = pack_add_index(from, to, last);
	if (r == 0)
		r = pack_keep_attributes(from, to);
	if (r == 0 && fsync(to) < 0)
		r = -errno;
	return r;
}

int pack_file(int dirfd, const char *name)
{
	char packed[300], temporary[300];

	snprintf(packed, sizeof(packed), "%s.zst", name);
	snprintf(temporary, sizeof(temporary), "%s.zst.tmp", name);
	int r = pack_to(dirfd, name, temporary);
	if (r == 0 && renameat(dirfd, temporary, dirfd, packed) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dirfd, temporary, 0);
		return r;
	}
	if (fsync(dirfd) < 0 || unlinkat(dirfd, name, 0) < 0)
		return -errno;
	return 0;
}
#else
int pack_file(int dirfd, const char *name)
{
	(void)dirfd;
	(void)name;
	return -EOPNOTSUPP;
}
#endif
