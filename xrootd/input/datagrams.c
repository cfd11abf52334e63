/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams.c - read UDP ports many packets at a time, and count lost packets */
#include "xrootd/input/datagrams.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/files.h"

#define BYTES_MAX   65535	/* maximum size of a UDP packet, in bytes */
/*
 * extra bytes after each buffer, so that buffers do not compete for the same sets of the CPU cache
 */
#define STAGGER     2112

union address {
	struct sockaddr_in6 in6;
	struct sockaddr_in in4;
};

struct datagram_batch {
	struct mmsghdr message[DATAGRAMS_AT_ONCE];
	struct iovec part[DATAGRAMS_AT_ONCE];
	union address from[DATAGRAMS_AT_ONCE];
	char bytes[DATAGRAMS_AT_ONCE][BYTES_MAX + 1 + STAGGER];
};

static struct datagram_batch *datagrams_new_batch(void)
{
	struct datagram_batch *b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	for (size_t i = 0; i < DATAGRAMS_AT_ONCE; i++) {
		b->part[i] = (struct iovec){ b->bytes[i], BYTES_MAX };
		b->message[i].msg_hdr = (struct msghdr){
			.msg_name = &b->from[i], .msg_iov = &b->part[i], .msg_iovlen = 1,
		};
	}
	return b;
}

/* Request a large receive buffer, for bursts. net.core.rmem_max may limit the size. */
static void datagrams_request_buffer(int fd, int size)
{
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int datagrams_bind(const struct addrinfo *a, int room)
{
	int off = 0;
	int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (a->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	datagrams_request_buffer(fd, room);
	if (bind(fd, a->ai_addr, a->ai_addrlen) < 0) {
		int e = -errno;
		close_fd(&fd);
		return e;
	}
	return fd;
}

/* Bind to the first usable address. Try IPv6 first, because "::" also receives IPv4 packets. */
static int datagrams_bind_any(const struct addrinfo *all, int room)
{
	static const int families[] = { AF_INET6, AF_INET };
	int r = -EAFNOSUPPORT;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		for (const struct addrinfo *a = all; a; a = a->ai_next) {
			if (a->ai_family != families[i])
				continue;
			r = datagrams_bind(a, room);
			if (r >= 0 || r == -EADDRINUSE)
				return r;
		}
	return r;
}

int datagrams_open(struct datagrams *d, const char *address, const char *port, const char **why)
{
	struct addrinfo want = {
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV | (d->numeric ? AI_NUMERICHOST : 0),
		.ai_socktype = SOCK_DGRAM,
	};
	struct addrinfo *all;
	*why = "too many ports";
	if (d->n_ports == DATAGRAM_PORTS_MAX)
		return -E2BIG;
	int r = getaddrinfo(address, port, &want, &all);
	if (r != 0) {
		*why = r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r);
		return -EINVAL;
	}
	r = datagrams_bind_any(all, d->room);
	freeaddrinfo(all);
	if (r < 0) {
		*why = strerror(-r);
		return r;
	}
	if (!d->batch)
		d->batch = datagrams_new_batch();
	d->lost[d->n_ports] = 0;
	d->fd[d->n_ports++] = r;
	return 0;
}

static bool datagrams_is_udp(int fd)
{
	int type = 0;
	socklen_t n = sizeof(type);
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_DGRAM;
}

static uint64_t datagrams_env_number(const char *name)
{
	const char *text = getenv(name);
	struct str s = str_of(text ? text : "");
	uint64_t v;
	return str_is_u64(s) && str_take_u64(&s, &v) ? v : 0;
}

int datagrams_adopt(struct datagrams *d)
{
	enum { FIRST = 3 };
	bool is_ours = datagrams_env_number("LISTEN_PID") == (uint64_t)getpid();
	uint64_t n = is_ours ? datagrams_env_number("LISTEN_FDS") : 0;
	if (n > DATAGRAM_PORTS_MAX)
		return -E2BIG;
	for (int fd = FIRST; fd < FIRST + (int)n; fd++) {
		if (!datagrams_is_udp(fd))
			return -ENOTSOCK;
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
		d->fd[d->n_ports++] = fd;
	}
	if (n && !d->batch)
		d->batch = datagrams_new_batch();
	return (int)n;
}

void datagrams_close(struct datagrams *d)
{
	for (size_t i = 0; i < d->n_ports; i++)
		close_fd(&d->fd[i]);
	free(d->batch);
	*d = (struct datagrams){ .n_ports = 0 };
}

/* Map an IPv4 address to IPv6: RFC 4291, 2.5.5.2. */
static struct sockaddr_in6 datagrams_map_address(const union address *a)
{
	if (a->in6.sin6_family == AF_INET6)
		return a->in6;
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = a->in4.sin_port };
	memset(to.sin6_addr.s6_addr + 10, 0xff, 2);
	memcpy(to.sin6_addr.s6_addr + 12, &a->in4.sin_addr, 4);
	return to;
}

