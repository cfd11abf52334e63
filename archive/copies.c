/* SPDX-License-Identifier: BSD-3-Clause */
/* copies.c - copies of one file of records, made while it grew or after it was compressed */
#include "archive/copies.h"

#include <stdint.h>
#include <string.h>
#include "archive/input.h"

#define CHUNK 65536

static void end_input(struct input **in)
{
	input_free(*in);
}

/* As many bytes as there are, n at most. */
static size_t read_all(struct input *in, char *to, size_t n)
{
	const struct byte_source source = input_bytes(in);
	size_t have = 0;
	ssize_t got;

	while (have < n && (got = source.read(source.arg, to + have, n - have)) > 0)
		have += (size_t)got;
	return have;
}

/* How much text can be read; of compressed text no more is read than proves it to be over most. */
static int64_t text_bytes(const char *path, int64_t most)
{
	struct input *in CLEANUP(end_input) = NULL;
	char chunk[CHUNK];
	int64_t n = 0;
	size_t got;

	if (input_open(path, &in) < 0)
		return -1;
	if (input_plain_size(in) >= 0)
		return input_plain_size(in);
	while (n <= most && (got = read_all(in, chunk, sizeof(chunk))) > 0)
		n += (int64_t)got;
	return n;
}

bool copy_is_longer(const char *path, const char *than)
{
	int64_t n = text_bytes(than, INT64_MAX);
	return text_bytes(path, n) > n;
}

bool copy_continues(const char *path, const char *other)
{
	struct input *a CLEANUP(end_input) = NULL, *b CLEANUP(end_input) = NULL;
	char x[CHUNK], y[CHUNK];
	size_t n;

	if (!copy_is_longer(path, other) || input_open(path, &a) < 0 || input_open(other, &b) < 0)
		return false;
	while ((n = read_all(b, y, sizeof(y))) > 0)
		if (read_all(a, x, n) != n || memcmp(x, y, n) != 0)
			return false;
	return true;
}
