/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - match reports of third-party copies with opens and closes that arrive later */
#pragma once

#include "xrootd/join/xrd_accesses.h"

/* maximum number of copies that wait for the close at the other server */
#define XRD_PEERS 256
#define XRD_PEER_URL 4096		/* maximum size of a URL */

/* A third-party copy by HTTP that waits for the close of the file at the other server. */
struct copy_peer {
	uint32_t server;		/* number of the server that made the copy */
	/* hash of the file's path on the other server of the copy */
	uint64_t path;
	char *url;	/* URL of the file at `server`; NULL: this element is free */
};

/* A third-party copy by xroot that was reported before the client's open of the file arrived. */
struct early_copy {
	uint32_t server;
	uint64_t client;		/* number of the client */
	uint64_t path;			/* hash of the file's path */
	/* size of the copy in bytes; -1: unknown; 0: this element is free */
	int64_t copied;
};

struct copy_peers {
	struct copy_peer of[XRD_PEERS];
	uint8_t next;
	bool any;	/* .of has been used */
	struct early_copy early[XRD_PEERS];
	uint8_t next_early;
};

/* Hash a path without repeated slashes at its start: servers write them differently. */
uint64_t peer_path(struct str path);
/* Store a copy until the close at the other server arrives. Takes ownership of the URL. */
void peers_note(struct copy_peers *p, const struct copy_peer *of);

/* Check if the access is by HTTP and its client is server s, by name or address. */
bool peer_is_client(const struct xrd_server *s, const struct xrd_transfer *t);

/*
 * Find and remove the copy that the access belongs to. Returns the URL of the copy's other side,
 * which the caller owns, or NULL if no copy matches.
 */
char *peers_take(struct copy_peers *p, const struct xrd_servers *all, const struct xrd_transfer *t);

void peers_note_early(struct copy_peers *p, const struct early_copy *e);
/*
 * Get and remove the size of a copy that was reported before the open of this file arrived. Returns
 * 0 if there is none.
 */
int64_t peers_take_early(struct copy_peers *p, const struct xrd_transfer *t);

/* Check if the client of the access is a server that may still report this access as a copy. */
bool peers_may_come(const struct xrd_servers *all, const struct xrd_transfer *t);
void peers_free(struct copy_peers *p);
