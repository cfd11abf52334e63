/* SPDX-License-Identifier: BSD-3-Clause */
/* flows.h - TCP connections of which fireflies told, and which of them an access went through */
#pragma once

#include "formats/xrootd/firefly.h"
#include "tracers/xrootd/join/xrd_put.h"

#define FLOWS_MAX 4096		/* the newest */

struct flow {
	struct firefly firefly;	/* the last that came of it */
	struct in6_addr from;	/* sender of the firefly */
	char name[XRD_TEXT];	/* of the client, where it was asked for, or empty */
};

/* All zero is a valid empty one. */
struct flows {
	struct flow *of;	/* FLOWS_MAX, in turn */
	size_t n, next;
	uint64_t seen, bad;	/* fireflies; of these damaged */
};

/* Takes a datagram for which firefly_is(): the flow, of which .name may be set, or NULL. */
struct flow *flows_note(struct flows *all, const struct in6_addr *from, struct str datagram);

/* Which flow is the access's: one, or it is not known which of *n. */
struct flow_match {
	const struct flow *flow;
	size_t n;
};

/*
 * Of the server and the client, by address or name, of the port that the server has, of the time.
 * Where these have several, by program and bytes.
 */
struct flow_match flows_match(const struct flows *all, const struct xrd_transfer *t,
			      const struct xrd_who *w);
void flows_free(struct flows *all);
