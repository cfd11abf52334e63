/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_servers.h - the servers that send datagrams, and their counters */
#pragma once

#include <netinet/in.h>
#include "base/map.h"
#include "formats/xrootd/xrdstream.h"
#include "xrootd/join/holders.h"
#include "xrootd/join/numbering.h"
#include "xrootd/join/xrd_order.h"

#define XRD_SERVERS_MAX 4096
/* number of servers that each address may keep when there are too many servers */
#define XRD_SERVERS_SHARE 64
#define XRD_TEXT 256

/* Source of a datagram. IPv4 addresses are mapped to IPv6. */
struct xrd_source {
	struct in6_addr address;
	uint16_t port;
	const char *name;	/* host name, if a relay gave no address; otherwise NULL */
};

/*
 * A source port of a server, with its counters of datagrams (lanes): one for map records and the r-
 * and t-streams, one for the f-stream, and one for each kind of event in the g-stream. Some servers
 * number the f-stream with the first counter, see numbering.h. A server sends to at most two
 * destinations (receivers), from a port for each. Before xrootd 5.1, all destinations share one
 * counter, so lost datagrams cannot be counted.
 */
#define XRD_LANES 10
struct xrd_port {
	uint16_t port;
	/* second set of counters of this port: a relay sends both destinations from one port */
	bool is_second;
	/* time of the last datagram, in microseconds; 0: this element is unused */
	int64_t last;
	struct xrd_order *lane[XRD_LANES];
	/* test that finds out how map records and the f-stream are numbered; or NULL */
	struct numbering *learning;
};

/*
 * Hashes of the newest datagrams, by which copies are found. A copy may have another number and
 * another port.
 */
#define XRD_RECENT 256
struct xrd_recent {
	uint64_t content[XRD_RECENT];
	uint16_t seq[XRD_RECENT], port[XRD_RECENT];
	uint8_t next;
};

/*
 * One start of a server, identified by source address, start time and server id (sid). The port may
 * change when a relay is restarted or an address translation forgets the server.
 */
#define XRD_PORTS 4
struct xrd_server {
	/* source address, and the port of the first destination */
	struct xrd_source source;
	uint32_t start;
	/* unique number of this start, from 1 on */
	uint32_t number;
	int64_t last;			/* time of the last datagram, microseconds */
	bool counts;			/* lost datagrams can be counted by their numbers */
	bool known;			/* the server has identified itself */
	bool has_sid;
	/* the sid is the server's, because a stream (f, t, r or g) has it */
	bool has_sure_sid;
	/* the f-stream has no sid, and a sid in a userid may be a user's */
	bool has_loose_sid;
	bool has_f;			/* the server sends an f-stream */
	/*
	 * arrival of the first u record (login), in microseconds; 0: none arrived, or the listener
	 * wants no sessions
	 */
	int64_t first_login;
	bool cache;			/* the server is a cache: it reports cached files */
	bool requests;			/* the server reports single requests in the t-stream */
	bool copies;			/* the server reports third-party copies */
	uint8_t numbering;		/* a value of enum xrd_numbering */
	uint64_t sid;
	uint32_t release;		/* value of XRD_RELEASE(); 0: unknown */
	char ip[XRD_TEXT];		/* source as text: its address, or its name */
	char host[XRD_TEXT], site[XRD_TEXT], instance[XRD_TEXT];
	char program[XRD_TEXT], version[XRD_TEXT], port[8];
	size_t n_open;			/* number of open files */
	/*
	 * .seen: all counts; .reported: the part added to the sums; .counted: the part added to the
	 * page of --listen
	 */
	struct xrd_counts seen, reported, counted;
	void *reported_as;		/* the server's struct sums_host, or NULL */
	struct xrd_port port_of[XRD_PORTS];
	struct xrd_recent recent;
	size_t place;			/* index in xrd_servers.server */
	uint16_t holder;
};