uint16_t datagrams_port(const struct datagrams *d, size_t i)
{
	union address a;
	socklen_t n = sizeof(a);
	if (getsockname(d->fd[i], (struct sockaddr *)&a, &n) < 0)
		return 0;
	return ntohs(datagrams_map_address(&a).sin6_port);
}

int datagrams_receive(struct datagrams *d, size_t port, struct datagram *to)
{
	struct datagram_batch *b = d->batch;
	for (size_t i = 0; i < DATAGRAMS_AT_ONCE; i++)
		b->message[i].msg_hdr.msg_namelen = sizeof(b->from[i]);
	int n = recvmmsg(d->fd[port], b->message, DATAGRAMS_AT_ONCE, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++)
		to[i] = (struct datagram){ { b->bytes[i], b->message[i].msg_len },
					   datagrams_map_address(&b->from[i]) };
	return n;
}

size_t datagrams_room(const struct datagrams *d)
{
	size_t least = SIZE_MAX;
	for (size_t i = 0; i < d->n_ports; i++) {
		int size = 0;
		socklen_t n = sizeof(size);
		if (getsockopt(d->fd[i], SOL_SOCKET, SO_RCVBUF, &size, &n) == 0 && size > 0 &&
		    (size_t)size < least)
			least = (size_t)size;
	}
	return least;
}

/*
 * Read the memory counts of a socket (sk_get_meminfo() in Linux, net/core/sock.c). Returns false if
 * this kernel has none.
 */
static bool datagrams_meminfo(int fd, uint32_t *info)
{
	socklen_t n = SK_MEMINFO_VARS * sizeof(*info);
	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &n) == 0 &&
	       n > SK_MEMINFO_DROPS * sizeof(*info);
}

bool datagrams_are_counted(const struct datagrams *d)
{
	uint32_t info[SK_MEMINFO_VARS];
	for (size_t i = 0; i < d->n_ports; i++)
		if (!datagrams_meminfo(d->fd[i], info))
			return false;
	return true;
}

uint64_t datagrams_waiting(const struct datagrams *d)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < d->n_ports; i++) {
		uint32_t info[SK_MEMINFO_VARS] = { 0 };
		if (datagrams_meminfo(d->fd[i], info))
			sum += info[SK_MEMINFO_RMEM_ALLOC];
	}
	return sum;
}

/*
 * Get the number of packets that the kernel dropped (sk_drops in net/core/sock.c). SO_RXQ_OVFL
 * would report a drop only with the next packet.
 */
uint64_t datagrams_lost(struct datagrams *d)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < d->n_ports; i++) {
		uint32_t info[SK_MEMINFO_VARS] = { 0 };
		if (datagrams_meminfo(d->fd[i], info))
			d->lost[i] += info[SK_MEMINFO_DROPS] - (uint32_t)d->lost[i];
		sum += d->lost[i];
	}
	return sum;
}
