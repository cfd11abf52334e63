/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.c - forward datagrams with their original source address */
#include "xrootd/input/forward.h"

#include <errno.h>
#include <netinet/ip.h>
#include <string.h>
#include <sys/socket.h>
#include "base/buf.h"
#include "base/files.h"
#include "base/system/host_port.h"
#include "base/wire.h"

#define UDP_HEADER  8
#define HOPS        64
/* minimum MTU of IPv6, in bytes (RFC 8200, 5); IPv6 routers do not fragment packets */
#define MTU_V6      1280
#define FRAGMENT_V6 8

static bool forward_is_v4(const struct in6_addr *a)
{
	return IN6_IS_ADDR_V4MAPPED(a);
}

/*
 * Get the MTU of the path to the destination: for IPv4 as far as the kernel knows it, for IPv6 the
 * minimum.
 */
static size_t forward_path_mtu(const struct sockaddr_in6 *to)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = to->sin6_port };
	int mtu = 1500;
	socklen_t n = sizeof(mtu);
	if (!forward_is_v4(&to->sin6_addr))
		return MTU_V6;
	memcpy(&v4.sin_addr, &to->sin6_addr.s6_addr[12], 4);
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&v4, sizeof(v4)) < 0 ||
	    getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &n) < 0 || mtu < 576)
		return 1500;
	return (size_t)mtu;
}

int forward_open(struct forward *f, const char *where, const char **why)
{
	int r = host_port_resolve(where, &f->to, why);
	if (r < 0)
		return r;
	f->fd = socket(forward_is_v4(&f->to.sin6_addr) ? AF_INET : AF_INET6,
		       SOCK_RAW | SOCK_CLOEXEC,
		       IPPROTO_RAW);
	r = -errno;
	*why = r == -EPERM ? "keeping the source address needs CAP_NET_RAW" : strerror(-r);
	if (f->fd < 0)
		return r;
	f->mtu = forward_path_mtu(&f->to);
	return 0;
}

bool forward_is_to(const struct forward *f, const uint16_t *port, size_t n)
{
	struct sockaddr_in6 here = f->to;
	int fd CLEANUP(close_fd) = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool same = false;
	for (size_t i = 0; i < n; i++)
		same = same || port[i] == ntohs(f->to.sin6_port);
	here.sin6_port = 0;
	return same && bind(fd, (struct sockaddr *)&here, sizeof(here)) == 0;
}

/* Add 16-bit words to a checksum: RFC 1071. */
static uint32_t forward_add_words(uint32_t sum, const void *at, size_t n)
{
	const unsigned char *p = at;
	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	if (n & 1)
		sum += (uint32_t)p[n - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Set the UDP checksum. IPv4 needs none; IPv6 does (RFC 8200, 8.1). */
static void forward_set_checksum(const struct forward *f, const struct in6_addr *from,
				 struct buf *udp)
{
	uint32_t sum = IPPROTO_UDP + (uint32_t)udp->n;
	if (forward_is_v4(from))
		return;
	sum = forward_add_words(sum, from, sizeof(*from));
	sum = forward_add_words(sum, &f->to.sin6_addr, sizeof(f->to.sin6_addr));
	sum = ~forward_add_words(sum, udp->p, udp->n) & 0xffff;
	sum = sum ? sum : 0xffff;
	udp->p[6] = (char)(sum >> 8);
	udp->p[7] = (char)sum;
}

/* Append an IPv4 header. The kernel fills in its length and checksum: raw(7). */
static void forward_put_v4(struct buf *b, const struct forward *f, const struct in6_addr *from,
			   size_t at,
			   bool more)
{
	wire_put(b, 0x45000000, 4);
	wire_put(b, f->id, 2);
	wire_put(b, (more ? IP_MF : 0) | at / 8, 2);
	wire_put(b, HOPS << 8 | IPPROTO_UDP, 2);
	wire_put(b, 0, 2);
	buf_add(b, (struct str){ (const char *)&from->s6_addr[12], 4 });
	buf_add(b, (struct str){ (const char *)&f->to.sin6_addr.s6_addr[12], 4 });
}

static void forward_put_v6(struct buf *b, const struct forward *f, const struct in6_addr *from,
			   size_t n,
			   size_t at, bool more)
{
	bool whole = at == 0 && !more;
	wire_put(b, 0x60000000, 4);
	wire_put(b, n + (whole ? 0 : FRAGMENT_V6), 2);
	wire_put(b, whole ? IPPROTO_UDP : IPPROTO_FRAGMENT, 1);
	wire_put(b, HOPS, 1);
	buf_add(b, (struct str){ (const char *)from, sizeof(*from) });
	buf_add(b, (struct str){ (const char *)&f->to.sin6_addr, sizeof(f->to.sin6_addr) });
	if (whole)
		return;
	wire_put(b, IPPROTO_UDP, 1);
	wire_put(b, 0, 1);
	wire_put(b, at | more, 2);
	wire_put(b, f->id, 4);
}

static bool forward_send_fragment(struct forward *f, const struct in6_addr *from, struct str part,
				  size_t at,
				  bool more)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct sockaddr_in6 to6 = f->to;
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	ssize_t n;
	if (forward_is_v4(from))
		forward_put_v4(&b, f, from, at, more);
	else
		forward_put_v6(&b, f, from, part.n, at, more);
	buf_add(&b, part);
	memcpy(&to4.sin_addr, &f->to.sin6_addr.s6_addr[12], 4);
	/* raw IPv6 sockets take the port as a protocol number: raw(7) */
	to6.sin6_port = 0;
	if (forward_is_v4(from))
		n = sendto(f->fd, b.p, b.n, 0, (struct sockaddr *)&to4, sizeof(to4));
	else
		n = sendto(f->fd, b.p, b.n, 0, (struct sockaddr *)&to6, sizeof(to6));
	f->error = n < 0 ? errno : f->error;
	return n >= 0;
}

/*
 * Send a UDP packet, in fragments if needed. All fragments except the last have a multiple of 8
 * bytes.
 */
static bool forward_send_packet(struct forward *f, const struct in6_addr *from, struct str udp)
{
	size_t header = forward_is_v4(from) ? sizeof(struct iphdr) : 40;
	size_t most = (f->mtu - header - (forward_is_v4(from) ? 0 : FRAGMENT_V6)) & ~(size_t)7;
	if (udp.n <= f->mtu - header)
		most = udp.n;
	for (size_t at = 0; at < udp.n; at += most) {
		struct str part = str_skip(udp, at);
		bool more = part.n > most;
		part.n = more ? most : part.n;
		if (!forward_send_fragment(f, from, part, at, more))
			return false;
	}
	return true;
}

void forward_send(struct forward *f, const struct in6_addr *from, uint16_t port, struct str s)
{
	struct buf udp CLEANUP(buf_free) = { 0 };
	if (f->fd < 0)
		return;
	if (forward_is_v4(from) != forward_is_v4(&f->to.sin6_addr)) {
		f->foreign++;
		return;
	}
	wire_put(&udp, port, 2);
	wire_put(&udp, ntohs(f->to.sin6_port), 2);
	wire_put(&udp, UDP_HEADER + s.n, 2);
	wire_put(&udp, 0, 2);
	buf_add(&udp, s);
	forward_set_checksum(f, from, &udp);
	f->id += f->id == UINT16_MAX ? 2 : 1;	/* skip 0, for which the kernel chooses an id */
	if (forward_send_packet(f, from, buf_str(&udp)))
		f->sent++;
	else
		f->failed++;
}

void forward_close(struct forward *f)
{
	close_fd(&f->fd);
}
