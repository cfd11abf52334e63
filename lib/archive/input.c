/* SPDX-License-Identifier: BSD-3-Clause */
/* input.c - read files of records: plain, .gz, .zst, or standard input */
#include "archive/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "archive/codec.h"
#include "archive/explain.h"
#include "archive/remote.h"

#ifdef HAVE_ZSTD
#define ZSTD_CODEC &codec_zstd
#else
#define ZSTD_CODEC NULL
#endif
#ifdef HAVE_ZLIB
#define GZIP_CODEC &codec_gzip
#else
#define GZIP_CODEC NULL
#endif

/* First bytes of each format: RFC 8878 (3.1.1), RFC 1952 (2.3.1). */
static const struct format {
	const char *name;
	struct str magic;
	/* decompressor; NULL if this build cannot read the format */
	const struct codec *codec;
} formats[] = {
	{ "zstd", { "\x28\xb5\x2f\xfd", 4 }, ZSTD_CODEC },
	{ "gzip", { "\x1f\x8b",         2 }, GZIP_CODEC },
};

struct input {
	const struct codec *codec;	/* decompressor; NULL if the file is uncompressed */
	void *state;
	int error;
	struct packed packed;
};

int packed_fill(struct packed *in)
{
	while (in->n == 0 && !in->eof) {
		ssize_t got = read(in->fd, in->bytes, sizeof(in->bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		in->at = 0;
		in->n = (size_t)got;
		in->eof = got == 0;
	}
	return in->n > 0;
}

static ssize_t input_read_plain(struct packed *in, char *to, size_t n)
{
	/*
	 * once the bytes that were read to detect the format are used up, read directly into the
	 * caller's buffer
	 */
	if (in->n == 0 && !in->eof) {
		ssize_t got;
		do
			got = read(in->fd, to, n);
		while (got < 0 && errno == EINTR);
		return got < 0 ? -errno : got;
	}
	size_t got = in->n < n ? in->n : n;
	memcpy(to, in->bytes + in->at, got);
	in->at += got;
	in->n -= got;
	return (ssize_t)got;
}

/* Detect the format by the first bytes, which a pipe may deliver one by one. */
static int input_find_format(struct input *in)
{
	struct packed *p = &in->packed;
	while (p->n < 4) {
		ssize_t got = read(p->fd, p->bytes + p->n, sizeof(p->bytes) - p->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		p->n += (size_t)got;
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!str_starts((struct str){ p->bytes, p->n }, formats[i].magic))
			continue;
		if (!formats[i].codec)
			return -EOPNOTSUPP;
		in->codec = formats[i].codec;
		in->state = in->codec->open();
		return in->state ? 0 : -ENOMEM;
	}
	return 0;
}

int input_open_file(const char *path)
{
	if (remote_is(path))
		return remote_open(path);
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int input_take_file(int fd, struct input **ret)
{
	if (fd < 0)
		return fd;

	struct input *in = xrealloc(NULL, sizeof(*in));
	in->codec = NULL;
	in->state = NULL;
	in->error = 0;
	in->packed.fd = fd;
	in->packed.eof = false;
	in->packed.at = in->packed.n = 0;
	int r = input_find_format(in);
	if (r < 0) {
		input_free(in);
		return r;
	}
	*ret = in;
	return 0;
}

int input_open(const char *path, struct input **ret)
{
	return input_take_file(input_open_file(path), ret);
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->state)
		in->codec->close(in->state);
	close_fd(&in->packed.fd);
	free(in);
}

int64_t input_plain_size(const struct input *in)
{
	struct stat st;
	if (in->codec || fstat(in->packed.fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return st.st_size;
}

static ssize_t input_read(void *arg, char *to, size_t n)
{
	struct input *in = arg;
	if (in->error)
		return in->error;
	ssize_t got = in->codec ? in->codec->read(in->state, &in->packed, to, n)
				: input_read_plain(&in->packed, to, n);
	if (got < 0)
		in->error = (int)got;
	return got;
}

struct byte_source input_bytes(struct input *in)
{
	return (struct byte_source){ input_read, in };
}

int input_error(const struct input *in)
{
	return in->error;
}

int input_read_all(const char *path, size_t most, struct buf *b)
{
	struct input *in;
	ssize_t got = input_open(path, &in);
	if (got < 0)
		return (int)got;
	do {
		buf_reserve(b, 65536);
		got = input_read(in, b->p + b->n, 65536);
		b->n += got > 0 ? (size_t)got : 0;
	} while (got > 0 && b->n <= most);
	input_free(in);
	return got > 0 ? -EFBIG : (int)got;
}

const char *input_why(int error)
{
	switch (error) {
	case -ENODATA:
		return "the compressed data end too early: the file was cut";
	case -EILSEQ:
		return "the compressed data are damaged";
	case -EOPNOTSUPP:
		return "it is compressed, and nodometer was built without the library to read it";
	case -EREMOTEIO:
		return remote_why();
	default:
		return strerror(-error);
	}
}

void input_explain(struct buf *b, const char *path, int error)
{
	if (error == -EOPNOTSUPP || error == -ENODATA || error == -EILSEQ || error == -EREMOTEIO)
		buf_add(b, str_of(input_why(error)));
	else
		explain_path(b, path, error, false);
}

void input_explain_operand(struct buf *b, const char *file, int error)
{
	input_explain(b, file, error);
	if (error == -ENOENT && !strchr(file, '/'))
		buf_addf(b, "; \"nodometer cat --job %s\" prints the records of a job", file);
}
