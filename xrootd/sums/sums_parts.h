/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_parts.h - internals of the sums, shared by xrd_sums.c, sums_add.c and sums_state.c */
#pragma once

#include "base/map.h"
#include "formats/xrootd/xrd_keys.h"
#include "xrootd/sums/sums_minute.h"
#include "xrootd/join/xrd_servers.h"

/* silence after which another address may take over a server's name, in microseconds */
#define SUMS_SILENT     ((int64_t)86400 * 1000000)
/* maximum number of minutes that are kept; a minute is reported 65 s after its end */
#define PENDING_MINUTES 3

/*
 * Sums of a server name, which stays the same when the server is restarted. If another address uses
 * the same name, it gets separate sums, unless the first address was silent for SUMS_SILENT.
 */
struct sums_host {
	struct sums_host *next;
	char name[2 * XRD_TEXT];
	struct in6_addr address;
	int64_t heard;			/* time of the last datagram, in microseconds */
	/* sums of the whole server, if these are the sums of one of its organisations; else NULL */
	const struct sums_host *server;
	bool sends[XRD_TYPES];		/* the server has sent data of this type */
	bool reported;			/* at least one minute was reported */
	uint8_t n_parts;		/* number of organisations that have sums of their own */
	int64_t since;			/* first minute that has data, in minutes since 1970 */
	uint64_t sum[XRD_KEYS];		/* sum of all reported minutes */
	uint64_t minute[PENDING_MINUTES][XRD_KEYS];
};

struct xrd_sums {
	struct xrd_sums_listener to;
	const struct xrd_servers *all;
	struct sums_host *first, **end;
	struct map by_name;		/* index of hosts by name */
	size_t n, n_parts;	/* .n: number of hosts and organisations; .n_parts: organisations */
	bool started;
	/* minutes since 1970: the oldest that is not reported yet, and the current one */
	int64_t oldest, newest;
	int64_t now;
};

/* Add sums under a name that is not used yet. */
struct sums_host *sums_host_add(struct xrd_sums *s, const char *name,
				const struct in6_addr *address, const struct sums_host *server);

/* Get the sums of an organisation at a server: "HOST:PORT:cms". */
struct sums_host *sums_part_of(struct xrd_sums *s, struct sums_host *server, struct str part);

/* Get the sums of a server. identified: it has just identified itself, and may have a new name. */
struct sums_host *sums_host_of(struct xrd_sums *s, struct xrd_server *v, bool identified);

/* Get the counts of a minute, or of the nearest minute that is not reported yet. */
uint64_t *sums_at_minute(const struct xrd_sums *s, struct sums_host *h, int64_t minute);
void sums_note_start(uint64_t *to, const struct xrd_server *v);

static inline uint64_t sums_plus(uint64_t a, uint64_t b)
{
	uint64_t v;
	return __builtin_add_overflow(a, b, &v) ? UINT64_MAX : v;
}
