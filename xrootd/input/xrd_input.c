/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_input.c - read datagrams from a file */
#include "xrootd/input/xrd_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/wire.h"
#include "xrootd/input/messages.h"
#include "xrootd/input/xrd_pcap.h"

#define MAGIC "XDGRAM1\n"
#define HEAD_BYTES 24

static int capture_read_datagram(FILE *f, struct buf *b, const struct xrd_capture *c,
				 const struct xrd_datagrams *to)
{
	char head[HEAD_BYTES];
	size_t n = fread(head, 1, sizeof(head), f);
	if (n < sizeof(head))
		return n || ferror(f) ? -EBADMSG : 0;

	struct wire w = wire_of((struct str){ head, sizeof(head) });
	struct xrd_source from = { .port = 0 };
	int64_t arrived = (int64_t)wire_u64(&w);
	struct str ip = wire_bytes(&w, 4);
	from.port = wire_u16(&w);
	uint16_t port = wire_u16(&w);
	uint32_t size = wire_u32(&w);
	memset(from.address.s6_addr + 10, 0xff, 2);
	memcpy(from.address.s6_addr + 12, ip.p, ip.n);
	if (size > XRD_MAX || arrived < 0)
		return -EBADMSG;
	b->n = 0;
	buf_reserve(b, size + 1);
	if (fread(b->p, 1, size, f) != size)
		return -EBADMSG;
	b->n = size;
	if (!c->port || port == c->port)
		to->take(to->arg, &from, buf_str(b), arrived);
	return 1;
}

static int capture_read_datagrams(FILE *f, const struct xrd_capture *c,
				  const struct xrd_datagrams *to)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char magic[sizeof(MAGIC) - 1];
	int r;
	if (fread(magic, 1, sizeof(magic), f) != sizeof(magic) ||
	    memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return -EBADMSG;
	while ((r = capture_read_datagram(f, &b, c, to)) > 0)
		;
	return r;
}

/* Read a message from each line. Lines without a valid message are counted. */
static int capture_read_messages(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	struct messages_in m = { .timed = true };
	char bytes[BUFSIZ];
	size_t n;
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		messages_add(&m, (struct str){ bytes, n }, to);
	messages_end(&m, to);
	c->messages = m.n;
	c->bad_messages = m.bad;
	messages_free(&m);
	if (c->messages && c->bad_messages == c->messages) {
		snprintf(c->why, sizeof(c->why), "none of its lines is a message of the shoveler");
		return -EBADMSG;
	}
	return ferror(f) ? -EIO : 0;
}

FILE *xrd_open_capture(const char *path)
{
	return strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
}

int xrd_take_capture(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	int first = f ? getc(f) : EOF, r;
	if (!f || (first == EOF && ferror(f))) {
		r = -errno;
		snprintf(c->why, sizeof(c->why), "%s", strerror(errno));
		return r;
	}
	ungetc(first, f);
	if (first != EOF && first != *MAGIC && first != '{')
		return xrd_read_pcap(f, c, to);
	r = first == '{' ? capture_read_messages(f, c, to) : capture_read_datagrams(f, c, to);
	if (r < 0 && !*c->why)
		snprintf(c->why, sizeof(c->why), "not a file of datagrams, or truncated");
	fclose(f);
	return r;
}
