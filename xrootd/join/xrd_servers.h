/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_servers.h - who sends: each start of each server, with its counters */
#pragma once

#include <netinet/in.h>
#include "base/map.h"
#include "formats/xrootd/xrdstream.h"
#include "tracers/xrootd/join/holders.h"
#include "tracers/xrootd/join/xrd_order.h"

#define XRD_SERVERS_MAX 4096
#define XRD_SERVERS_SHARE 64	/* of an address, however many others there are */
#define XRD_TEXT 256

/* Where a datagram is from; IPv4 as mapped addresses. */
struct xrd_source {
	struct in6_addr address;
	uint16_t port;
};

/*
 * A server has a socket, so a port, for each of its destinations, at most two, and counts the
 * datagrams of each: map records, r and t together, f apart, and so each kind of g (xrootd 5.1 and
 * later; before, one counter for all destinations, so that lost datagrams cannot be counted).
 */
#define XRD_LANES 10
struct xrd_port {
	uint16_t port;
	bool twin;			/* another destination, behind the same port of a relay */
	int64_t last;			/* when a datagram came from it, microseconds; 0: unused */
	struct xrd_order *lane[XRD_LANES];
};

/* Fingerprints of the newest datagrams: a copy has another number, and may have another port. */
#define XRD_RECENT 256
struct xrd_recent {
	uint64_t content[XRD_RECENT];
	uint16_t seq[XRD_RECENT], port[XRD_RECENT];
	uint8_t next;
};

/*
 * A start of a server: its address, the time, and the server's id. Its port is another one after a
 * relay was started again, or an address translation forgot it.
 */
#define XRD_PORTS 4
struct xrd_server {
	struct xrd_source source;	/* .port: the first that it had */
	uint32_t start;
	uint32_t number;		/* among all starts there have been, from 1 */
	int64_t last;			/* when it was last heard of, microseconds */
	bool counts;			/* in a way that shows lost datagrams */
	bool known;			/* the server has identified itself: */
	bool has_sid;
	bool cache;			/* reports cached files */
	bool requests;			/* the t-stream reports single requests */
	bool copies;			/* reports third-party copies */
	uint64_t sid;
	uint32_t release;		/* XRD_RELEASE(), 0: not known */
	char ip[INET6_ADDRSTRLEN], host[XRD_TEXT], site[XRD_TEXT], instance[XRD_TEXT];
	char program[XRD_TEXT], version[XRD_TEXT], port[8];
	size_t n_open;			/* files */
	struct xrd_counts seen, reported;	/* .reported* are the listener's */
	void *reported_as;
	struct xrd_port port_of[XRD_PORTS];
	struct xrd_recent recent;
	size_t place;			/* in .server of all */
	uint16_t holder;
};

struct xrd_servers {
	struct holders holders;
	struct map by_source;		/* servers, by where they send from and their start */
	struct xrd_server *server[XRD_SERVERS_MAX];	/* all of them, in no order */
	size_t n;
	uint32_t numbers;
	uint64_t evicted;
	size_t held_bytes;
	struct xrd_counts gone;		/* of servers that were forgotten */
	void (*on_forgotten)(void *arg, struct xrd_server *s);	/* or NULL: who has .reported it */
	void *arg;
};

/*
 * The server of a datagram, a new one if need be; *again says so. A relay sends for many, so that
 * those with different fingerprints are different ones, though they share a socket and a second.
 */
struct xrd_server *xrd_server_of(struct xrd_servers *all, const struct xrd_source *from,
				 const struct xrd_packet *p, int64_t now, bool *is_new);

bool xrd_server_is_restart(const struct xrd_server *before, const struct xrd_server *now);
struct xrd_server *xrd_server_add(struct xrd_servers *all, const struct xrd_source *from,
				  uint32_t start);
struct xrd_server *xrd_server_numbered(const struct xrd_servers *all, uint32_t number);

/*
 * "HOST:PORT", as its clients know it; what has no port (FRM) is called by its program. A server
 * that has not said who it is: where it sends from.
 */
#define XRD_NAME_SIZE (2 * XRD_TEXT)
void xrd_server_name(const struct xrd_server *v, char *name, size_t size);

/* An "=" record, or its line of JSON or CGI. */
void xrd_server_identify(struct xrd_server *s, struct str text, enum xrd_form form);

/* Whether a datagram of the same content has come before; it is noted. */
enum xrd_copy_of {
	XRD_NEW,
	XRD_COPY,
	XRD_COPY_TWIN,		/* from the same port under another number: of another counter */
};
enum xrd_copy_of xrd_server_knows(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  struct str datagram);

/* The datagram has a counter that can be trusted. */
bool xrd_server_counts(const struct xrd_server *s, const struct xrd_packet *p);

/*
 * The order of that counter. Of two behind one port, the counter that is nearest. "to" gets what
 * waits of a port that makes room.
 */
struct xrd_order *xrd_server_lane(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  enum xrd_copy_of copy, const struct xrd_ordered *to);

void xrd_servers_free(struct xrd_servers *all);
