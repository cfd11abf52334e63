/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - third-party copies whose report comes before the open or close that it is of */
#pragma once

#include "tracers/xrootd/join/xrd_accesses.h"

#define XRD_PEERS 256			/* copies that wait for the other side's close */
#define XRD_PEER_URL 4096		/* bytes, longer ones are not kept */

struct peer {
	uint32_t server;		/* the number of who made the copy */
	uint64_t path;			/* at the other side, as a hash */
	char *url;			/* of the file at that server; NULL: the place is free */
};

/* By xroot: the server's own file, which its client has not opened yet as far as is known. */
struct early_copy {
	uint32_t server;
	uint64_t client;		/* the number of its entry */
	uint64_t path;			/* as a hash */
	int64_t copied;			/* see struct xrd_file; 0: the place is free */
};

struct peers {
	struct peer of[XRD_PEERS];
	uint8_t next;
	bool any;	/* peers were noted */
	struct early_copy early[XRD_PEERS];
	uint8_t next_early;
};

/* The path of a file at another server, that this one has read or written as its client. */
uint64_t peer_path(struct str path);
void peers_note(struct peers *p, const struct peer *of);	/* takes .url */

/* The client of the access is the server, by what it calls itself or where it sends from. */
bool peer_is_client(const struct xrd_server *s, const struct xrd_transfer *t);

/* The URL of the other side of a copy that the access was a part of, the caller's; or NULL. */
char *peers_take(struct peers *p, const struct xrd_servers *all, const struct xrd_transfer *t);

void peers_note_early(struct peers *p, const struct early_copy *e);
/* Of a file that was closed, what its copy's report said; 0: there was none. */
int64_t peers_take_early(struct peers *p, const struct xrd_transfer *t);

/* The client of the access is a server that reports copies, and has not reported this one. */
bool peers_may_come(const struct xrd_servers *all, const struct xrd_transfer *t);
void peers_free(struct peers *p);
