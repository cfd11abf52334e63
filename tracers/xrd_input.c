/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_input.c - datagrams from a UDP socket, or from a file in which they were kept */
#include "tracers/xrd_input.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wire.h"
#include "tracers/xrd_pcap.h"

#define BATCH 32
#define MAGIC "XDGRAM1\n"
#define HEAD_BYTES 24

static int read_one(FILE *f, struct buf *b, const struct xrd_capture *c,
		    const struct xrd_sink *to)
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

static int read_container(FILE *f, const struct xrd_capture *c, const struct xrd_sink *to)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char magic[sizeof(MAGIC) - 1];
	int r;
	if (fread(magic, 1, sizeof(magic), f) != sizeof(magic) ||
	    memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return -EBADMSG;
	while ((r = read_one(f, &b, c, to)) > 0)
		;
	return r;
}

int xrd_read_capture(const char *path, struct xrd_capture *c, const struct xrd_sink *to)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	int first = f ? getc(f) : EOF, r;
	if (!f || (first == EOF && ferror(f))) {
		r = -errno;
		snprintf(c->why, sizeof(c->why), "%s", strerror(errno));
		return r;
	}
	ungetc(first, f);
	if (first != EOF && first != *MAGIC)
		return xrd_read_pcap(f, c, to);
	r = read_container(f, c, to);
	if (r < 0)
		snprintf(c->why, sizeof(c->why), "not a file of datagrams, or it is cut off");
	fclose(f);
	return r;
}

/* As many at a time as one call of recvmmsg(2) gives. */
struct xrd_batch {
	struct mmsghdr message[BATCH];
	struct iovec piece[BATCH];
	struct sockaddr_in6 from[BATCH];
	char control[BATCH][CMSG_SPACE(sizeof(uint32_t))];
	char data[BATCH][XRD_MAX + 1];
};

static void prepare(struct xrd_batch *b)
{
	for (size_t i = 0; i < BATCH; i++) {
		b->piece[i] = (struct iovec){ b->data[i], sizeof(b->data[i]) };
		b->message[i].msg_hdr = (struct msghdr){
			.msg_name = &b->from[i], .msg_namelen = sizeof(b->from[i]),
			.msg_iov = &b->piece[i], .msg_iovlen = 1,
			.msg_control = b->control[i], .msg_controllen = sizeof(b->control[i]),
		};
	}
}

static int bind_to(const char *address, uint16_t port, int family)
{
	const struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *a;
	char text[8];
	int off = 0;
	snprintf(text, sizeof(text), "%u", port);
	if (getaddrinfo(address, text, &hints, &a) != 0)
		return -EINVAL;
	int r = 0, fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		r = -errno;
	} else {
		if (!address && family == AF_INET6)
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
		if (bind(fd, a->ai_addr, a->ai_addrlen) < 0) {
			r = -errno;
			close(fd);
		}
	}
	freeaddrinfo(a);
	return r < 0 ? r : fd;
}

int xrd_socket_open(struct xrd_socket *s, const char *address, uint16_t port, int receive_bytes)
{
	int on = 1;
	int fd = bind_to(address, port, address ? AF_UNSPEC : AF_INET6);
	if (fd == -EAFNOSUPPORT && !address)	/* a kernel without IPv6 */
		fd = bind_to(NULL, port, AF_INET);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_bytes, sizeof(receive_bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	*s = (struct xrd_socket){ .fd = fd, .batch = calloc(1, sizeof(*s->batch)) };
	if (!s->batch)
		abort();
	return 0;
}

void xrd_socket_close(struct xrd_socket *s)
{
	close_fd(&s->fd);
	free(s->batch);
	s->batch = NULL;
}

static struct xrd_source source_of(const struct sockaddr_in6 *a)
{
	struct xrd_source from = { a->sin6_addr, ntohs(a->sin6_port) };
	if (a->sin6_family == AF_INET) {
		struct sockaddr_in v4;
		memcpy(&v4, a, sizeof(v4));
		memset(&from.address, 0, sizeof(from.address));
		memset(from.address.s6_addr + 10, 0xff, 2);
		memcpy(from.address.s6_addr + 12, &v4.sin_addr, 4);
		from.port = ntohs(v4.sin_port);
	}
	return from;
}

/* SO_RXQ_OVFL: how many the kernel has dropped so far (socket(7)). */
static void note_dropped(struct xrd_socket *s, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
			memcpy(&s->dropped, CMSG_DATA(c), sizeof(s->dropped));
}

int xrd_socket_read(struct xrd_socket *s, const struct xrd_sink *to)
{
	struct timespec now;
	prepare(s->batch);
	int n = recvmmsg(s->fd, s->batch->message, BATCH, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < n; i++) {
		struct mmsghdr *m = &s->batch->message[i];
		const struct xrd_source from = source_of(&s->batch->from[i]);
		note_dropped(s, &m->msg_hdr);
		to->take(to->arg, &from, (struct str){ s->batch->data[i], m->msg_len },
			 (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	}
	return n;
}
