/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c - send and receive frames, each with a kind and a length, through a stream socket */
#include "base/system/frame.h"

#include <errno.h>
#include "base/system/stream.h"
#include "base/wire.h"

int frame_send(int fd, char kind, struct str bytes, int64_t deadline_ns)
{
	if (bytes.n > FRAME_MAX)
		return -EMSGSIZE;
	unsigned char head[FRAME_HEAD] = { (unsigned char)kind, 0 };
	for (size_t i = 1; i < FRAME_HEAD; i++)
		head[i] = (unsigned char)(bytes.n >> 8 * (FRAME_HEAD - 1 - i));
	struct iovec part[] = { { head, sizeof(head) }, { (char *)bytes.p, bytes.n } };
	return stream_send_parts(fd, part, bytes.n ? 2 : 1, deadline_ns);
}

int frame_send_all(int fd, char kind, struct str bytes, int64_t deadline_ns)
{
	int r = 0;
	for (size_t n; r == 0 && bytes.n; bytes = str_skip(bytes, n)) {
		n = bytes.n < FRAME_MAX ? bytes.n : FRAME_MAX;
		r = frame_send(fd, kind, (struct str){ bytes.p, n }, deadline_ns);
	}
	return r;
}

int frame_receive(int fd, char *kind, struct buf *b, size_t most, int64_t deadline_ns)
{
	unsigned char head[FRAME_HEAD];
	int r = stream_receive(fd, head, sizeof(head), deadline_ns);
	if (r < 0)
		return r;
	struct wire w = { head, sizeof(head), false };
	char got = (char)wire_u8(&w);
	size_t n = wire_u32(&w);
	if (n > most || n > FRAME_MAX)
		return -EMSGSIZE;
	b->n = 0;
	buf_reserve(b, n + 1);
	r = stream_receive(fd, b->p, n, deadline_ns);
	if (r < 0)
		return r;
	b->n = n;
	*kind = got;
	return 0;
}
