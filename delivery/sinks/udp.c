/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - send packets to several hosts, which may be down or unknown */
#include "sinks/udp.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include "base/clock.h"
#include "base/files.h"

/* longest time between two lookups of a name that is not found, in seconds */
#define RETRY_MAX_S  64
#define REFRESH_S    3600	/* time between two lookups of a name that is found, in seconds */
#define FULL_WAIT_MS 100	/* how long to wait for room in a full socket */

/* Parse "HOST:PORT", splitting at the last colon. An IPv6 address must be in brackets. */
static bool udp_parse_destination(struct str word, struct udp_destination *d)
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
	*d = (struct udp_destination){ .fd = -1, .retry_s = 1 };
	return host.n && str_is_u64(digits) && str_take_u64(&number, &port) && port > 0 &&
	       port <= 65535 && str_copy(d->host, sizeof(d->host), host) &&
	       str_copy(d->port, sizeof(d->port), digits);
}

int udp_init(struct udp *u, struct str destinations, const struct listener *listener,
	     struct str *bad)
{
	*u = (struct udp){ .n = 0 };
	while (str_take_item(&destinations, bad)) {
		if (u->n == UDP_DESTINATIONS_MAX || !udp_parse_destination(*bad, &u->to[u->n]))
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

static void udp_report_failure(struct udp_destination *d, const char *why)
{
	if (!d->failing || strncmp(d->error, why, sizeof(d->error) - 1) != 0)
		say_warning(d->listener, "%s:%s: %s", d->host, d->port, why);
	d->failing = true;
	(void)str_copy(d->error, sizeof(d->error), str_of(why));
}

static int udp_connect_address(const union lookup_address *a)
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

/* Connect to the first reachable address of the host, starting with address number `from`. */
static void udp_connect_any(struct udp_destination *d, size_t from)
{
	int fd = -ENETUNREACH;
	for (size_t i = 0; i < d->known.n && fd < 0; i++) {
		d->at = (from + i) % d->known.n;
		fd = udp_connect_address(&d->known.address[d->at]);
	}
	close_fd(&d->fd);
	d->fd = fd < 0 ? -1 : fd;
	if (fd < 0)
		udp_report_failure(d, strerror(-fd));
}

/* Take over the addresses of a lookup. If the address in use is still valid, keep using it. */
static void udp_handle_addresses(struct udp_destination *d, const struct lookup_answer *a)
{
	if (a->error && d->fd >= 0)	/* a failed lookup leaves the known address in use */
		return;
	if (a->error) {
		udp_report_failure(d, gai_strerror(a->error));
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
	udp_connect_any(d, 0);
}

static void udp_wait_for_lookup(struct udp_destination *d, int timeout_ms)
{
	struct lookup_answer a;
	if (!d->lookup.pid)
		return;
	int r = lookup_take(&d->lookup, timeout_ms, &a);
	if (r == 0)
		udp_handle_addresses(d, &a);
	else if (r != -EAGAIN)
		udp_report_failure(d, "no answer from the name service");
	else if (d->fd < 0 && timeout_ms)
		udp_report_failure(d, "its name is still being looked up");
}

/*
 * Start a lookup if one is due. A name that is not found is looked up again after 1, 2, 4, ... 64
 * s.
 */
static void udp_start_lookup(struct udp_destination *d, int64_t now)
{
	struct lookup_answer a;
	if (d->lookup.pid ||
	    (d->looked_up_s && now - d->looked_up_s < (d->fd < 0 ? d->retry_s : REFRESH_S)))
		return;
	d->retry_s = d->fd >= 0 || !d->looked_up_s ? 1 : d->retry_s * 2;
	if (d->retry_s > RETRY_MAX_S)
		d->retry_s = RETRY_MAX_S;
	d->looked_up_s = now;
	int r = lookup_start(&d->lookup, d->host, d->port, &a);
	if (r > 0)
		udp_handle_addresses(d, &a);
	else if (r < 0)
		udp_report_failure(d, strerror(-r));
}

/*
 * Send a packet again after an error. The error may be an ICMP report about an earlier packet: no
 * program listens at the address, or the host is unreachable.
 */
static ssize_t udp_resend(struct udp_destination *d, struct str packet, int64_t now)
{
	int e = errno;
	if (e == EAGAIN) {	/* the socket's buffer is full */
		poll(&(struct pollfd){ .fd = d->fd, .events = POLLOUT }, 1, FULL_WAIT_MS);
	} else {
		d->refused_s = now;
		udp_report_failure(d, strerror(e));
		if (d->known.n > 1 || e != ECONNREFUSED)
			udp_connect_any(d, d->at + 1);
		if (d->fd < 0)
			return 0;
	}
	return send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
}

static void udp_send_to(struct udp_destination *d, struct str packet, int64_t now)
{
	if (d->fd < 0)
		return;
	ssize_t n = send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
	if (n < 0)
		n = udp_resend(d, packet, now);
	if (n < 0)
		udp_report_failure(d, strerror(errno));
	else if (d->failing && d->fd >= 0 && (!d->refused_s || now - d->refused_s >= RETRY_MAX_S)) {
		say_notice(d->listener, "%s:%s: it works again", d->host, d->port);
		d->failing = false;
		d->refused_s = 0;
	}
}

static int64_t udp_now_ms(void)
{
	return monotonic_ns() / 1000000;
}

void udp_send(struct udp *u, struct str packet)
{
	int64_t now = udp_now_ms(), until = now + u->first_wait_ms;
	for (size_t i = 0; i < u->n; i++)
		udp_start_lookup(&u->to[i], now / 1000 + 1);
	for (size_t i = 0; i < u->n; i++) {
		int64_t left = until - udp_now_ms();
		udp_wait_for_lookup(&u->to[i], u->waited ? 0 : left > 1 ? (int)left : 1);
	}
	u->waited = true;
	for (size_t i = 0; i < u->n; i++)
		udp_send_to(&u->to[i], packet, now / 1000 + 1);
}

const struct udp_destination *udp_failing(const struct udp *u)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->to[i].failing)
			return &u->to[i];
	return NULL;
}

/* Look up the addresses of a destination. Returns NULL, or the reason why it has no address. */
static const char *udp_find_one(struct udp_destination *d, int timeout_ms)
{
	struct lookup_answer a = { .error = 0 };
	int r = lookup_start(&d->lookup, d->host, d->port, &a);
	if (r == 0)
		r = lookup_take(&d->lookup, timeout_ms, &a);
	return r == -EAGAIN ? "no answer from the name service" :
	       r < 0 ? strerror(-r) : a.error ? gai_strerror(a.error) : NULL;
}

int udp_find(struct udp *u, int timeout_ms, struct buf *said)
{
	int r = 0;
	for (size_t i = 0; i < u->n; i++) {
		const char *why = udp_find_one(&u->to[i], timeout_ms);
		buf_addf(said, "%s%s:%s: %s", i ? ", " : "", u->to[i].host, u->to[i].port,
			 why ? why : "has an address; UDP gives no confirmation");
		r = why ? -ENOENT : r;
	}
	return r;
}