struct xrd_servers {
	struct holders holders;
	struct map by_source;		/* the servers by source address and start time */
	struct xrd_server *server[XRD_SERVERS_MAX];	/* all servers, unsorted */
	size_t n;
	uint32_t numbers;
	uint64_t evicted;
	size_t held_bytes;
	struct xrd_counts gone;		/* total counts of forgotten servers */
	/* called before a server is forgotten, but not by xrd_servers_free(); or NULL */
	void (*on_forgotten)(void *arg, struct xrd_server *s);
	void *arg;
};

/*
 * Find the server of a datagram, or add it; *is_new says which. If there are XRD_SERVERS_MAX
 * servers, adding one forgets another, whose pointers become invalid. Servers with different ids
 * are different even if socket and start time are the same, because a relay sends for many servers.
 */
struct xrd_server *xrd_server_of(struct xrd_servers *all, const struct xrd_source *from,
				 const struct xrd_packet *p, int64_t now, bool *is_new);

/*
 * Find the servers with this source address, port and start time. If one has identified itself, it
 * comes first. Returns their number, at most max, or 0 if a stream of one had the server's own sid.
 */
size_t xrd_servers_of_socket(const struct xrd_servers *all, const struct xrd_source *from,
			     uint32_t start, struct xrd_server **to, size_t max);

/* Add the counts of server s to server `to`, and forget s. */
void xrd_server_absorb(struct xrd_servers *all, struct xrd_server *to, struct xrd_server *s);

/* Check if `now` is a later start of the server `before`. */
bool xrd_server_is_restart(const struct xrd_server *before, const struct xrd_server *now);
/* Add a server without id and name. There must be fewer servers than XRD_SERVERS_MAX. */
struct xrd_server *xrd_server_add(struct xrd_servers *all, const struct xrd_source *from,
				  uint32_t start);
/* Get the server with this .number, or NULL if it was forgotten. */
struct xrd_server *xrd_server_numbered(const struct xrd_servers *all, uint32_t number);

/*
 * Get the name of a server: "HOST:PORT" as its clients know it, "HOST:PROGRAM" without a port
 * (FRM), or its source if it has not identified itself.
 */
#define XRD_NAME_SIZE (2 * XRD_TEXT)
void xrd_server_name(const struct xrd_server *v, char *name, size_t size);

/* Apply an identification: an "=" record, or a line of JSON or CGI. */
void xrd_server_identify(struct xrd_server *s, struct str text, enum xrd_form form);

/* Result of comparing a datagram with recent datagrams of its server. */
enum xrd_copy_of {
	XRD_NEW,
	XRD_COPY,
	XRD_COPY_TWIN,		/* a copy with another number, from the same port */
};
enum xrd_copy_of xrd_server_knows(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  struct str datagram);

/* Check if the datagram has a number by which losses can be counted. */
bool xrd_server_counts(const struct xrd_server *s, const struct xrd_packet *p);

/*
 * Pass the datagram to its counter (struct xrd_order), which delivers it in order.
 * xrd_server_counts() must be true for it. For a copy, pass an empty text as `datagram`. If two
 * counters share a port, choose the counter whose expected number is nearest. If a port is
 * replaced, its held datagrams are delivered to `to`.
 */
void xrd_server_put(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
		    enum xrd_copy_of copy, struct str datagram, const struct xrd_ordered *to,
		    int64_t now);

/*
 * Deliver held datagrams, and forget the expected number of each counter, because another receiver
 * took datagrams meanwhile.
 */
void xrd_server_restart_numbers(struct xrd_server *s, const struct xrd_ordered *to);

/*
 * Stop waiting for missing datagrams, see xrd_order_expire(). now: INT64_MAX at the end of input.
 */
void xrd_server_expire(struct xrd_server *s, const struct xrd_ordered *to, int64_t now);

/* Forget all servers, without delivering held datagrams. Does not free .holders. */
void xrd_servers_free(struct xrd_servers *all);
