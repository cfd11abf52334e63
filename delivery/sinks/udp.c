/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - packets to several hosts that may come and go */
#include "sinks/udp.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include "base/clock.h"
#include "base/files.h"

#define AGAIN_S 64	/* at the latest then, a name that could not be found is looked up again */
#define FRESH_S 3600	/* and one that could */
#define FULL_MS 100	/* for room in a socket that is full */

/* At the last colon; an address of IPv6 stands in brackets. */
static bool take_destination(struct str word, struct udp_destination *d)
{
	const char *colon = memrchr(word.p, ':', word.n);
	uint64_t port;
	if (!colon)
		return false;
	struct str host = { word.p, (size_t)(colon - word.p) };
	struct str digits = str_skip(word, host.n + 1), number = digits;
	if (host.n > 2 && *host.p == '[' && host.p[host.n - 1] == ']')
		host = (struct str){ host.p + 1, host.n - 2 };
	else if (str_has(host, ':') || str_has(host, '['))
		return false;
	*d = (struct udp_destination){ .fd = -1, .again_s = 1 };
	return host.n && str_is_u64(digits) && str_take_u64(&number, &port) && port > 0 &&
	       port <= 65535 && str_copy(d->host, sizeof(d->host), host) &&
	       str_copy(d->port, sizeof(d->port), digits);
}

int udp_init(struct udp *u, struct str destinations, const struct listener *listener,
	     struct str *bad)
{
	*u = (struct udp){ .n = 0 };
	while (str_take_item(&destinations, bad)) {
		if (u->n == UDP_DESTINATIONS_MAX || !take_destination(*bad, &u->to[u->n]))
			return -EINVAL;
		u->to[u->n++].listener = listener;
	}
	return 0;
}

void udp_free(struct udp *u)
{
	for (size_t i = 0; i < u->n; i++) {
		lookup_cancel(&u->to[i].lookup);
		close_fd(&u->to[i].fd);
	}
	u->n = 0;
}

static void fail(struct udp_destination *d, const char *why)
{
	if (!d->failing || strncmp(d->said, why, sizeof(d->said) - 1) != 0)
		say_warning(d->listener, "%s:%s: %s", d->host, d->port, why);
	d->failing = true;
	(void)str_copy(d->said, sizeof(d->said), str_of(why));
}

static int connect_to(const union lookup_address *a)
{
	int fd = socket(a->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t n = a->any.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
	if (fd < 0)
		return -errno;
	if (connect(fd, &a->any, n) < 0) {
		int e = -errno;
		close_fd(&fd);
		return e;
	}
	return fd;
}

/* The first of its addresses, from this one on, to which there is a way. */
static void connect_any(struct udp_destination *d, size_t from)
{
	int fd = -ENETUNREACH;
	for (size_t i = 0; i < d->known.n && fd < 0; i++) {
		d->at = (from + i) % d->known.n;
		fd = connect_to(&d->known.address[d->at]);
	}
	close_fd(&d->fd);
	d->fd = fd < 0 ? -1 : fd;
	if (fd < 0)
		fail(d, strerror(-fd));
}

/* Nothing changes where the address that is used is one of them. */
static void take_answer(struct udp_destination *d, const struct lookup_answer *a)
{
	if (a->error && d->fd >= 0)	/* the known address serves on */
		return;
	if (a->error) {
		fail(d, gai_strerror(a->error));
		return;
	}
	union lookup_address used = d->known.address[d->at];
	d->known = *a;
	d->at = 0;
	for (size_t i = 0; i < a->n && d->fd >= 0; i++)
		if (memcmp(&used, &a->address[i], sizeof(used)) == 0) {
			d->at = i;
			return;
		}
	connect_any(d, 0);
}

static void wait_for_answer(struct udp_destination *d, int timeout_ms)
{
	struct lookup_answer a;
	if (!d->lookup.pid)
		return;
	int r = lookup_take(&d->lookup, timeout_ms, &a);
	if (r == 0)
		take_answer(d, &a);
	else if (r != -EAGAIN)
		fail(d, "no answer from the name service");
	else if (d->fd < 0 && timeout_ms)
		fail(d, "its name is still being looked up");
}

/* A name that is not known is asked for again after 1, 2, 4, ... 64 seconds. */
static void look_up(struct udp_destination *d, int64_t now)
{
	struct lookup_answer a;
	if (d->lookup.pid || (d->asked && now - d->asked < (d->fd < 0 ? d->again_s : FRESH_S)))
		return;
	d->again_s = d->fd >= 0 || !d->asked ? 1 : d->again_s * 2;
	if (d->again_s > AGAIN_S)
		d->again_s = AGAIN_S;
	d->asked = now;
	int r = lookup_start(&d->lookup, d->host, d->port, &a);
	if (r > 0)
		take_answer(d, &a);
	else if (r < 0)
		fail(d, strerror(-r));
}

/* ICMP reports, for an earlier packet, that nobody listens or is there. */
static ssize_t send_again(struct udp_destination *d, struct str packet, int64_t now)
{
	int e = errno;
	if (e == EAGAIN) {	/* more at once than the socket holds */
		poll(&(struct pollfd){ .fd = d->fd, .events = POLLOUT }, 1, FULL_MS);
	} else {
		d->refused = now;
		fail(d, strerror(e));
		if (d->known.n > 1 || e != ECONNREFUSED)
			connect_any(d, d->at + 1);
		if (d->fd < 0)
			return 0;
	}
	return send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
}

static void send_one(struct udp_destination *d, struct str packet, int64_t now)
{
	if (d->fd < 0)
		return;
	ssize_t n = send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
	if (n < 0)
		n = send_again(d, packet, now);
	if (n < 0)
		fail(d, strerror(errno));
	else if (d->failing && d->fd >= 0 && (!d->refused || now - d->refused >= AGAIN_S)) {
		say_notice(d->listener, "%s:%s: it works again", d->host, d->port);
		d->failing = false;
		d->refused = 0;
	}
}

static int64_t now_ms(void)
{
	return monotonic_ns() / 1000000;
}

void udp_send(struct udp *u, struct str packet)
{
	int64_t now = now_ms(), until = now + u->patience_ms;
	for (size_t i = 0; i < u->n; i++)
		look_up(&u->to[i], now / 1000 + 1);
	for (size_t i = 0; i < u->n; i++) {
		int64_t left = until - now_ms();
		wait_for_answer(&u->to[i], u->waited ? 0 : left > 1 ? (int)left : 1);
	}
	u->waited = true;
	for (size_t i = 0; i < u->n; i++)
		send_one(&u->to[i], packet, now / 1000 + 1);
}

const struct udp_destination *udp_failing(const struct udp *u)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->to[i].failing)
			return &u->to[i];
	return NULL;
}
