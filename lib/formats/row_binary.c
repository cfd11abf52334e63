/* SPDX-License-Identifier: BSD-3-Clause */
/* row_binary.c - parse rows of ClickHouse's format RowBinary */
#include "formats/row_binary.h"

#include <errno.h>

/*
 * Take a LEB128 length: 7 bits in each byte, lowest first. Returns 1; 0 if the input is incomplete;
 * or -EBADMSG.
 */
static int row_binary_take_length(struct str *in, size_t *ret)
{
	size_t n = 0;
	for (unsigned i = 0; i < in->n && i < 4; i++) {
		unsigned char c = (unsigned char)in->p[i];
		n |= (size_t)(c & 0x7f) << 7 * i;
		if (c < 0x80) {
			*ret = n;
			*in = str_skip(*in, i + 1);
			return n <= ROW_BINARY_MAX ? 1 : -EBADMSG;
		}
	}
	return in->n < 4 ? 0 : -EBADMSG;
}

static int row_binary_take_text(struct str *in, struct str *ret)
{
	size_t n = 0;
	int r = row_binary_take_length(in, &n);
	if (r <= 0 || in->n < n)
		return r < 0 ? r : 0;
	*ret = (struct str){ in->p, n };
	*in = str_skip(*in, n);
	return 1;
}

/* Take a little-endian number. */
static int row_binary_take_number(struct str *in, size_t bytes, int64_t *ret)
{
	uint64_t v = 0;
	if (in->n < bytes)
		return 0;
	for (size_t i = bytes; i-- > 0; )
		v = v << 8 | (unsigned char)in->p[i];
	*ret = (int64_t)v;
	*in = str_skip(*in, bytes);
	return 1;
}

int row_binary_take(struct str *in, const char *columns, struct row_value ret[ROW_BINARY_COLUMNS])
{
	struct str rest = *in;
	int r = 1;
	for (size_t i = 0; columns[i] && r > 0; i++)
		r = columns[i] == 's' ? row_binary_take_text(&rest, &ret[i].text) :
			row_binary_take_number(&rest, columns[i] == 'i' ? 8 : 1, &ret[i].number);
	if (r == 0 && in->n > ROW_BINARY_MAX)
		return -EBADMSG;
	if (r > 0)
		*in = rest;
	return r;
}
