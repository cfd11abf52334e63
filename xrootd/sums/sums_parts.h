/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_parts.h - what the parts of the sums share: xrd_sums.c, sums_add.c, sums_state.c */
#pragma once

#include "base/map.h"
#include "tracers/xrootd/sums/xrd_keys.h"
#include "tracers/xrootd/sums/sums_minute.h"
#include "tracers/xrootd/join/xrd_servers.h"

#define SUMS_SILENT ((int64_t)86400 * 1000000)
#define PENDING   3			/* minutes that are not reported: so many end within LATE */

/*
 * A server under a name, which stays the same when the server is started again; each start is a
 * struct xrd_server. The sums belong to the address that the name came from first: a sender of the
 * same name at another address has sums of its own, until the first has been silent for
 * SUMS_SILENT.
 */
struct sums_host {
	struct sums_host *next;
	char name[2 * XRD_TEXT];
	struct in6_addr address;
	int64_t heard;			/* when it last sent, microseconds */
	const struct sums_host *whole;	/* of an organisation that uses a server: that; or NULL */
	bool sends[XRD_TYPES];
	bool reported;
	uint8_t n_parts;
	int64_t since;			/* the minute in which it was heard of first */
	uint64_t sum[XRD_KEYS];		/* of all minutes that were reported */
	uint64_t minute[PENDING][XRD_KEYS];
};

struct xrd_sums {
	struct xrd_sums_listener to;
	const struct xrd_servers *all;
	struct sums_host *first, **end;
	struct map by_name;		/* hosts */
	size_t n, n_parts;		/* all, and how many of them are parts */
	bool started;
	int64_t oldest, newest;		/* minutes since 1970: not reported yet, up to now */
	int64_t now;
};

/* A new one of a name that is free. */
struct sums_host *sums_host_add(struct xrd_sums *s, const char *name,
				const struct in6_addr *address, const struct sums_host *whole);

/* "HOST:PORT:cms", an organisation of a server. */
struct sums_host *sums_part_of(struct xrd_sums *s, struct sums_host *whole, struct str part);

/* Of a server; identified: it has just said who it is. */
struct sums_host *sums_host_of(struct xrd_sums *s, struct xrd_server *v, bool identified);

/* Where a count of this minute goes, or of the nearest that is not reported. */
uint64_t *sums_at_minute(const struct xrd_sums *s, struct sums_host *h, int64_t minute);
void sums_note_start(uint64_t *to, const struct xrd_server *v);

static inline uint64_t sums_plus(uint64_t a, uint64_t b)
{
	uint64_t v;
	return __builtin_add_overflow(a, b, &v) ? UINT64_MAX : v;
}
