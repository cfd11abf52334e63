/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - packets to several hosts that may come and go */
#include "agent/udp.h"

#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <time.h>
#include "base/files.h"
#include "base/log.h"

#define AGAIN_S 60	/* a name that could not be found is looked up again */
#define FRESH_S 3600	/* and one that could */

static bool take_word(struct str *in, struct str *word)
{
	while (in->n && (*in->p == ' ' || *in->p == ',' || *in->p == '\t'))
		*in = str_skip(*in, 1);
	size_t n = 0;
	while (n < in->n && in->p[n] != ' ' && in->p[n] != ',' && in->p[n] != '\t')
		n++;
	*word = (struct str){ in->p, n };
	*in = str_skip(*in, n);
	return n > 0;
}

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
	*d = (struct udp_destination){ .fd = -1 };
	return host.n && str_is_u64(digits) && str_take_u64(&number, &port) && port > 0 &&
	       port <= 65535 && str_copy(d->host, sizeof(d->host), host) &&
	       str_copy(d->port, sizeof(d->port), digits);
}

int udp_init(struct udp *u, struct str destinations, struct str *bad)
{
	u->n = 0;
	while (take_word(&destinations, bad)) {
		if (u->n == UDP_DESTINATIONS_MAX || !take_destination(*bad, &u->to[u->n]))
			return -EINVAL;
		u->n++;
	}
	return 0;
}

void udp_free(struct udp *u)
{
	for (size_t i = 0; i < u->n; i++)
		close_fd(&u->to[i].fd);
	u->n = 0;
}

static void fail(struct udp_destination *d, const char *why)
{
	if (!d->failing)
		log_warning("%s:%s: %s", d->host, d->port, why);
	d->failing = true;
}

static void look_up(struct udp_destination *d, int64_t now)
{
	struct addrinfo want = { .ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM }, *all;
	d->looked_up = now;
	int r = getaddrinfo(d->host, d->port, &want, &all);
	if (r != 0) {
		fail(d, gai_strerror(r));
		return;
	}
	int fd = -1;
	for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
			close_fd(&fd);
			fd = -1;
		}
	}
	freeaddrinfo(all);
	if (fd < 0) {
		fail(d, "no way to there");
		return;
	}
	close_fd(&d->fd);
	d->fd = fd;
}

static void send_one(struct udp_destination *d, struct str packet, int64_t now)
{
	int64_t age = now - d->looked_up;
	if (!d->looked_up || age >= FRESH_S || (d->fd < 0 && age >= AGAIN_S))
		look_up(d, now);
	if (d->fd < 0)
		return;
	ssize_t n = send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
	if (n < 0 && errno == ECONNREFUSED)	/* of the packet before this one */
		n = send(d->fd, packet.p, packet.n, MSG_NOSIGNAL);
	if (n < 0) {
		fail(d, strerror(errno));
		return;
	}
	if (d->failing)
		log_notice("%s:%s: it works again", d->host, d->port);
	d->failing = false;
}

void udp_send(struct udp *u, struct str packet)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (size_t i = 0; i < u->n; i++)
		send_one(&u->to[i], packet, t.tv_sec + 1);
}
