/* SPDX-License-Identifier: BSD-3-Clause */
/* archive_body.c - a file of the archive as it goes over the network: compressed */
#include "sinks/archive_body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/files.h"

#define CHUNK_BYTES (64u << 10)


struct packer {
	int fd;
	uint64_t n;
	void *state;
};

static int write_out(struct packer *p, const char *bytes, size_t n)
{
	p->n += n;
	return files_write(p->fd, (struct str){ bytes, n });
}

#ifdef HAVE_ZSTD
#include <zstd.h>

static int put_text(struct packer *p, const char *text, size_t n, bool last)
{
	char out[CHUNK_BYTES];
	ZSTD_inBuffer in = { text, n, 0 };
	for (;;) {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };
		size_t left = ZSTD_compressStream2(p->state, &to, &in,
						   last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		int r = write_out(p, out, to.pos);
		if (r < 0 || (last ? left == 0 : in.pos == in.size))
			return r;
	}
}

static void *begin(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	if (!z)
		abort();
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	return z;
}

static void end_packer(struct packer *p)
{
	ZSTD_freeCCtx(p->state);
}
#else
static int put_text(struct packer *p, const char *text, size_t n, bool last)
{
	(void)last;
	return write_out(p, text, n);
}

static void *begin(void)
{
	return NULL;
}

static void end_packer(struct packer *p)
{
	(void)p;
}
#endif

static int pack(struct packer *p, struct text_at *text, uint64_t end)
{
	char chunk[CHUNK_BYTES];
	int r = 0;
	for (uint64_t at = 0; r == 0 && at < end; ) {
		size_t most = end - at < sizeof(chunk) ? (size_t)(end - at) : sizeof(chunk);
		ssize_t got = text_at_read(text, chunk, most, at);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		at += (uint64_t)got;
		r = put_text(p, chunk, (size_t)got, false);
	}
	return r < 0 ? r : put_text(p, NULL, 0, true);
}

int archive_body_make(const char *dir, struct text_at *text, uint64_t end, uint64_t *n)
{
	struct packer p CLEANUP(end_packer) = { .state = begin() };
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)	/* --once has no folder to write to, and not every file system can do it */
		fd = memfd_create("nodometer-body", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	p.fd = fd;
	int r = pack(&p, text, end);
	*n = p.n;
	if (r < 0)
		close_fd(&fd);
	return r < 0 ? r : fd;
}
