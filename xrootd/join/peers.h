/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - third-party copies that are reported before the matching open or close */
#pragma once

#include "xrootd/join/xrd_accesses.h"

/* number of copies that may wait for the close at the other server */
#define XRD_PEERS 256
#define XRD_PEER_URL 4096		/* size of the longest URL that is kept */

struct copy_peer {
	uint32_t server;		/* number of the server that made the copy */
	uint64_t path;			/* hash of the path on the other side */
	char *url;			/* URL of the file at `server`; NULL: this place is free */
};

/* A copy by xroot into a file of the server, reported before the client's open arrived. */
struct early_copy {
	uint32_t server;
	uint64_t client;		/* number of the client's entry */
	uint64_t path;			/* hash of the path */
	/* size of the copy, see struct xrd_file; 0: this place is free */
	int64_t copied;
};

struct copy_peers {
	struct copy_peer of[XRD_PEERS];
	uint8_t next;
	bool any;	/* a peer was recorded */
	struct early_copy early[XRD_PEERS];
	uint8_t next_early;
};

/* Hash a path without repeated slashes at its start, which two servers may write differently. */
uint64_t peer_path(struct str path);
/* Keep the report of a copy; takes ownership of its URL. */
void peers_note(struct copy_peers *p, const struct copy_peer *of);

/* Check if the client of the access is server s, by name or address. */
bool peer_is_client(const struct xrd_server *s, const struct xrd_transfer *t);

/*
 * Take the URL of the other side of the copy that the access was part of. The caller owns the URL.
 * Returns NULL if no copy matches.
 */
char *peers_take(struct copy_peers *p, const struct xrd_servers *all, const struct xrd_transfer *t);

void peers_note_early(struct copy_peers *p, const struct early_copy *e);
/*
 * Take the size from an early report about a file that is closed now. Returns 0 if there is no
 * report.
 */
int64_t peers_take_early(struct copy_peers *p, const struct xrd_transfer *t);

/*
 * Check if the client of the access is a server that reports copies, but has not reported this copy
 * yet.
 */
bool peers_may_come(const struct xrd_servers *all, const struct xrd_transfer *t);
void peers_free(struct copy_peers *p);
